import DynamicMessages
import ROS

/// Where the messages of a topic have their std_msgs/Header, by the definition of their type.
enum HeaderShape: Equatable {
    case none
    /// It is the first field.
    case first
    /// The first field is a sequence of messages that begin with it; the name of that field.
    case inElements(of: String)
    /// tf2_msgs/TFMessage.
    case transforms

    init(of type: ResolvedType) {
        if type.compiled is TFMessage.Type {
            self = .transforms
        } else if HeaderShape.beginsWithHeader(type.schema.layout) {
            self = .first
        } else if let field = type.schema.layout.fields.first, case .message(let element) = field.element,
            case .sequence = field.shape, HeaderShape.beginsWithHeader(element)
        {
            self = .inElements(of: field.name)
        } else {
            self = .none
        }
    }

    private static func beginsWithHeader(_ layout: MessageLayout) -> Bool {
        guard let field = layout.fields.first, case .single = field.shape, case .message(let type) = field.element
        else { return false }
        return type.typeName == Header.typeName
    }
}
