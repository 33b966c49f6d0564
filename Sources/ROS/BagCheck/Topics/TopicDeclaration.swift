import Bags
import DynamicMessages

/// What one file says of a topic: a row of the table `topics`, or a Channel with its Schema.
struct TopicDeclaration: Hashable {
    var name: String
    var typeName: String
    var serializationFormat: String
    var qosText: String
    /// Empty where the file has none.
    var typeHash: String
    /// The hash beside the definition, where the storage keeps one there too.
    var definitionHash: String
    /// `ros2msg`, `ros2idl`, or empty where there is no definition.
    var definitionEncoding: String
    var definitionText: String
    /// Whether a file of this form has to hold a definition.
    var owesDefinition: Bool
    /// The file that says it.
    var file: String

    var hasDefinition: Bool { !definitionEncoding.isEmpty }

    /// What is said of the type, as every reader of bags takes it.
    var typeClaim: TypeClaim {
        TypeClaim(
            BagTopic(
                name: name,
                typeName: typeName,
                serializationFormat: serializationFormat,
                qosText: qosText,
                typeHash: typeHash,
                definitionText: definitionText,
                definitionEncoding: definitionEncoding
            )
        )
    }

    /// Whether it carries the requests and responses of a service or an action, whose types are no messages.
    var isServiceEvent: Bool {
        typeName.contains("/srv/") || typeName.contains("/action/") || name.hasSuffix("/_service_event")
    }
}
