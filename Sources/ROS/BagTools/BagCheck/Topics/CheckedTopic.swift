import Bags
import Messages

/// A topic of the bag as the checks know it, with what was counted of it.
final class CheckedTopic {
    /// Where a message keeps the time that its row should have.
    enum StampRole {
        case header
        /// In the header of the first transform.
        case transforms
        case none
    }

    /// Among all topics of the bag; files number theirs each in their own way.
    let index: Int
    let name: String
    let typeName: String
    let serializationFormat: String
    /// Nil for what is not looked into, and where nothing describes the type.
    let decoder: RowDecoder?
    /// True if its messages are counted and not looked into.
    let isPassedOver: Bool
    /// True if late subscribers are meant to get the last message.
    let isLatched: Bool
    let stampRole: StampRole
    /// True if the bag's own description of the type can be believed, so that a message that does not fit it is damaged.
    let isTypeTrusted: Bool
    /// True if its messages are of an edition of the type that is not known.
    let isOfOtherRelease: Bool
    let contentRule: ContentRule?
    /// True if its messages are pictures, or the calibrations that belong to them.
    let isOfCamera: Bool

    private let type: ResolvedType?
    private let statedHash: String

    var messageCount = 0
    var decodedCount = 0
    var bytes = 0

    init(
        index: Int,
        declaration: TopicDeclaration,
        judgement: DefinitionCheck.Judgement,
        isLatched: Bool
    ) {
        let type = judgement.type
        self.index = index
        name = declaration.name
        typeName = declaration.typeName
        serializationFormat = declaration.serializationFormat
        decoder = type.map { RowDecoder($0.direct, format: declaration.serializationFormat) }
        isPassedOver = declaration.passedOver != nil
        self.isLatched = isLatched
        isTypeTrusted = judgement.isTrusted
        isOfOtherRelease = judgement.isOfOtherRelease
        self.type = type
        statedHash = declaration.typeHash
        contentRule = ContentRule(typeName: typeName)
        isOfCamera = [Image.typeName, CompressedImage.typeName, CameraInfo.typeName].contains(typeName)
        let hasHeader = type?.schema.layout.defaultMessage()?.headerFrameID != nil
        stampRole = typeName.hasSuffix("/TFMessage") ? .transforms : hasHeader ? .header : .none
    }

    /// The hash that the file says, or that its definition has; nil where neither is there.
    var typeHash: String? { statedHash.isEmpty ? type?.typeHash : statedHash }
}

/// The declaration of a topic in one file: a row of the table `topics`, or a Channel with its Schema.
@dynamicMemberLookup
struct TopicDeclaration {
    var topic: BagTopic
    /// The hash beside the definition, where the storage keeps one there too.
    var definitionHash = ""
    /// True if a file of this form has to hold a definition.
    var owesDefinition: Bool
    var file: String

    subscript<Value>(dynamicMember path: KeyPath<BagTopic, Value>) -> Value { topic[keyPath: path] }

    /// The form of its messages where they are copied and not looked into, and the kind of the note on it; else nil.
    ///
    /// The parts of services and actions have types that are no messages of their own.
    var passedOver: (kind: BagFindingKind, expected: String, found: String)? {
        if topic.isOfForeignForm {
            return (.messageForm, "cdr or rosbridge_json", "\"\(topic.serializationFormat)\", which is copied as it is")
        }
        if topic.typeName.contains("/action/") {
            let part = topic.typeName.hasSuffix("_FeedbackMessage") ? "feedback of an action" : "a part of an action"
            return (.messageService, "a message", "\(part), which is not looked into")
        }
        guard topic.typeName.contains("/srv/") || topic.name.hasSuffix("/_service_event") else { return nil }
        return (.messageService, "a message", "events of a service, which are not looked into")
    }
}
