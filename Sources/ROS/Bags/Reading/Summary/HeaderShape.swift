import DynamicMessages
import Messages

/// Where the messages of a topic have their std_msgs/Header, by the definition of their type.
enum HeaderShape: Equatable {
    case none
    /// It is the first field, of that name.
    case first(String)
    /// The first field is a sequence of messages that begin with it; the names of both.
    case inElements(of: String, header: String)
    /// tf2_msgs/TFMessage.
    case transforms

    init(of type: ResolvedType) {
        if type.compiled is TFMessage.Type {
            self = .transforms
        } else if let header = HeaderShape.firstHeader(type.schema.layout) {
            self = .first(header)
        } else if let field = type.schema.layout.fields.first, case .message(let element) = field.element,
            case .sequence = field.shape, let header = HeaderShape.firstHeader(element)
        {
            self = .inElements(of: field.name, header: header)
        } else {
            self = .none
        }
    }

    /// The name of the first field, where that is a header.
    private static func firstHeader(_ layout: MessageLayout) -> String? {
        guard let field = layout.fields.first, case .single = field.shape, case .message(let type) = field.element
        else { return nil }
        return type.typeName == Header.typeName ? field.name : nil
    }
}
