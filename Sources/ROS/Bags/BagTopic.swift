package import Messages

/// A topic as a bag stores it.
///
/// Everything is text, so that topics with unknown types can be copied, too.
package struct BagTopic: Sendable, Hashable {
    package var name: String
    package var typeName: String
    package var serializationFormat: String
    package var qosText: String
    package var typeHash: String
    /// The definition of the type with all its dependencies; empty if unknown, or if the type has no fields.
    package var definitionText: String
    /// The encoding of the definition: `ros2msg` or `ros2idl`; empty without a definition.
    ///
    /// A type without fields has an empty text and the encoding `ros2msg`.
    package var definitionEncoding: String
    /// The definition where it is no text, such as the descriptors of protobuf; else nil.
    package var definitionBytes: [UInt8]?
    /// What its first messages say of the edition of a type that the bag does not describe; nil where that is no question.
    package var edition: EditionChoice.Outcome?

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

    /// True if the bag has a definition of the type.
    package var hasDefinition: Bool { !definitionEncoding.isEmpty && definitionEncoding != "unknown" }

    /// What finds the edition of its type by messages; nil where that is no question, as JSON names its fields.
    package var editionChoice: EditionChoice? {
        serializationFormat == BagOptions.Serialization.cdr.rawValue ? EditionChoice(TypeClaim(self)) : nil
    }

    /// Leaves open what its type is made of.
    package mutating func withdrawDefinition() { (definitionText, definitionEncoding, typeHash) = ("", "", "") }

    /// True if its messages are in a form that is copied and not read, such as those of ROS 1.
    package var isOfForeignForm: Bool { BagOptions.Serialization(rawValue: serializationFormat) == nil }

    /// True if late subscribers get the last message: the offered QoS is transient local without a short lifespan.
    package var isLatched: Bool { QoSProfile.profiles(qosText).contains { $0.isLatched } }

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

/// A message as a bag stores it: topic, time and bytes.
package struct BagRow: Sendable, Hashable {
    /// The index into the topics of the reader or writer.
    package var topic: Int
    package var timeNanoseconds: Int64
    package var bytes: [UInt8]

    package init(topic: Int, timeNanoseconds: Int64, bytes: [UInt8]) {
        self.topic = topic
        self.timeNanoseconds = timeNanoseconds
        self.bytes = bytes
    }
}

extension TypeClaim {
    /// The claim of a bag on the type of a topic, or on another type that an option gives to its messages.
    ///
    /// The stored definition and hash count only for the stored type and its legacy name. CDR without hash and
    /// definition was written before Iron, whose recorder stores both.
    package init(_ topic: BagTopic, as typeName: String? = nil) {
        let isCDR = topic.serializationFormat == BagOptions.Serialization.cdr.rawValue
        self.init(
            typeName: typeName ?? topic.typeName,
            isOfHumble: isCDR && topic.typeHash.isEmpty && !topic.hasDefinition
        )
        guard typeName.map({ $0 == LegacyNames.type(topic.typeName) }) ?? true else { return }
        definitionText = topic.definitionText
        definitionEncoding = topic.definitionEncoding
        typeHash = topic.typeHash
        edition = topic.edition
    }
}
