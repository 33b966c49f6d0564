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

    /// From the definition in the bag, or else from our own of the same name.
    init(of topic: BagTopic) {
        let type = MessageTypes.type(named: topic.typeName)
        if type == TFMessage.self {
            self = .transforms
            return
        }
        let text = topic.definitionEncoding == "ros2msg" ? topic.definitionText : type?.definitionText
        self = text.map { HeaderShape(definition: $0) } ?? .none
    }

    private init(definition: String) {
        let sections = definition.split(separator: "\n" + String(repeating: "=", count: 80))
        guard let root = sections.first, let field = HeaderShape.firstField(root) else {
            self = .none
            return
        }
        if HeaderShape.isHeader(field.type) {
            self = .first
            return
        }
        let element = field.type.prefix { $0 != "[" }
        guard field.type.hasSuffix("[]"),
            let section = sections.dropFirst().first(where: { HeaderShape.defines($0, element) }),
            let inner = HeaderShape.firstField(section), HeaderShape.isHeader(inner.type)
        else {
            self = .none
            return
        }
        self = .inElements(of: String(field.name))
    }

    /// The first line that is neither comment nor constant nor title.
    private static func firstField(_ section: Substring) -> (type: Substring, name: Substring)? {
        for line in section.split(whereSeparator: \.isNewline) {
            let words = line.prefix { $0 != "#" }.split(whereSeparator: \.isWhitespace)
            guard words.count >= 2, words[0] != "MSG:", !words.contains(where: { $0.contains("=") }) else { continue }
            return (words[0], words[1])
        }
        return nil
    }

    private static func isHeader(_ type: Substring) -> Bool {
        ["std_msgs/Header", "std_msgs/msg/Header", "Header"].contains(type)
    }

    /// Whether a section defines a type, which may be named without its package.
    private static func defines(_ section: Substring, _ type: Substring) -> Bool {
        let title = section.split(whereSeparator: \.isNewline).first ?? ""
        guard title.hasPrefix("MSG: ") else { return false }
        let name = title.dropFirst(5).split(separator: "/").last
        return name == type.split(separator: "/").last
    }
}
