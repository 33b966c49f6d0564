import YAMLText
import Yams

/// A YAML value, read as leniently or strictly as the caller likes.
struct MetadataNode {
    let node: Node?

    static func parse(_ text: String) throws -> MetadataNode {
        MetadataNode(node: try YAMLText.compose(text))
    }

    subscript(key: String) -> MetadataNode {
        MetadataNode(node: node?.mapping?[key])
    }

    /// Whether the key is there, even with nothing behind it.
    var exists: Bool { node != nil }
    var isMap: Bool { node?.mapping != nil }
    var isList: Bool { node?.sequence != nil }

    /// Nothing, `~` or `null` without quotes.
    var isNull: Bool {
        guard let scalar = node?.scalar else { return node == nil }
        guard scalar.style == .plain || scalar.style == .any else { return false }
        return ["", "~", "null", "Null", "NULL"].contains(scalar.string)
    }

    /// The text of a scalar; empty for null.
    var string: String? {
        guard let scalar = node?.scalar else { return nil }
        return isNull ? "" : scalar.string
    }

    var integer: Int64? {
        guard let scalar = node?.scalar, scalar.style == .plain || scalar.style == .any else { return nil }
        return Int64(scalar.string)
    }

    var elements: [MetadataNode] { node?.sequence?.map { MetadataNode(node: $0) } ?? [] }

    /// The pairs of a map whose keys and values are scalars.
    var strings: [String: String] {
        var result: [String: String] = [:]
        for (key, value) in node?.mapping ?? [:] {
            guard let key = key.scalar?.string, let value = MetadataNode(node: value).string else { continue }
            result[key] = value
        }
        return result
    }
}

extension MetadataNode {
    /// libyaml's complaint, without the text that Yams quotes.
    static func problem(_ error: any Error) -> String {
        if let error = error as? YAMLCostError { return error.found }
        return switch error as? YamlError {
        case .scanner(_, let problem, let mark, _)?, .parser(_, let problem, let mark, _)?,
            .composer(_, let problem, let mark, _)?:
            "\(problem) in line \(mark.line)"
        case .reader(let problem, _, _, _)?: problem
        case .duplicatedKeysInMapping(let keys, _)?: "the key \"\(keys.first ?? "")\" twice"
        default: "no YAML"
        }
    }
}
