import Messages

/// How the messages of one topic get from one form to the other.
enum TopicConversion: Sendable {
    /// The bytes are right as they are, if they are those of a message of this type; nil where nothing describes it.
    case copy(ResolvedType?)
    /// Each message is read, and written in the other form.
    case convert(ResolvedType)
    /// Nothing can be done with them, of which there are so many.
    case skip(reason: String, messageCount: Int)

    var text: String {
        switch self {
        case .copy: "copied"
        case .convert(let type): type.compiled == nil ? "converted by its definition" : "converted"
        case .skip(let reason, _): "left out: \(reason)"
        }
    }

    /// Why its messages are left out; empty where they are not.
    var reason: String { if case .skip(let reason, _) = self { reason } else { "" } }

    /// How many messages are left out.
    var skippedCount: Int { if case .skip(_, let messageCount) = self { messageCount } else { 0 } }

    var isSkip: Bool { if case .skip = self { true } else { false } }
}
