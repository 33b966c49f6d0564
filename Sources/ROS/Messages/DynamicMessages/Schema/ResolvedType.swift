package import Text

/// A type whose definition was found: how its messages are read, and all that a bag stores of it.
package struct ResolvedType: MessageType {
    /// The compiled type; `nil` where only a text describes it.
    package let compiled: (any Message.Type)?
    package let schema: MessageSchema
    /// The hash of the schema.
    package let typeHash: String
    /// As it was found, or else that of the schema.
    package internal(set) var definitionText: String

    /// The type as a text describes it; as it is compiled in, where that is the same.
    package init(_ schema: MessageSchema) {
        let type = MessageTypes.type(named: schema.typeName)
        compiled = type?.typeHash == schema.typeHash ? type : nil
        self.schema = schema
        typeHash = schema.typeHash
        definitionText = schema.definitionText
    }

    init(_ type: any Message.Type) {
        compiled = type
        schema = .compiled(type)
        typeHash = type.typeHash
        definitionText = type.definitionText
    }

    package var typeName: String { schema.typeName }
    package var jsonKeys: [String] { schema.jsonKeys }

    /// The type for topics whose messages are best of the compiled type, where there is one.
    package var kind: any MessageType { compiled?.kind ?? self }

    /// The type for messages that are used at once: compiled, or with the values of their fields at hand.
    package var direct: any MessageType { compiled?.kind ?? schema }

    /// Reads the message as a described one, compiled or not: it keeps its bytes as they are.
    package func payload(cdr bytes: UnsafeRawBufferPointer) throws -> any AnyMessage {
        try payload(cdr: Array(bytes))
    }

    package func payload(cdr bytes: [UInt8]) throws -> any AnyMessage {
        try DescribedMessage(cdr: bytes, schema: schema)
    }

    package func payload(
        json scanner: inout JSONScanner,
        unknown: inout UnknownFields
    ) throws(JSONMismatch) -> any AnyMessage {
        try schema.payload(json: &scanner, unknown: &unknown)
    }
}
