import DynamicMessages
import Messages

/// By what the messages of a topic are read.
enum MessageInterpreter {
    /// A type of this program.
    case compiled(any Message.Type)
    /// The bag's own description, or one that was named.
    case dynamic(MessageSchema)
    /// A service or an action: there is no message to read.
    case service
    /// Nothing describes the type.
    case unknown

    /// Whether the type's first field is a header.
    var hasHeader: Bool {
        switch self {
        case .compiled(let type): type.init().headerFrameID != nil
        case .dynamic(let schema): schema.layout.defaultMessage()?.headerFrameID != nil
        case .service, .unknown: false
        }
    }

    var typeHash: String? {
        switch self {
        case .compiled(let type): type.typeHash
        case .dynamic(let schema): schema.typeHash
        case .service, .unknown: nil
        }
    }
}

/// A message that could be read.
enum MessageContent {
    case compiled(any Message)
    case dynamic(DynamicValue)

    /// The time in the header, or in that of the first transform.
    var stampNanoseconds: Int64? {
        switch self {
        case .compiled(let message): message.headerStampNanoseconds
        case .dynamic(let message): message.headerStampNanoseconds
        }
    }

    /// The frame in the header, or in that of the first transform.
    var frameID: String? {
        switch self {
        case .compiled(let message): message.headerFrameID
        case .dynamic(let message): message.headerFrameID
        }
    }
}
