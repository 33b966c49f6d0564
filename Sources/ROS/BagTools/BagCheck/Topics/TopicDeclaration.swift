import Bags
import Messages

/// The declaration of a topic in one file: a row of the table `topics`, or a Channel with its Schema.
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
    /// True if a file of this form has to hold a definition.
    var owesDefinition: Bool
    /// The file that says it.
    var file: String

    var hasDefinition: Bool { !definitionEncoding.isEmpty }

    /// The claim on the type, as every reader of bags takes it.
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

    /// The form of its messages where they are copied and not looked into, and the kind of the note on it; else nil.
    ///
    /// The parts of services and actions have types that are no messages of their own.
    var passedOver: (kind: BagFindingKind, expected: String, found: String)? {
        if BagOptions.Serialization(rawValue: serializationFormat) == nil {
            return (.messageForm, "cdr or rosbridge_json", "\"\(serializationFormat)\", which is copied as it is")
        }
        if typeName.contains("/action/") {
            let part = typeName.hasSuffix("_FeedbackMessage") ? "feedback of an action" : "a part of an action"
            return (.messageService, "a message", "\(part), which is not looked into")
        }
        guard typeName.contains("/srv/") || name.hasSuffix("/_service_event") else { return nil }
        return (.messageService, "a message", "events of a service, which are not looked into")
    }
}
