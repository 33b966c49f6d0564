/// A value of a YAML document (YAML 1.2.2, 3.2.1), with copies of the values that aliases stand for.
///
/// Tags are not read: a scalar is text, and whether it is a number is decided by those who want one.
package struct YAMLNode: Hashable, Sendable {
    package enum Content: Hashable, Sendable {
        case scalar(String)
        case sequence([YAMLNode])
        case mapping([Pair])
    }

    package struct Pair: Hashable, Sendable {
        package let key: YAMLNode
        package let value: YAMLNode
    }

    package let content: Content
    /// The line on which the value begins, from 1.
    package let line: Int
    /// libyaml's number of the style in which the value was written; 0 and 1 are those of plain scalars and of blocks.
    let style: UInt32

    /// Parses a text of one document; nil for an empty one.
    ///
    /// - Throws: ``YAMLError`` for a text that is no YAML, or costs far more than its length (``YAMLCost``).
    package static func parse(_ text: String) throws(YAMLError) -> YAMLNode? {
        try YAMLCost.check(text)
        return try YAMLParser.parse(text)
    }

    package var scalar: String? { if case .scalar(let text) = content { text } else { nil } }
    package var sequence: [YAMLNode]? { if case .sequence(let nodes) = content { nodes } else { nil } }
    package var mapping: [Pair]? { if case .mapping(let pairs) = content { pairs } else { nil } }

    /// True for a scalar without quotes that is no block either.
    package var isPlain: Bool { scalar != nil && style <= 1 }

    /// The value of a key; nil where the key is not there, or this is no mapping.
    package subscript(key: String) -> YAMLNode? { mapping?.first { $0.key.scalar == key }?.value }

    /// Values are equal whatever their place and style.
    package static func == (one: YAMLNode, other: YAMLNode) -> Bool { one.content == other.content }

    package func hash(into hasher: inout Hasher) { hasher.combine(content) }
}

/// The reason why a text cannot be read as YAML.
package struct YAMLError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The line of the problem, from 1, where it is in one.
    package var line: Int?
    package var expected = "YAML"
    package var found: String

    package var description: String { (line.map { "line \($0): " } ?? "") + found }
}
