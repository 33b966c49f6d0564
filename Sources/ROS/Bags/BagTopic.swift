package import Messages

/// A topic as a bag stores it: all text, so that types this program does not define can be copied too.
package struct BagTopic: Sendable, Hashable {
    package var name: String
    package var typeName: String
    package var serializationFormat: String
    package var qosText: String
    package var typeHash: String
    /// The definition of the type with all its dependencies; empty if not known, or if the type has no fields.
    package var definitionText: String
    /// What the definition is written in: `ros2msg` or `ros2idl`; empty without one.
    ///
    /// A type without fields has an empty text, in `ros2msg`.
    package var definitionEncoding: String

    package init(
        name: String,
        typeName: String,
        serializationFormat: String,
        qosText: String,
        typeHash: String,
        definitionText: String,
        definitionEncoding: String? = nil
    ) {
        self.name = name
        self.typeName = typeName
        self.serializationFormat = serializationFormat
        self.qosText = qosText
        self.typeHash = typeHash
        self.definitionText = definitionText
        self.definitionEncoding = definitionEncoding ?? (definitionText.isEmpty ? "" : "ros2msg")
    }

    package init(_ topic: Topic, serialization: BagOptions.Serialization) {
        self.init(
            name: topic.name,
            typeName: topic.typeName,
            serializationFormat: serialization.rawValue,
            qosText: topic.qos.rosbag2Text,
            typeHash: topic.type.typeHash,
            definitionText: topic.type.definitionText
        )
    }

    /// Whether the bag says what the type is made of.
    package var hasDefinition: Bool { !definitionEncoding.isEmpty && definitionEncoding != "unknown" }

    /// Whether late subscribers get the last message, by the offered QoS; a short lifespan makes it none.
    package var isLatched: Bool { BagTopic.isLatched(qosText: qosText) }

    /// Whether an `offered_qos_profiles` makes its topic a latched one.
    package static func isLatched(qosText: String) -> Bool {
        QoSProfile.profiles(qosText).contains { $0.isLatched }
    }

    func record(messageCount: Int) -> BagMetadata.TopicRecord {
        BagMetadata.TopicRecord(
            name: name,
            typeName: typeName,
            serializationFormat: serializationFormat,
            qosText: qosText,
            typeHash: typeHash,
            messageCount: messageCount
        )
    }
}
