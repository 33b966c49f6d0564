package import DynamicMessages
package import JSONText
package import ROS

/// The type of a bag's topic: read by its description, and stored again with the very text that the bag has.
package struct StoredKind: MessageKind {
    package let schema: MessageSchema
    package let typeHash: String
    package let definitionText: String

    init(schema: MessageSchema, typeHash: String, definitionText: String) {
        self.schema = schema
        self.typeHash = typeHash
        self.definitionText = definitionText
    }

    package var typeName: String { schema.typeName }
    package var hasFields: Bool { schema.hasFields }

    package func payload(cdr bytes: UnsafeRawBufferPointer) throws -> any MessagePayload {
        try DescribedMessage(cdr: Array(bytes), schema: schema)
    }

    package func payload(
        json scanner: inout JSONScanner,
        unknown: inout UnknownFields
    ) throws(JSONMismatch) -> any MessagePayload {
        try schema.payload(json: &scanner, unknown: &unknown)
    }
}
