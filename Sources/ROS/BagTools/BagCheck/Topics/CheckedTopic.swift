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
    /// The hash that the file says, or that its definition has; nil where neither is there.
    let typeHash: String?
    /// The rule for the content of its messages.
    let contentRule: ContentRule?
    /// True if its messages are pictures, or the calibrations that belong to them.
    let isOfCamera: Bool

    var messageCount = 0
    var decodedCount = 0
    var bytes = 0

    init(
        index: Int,
        declaration: TopicDeclaration,
        type: ResolvedType?,
        isLatched: Bool,
        isTypeTrusted: Bool
    ) {
        self.index = index
        name = declaration.name
        typeName = declaration.typeName
        serializationFormat = declaration.serializationFormat
        decoder = type.map { RowDecoder($0.direct, format: declaration.serializationFormat) }
        isPassedOver = declaration.passedOver != nil
        self.isLatched = isLatched
        self.isTypeTrusted = isTypeTrusted
        typeHash = declaration.typeHash.isEmpty ? type?.typeHash : declaration.typeHash
        contentRule = ContentRule(typeName: typeName)
        isOfCamera = [Image.typeName, CompressedImage.typeName, CameraInfo.typeName].contains(typeName)
        let hasHeader = type?.schema.layout.defaultMessage()?.headerFrameID != nil
        stampRole = typeName.hasSuffix("/TFMessage") ? .transforms : hasHeader ? .header : .none
    }
}
