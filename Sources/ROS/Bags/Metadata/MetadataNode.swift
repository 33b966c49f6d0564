package import Text

/// A YAML value of a bag's metadata, kept with its place whatever it is: who asks judges what is missing or of another form.
package struct MetadataNode {
    /// The keys and numbers that lead to the value within the map of a bag: `files[0].duration.nanoseconds`.
    package let place: String
    /// The beginning of the places of the values in it.
    private let prefix: String
    private let node: YAMLNode?

    /// The keys whose maps have no part in the places.
    private static let wrappers: Set<String> = ["rosbag2_bagfile_information", "topic_metadata"]

    package static func parse(_ text: String) throws(YAMLError) -> MetadataNode {
        MetadataNode(place: "metadata", prefix: "", node: try YAMLNode.parse(text))
    }

    /// The value of a key; one that does not exist where the key is not there, or this is no map.
    package subscript(key: String) -> MetadataNode {
        let place = prefix + key
        let isWrapper = MetadataNode.wrappers.contains(key)
        return MetadataNode(place: place, prefix: isWrapper ? prefix : place + ".", node: node?[key])
    }

    /// The values of a list; none for what is no list.
    package var elements: [MetadataNode] {
        node?.sequence?.enumerated().map { index, node in
            MetadataNode(place: "\(place)[\(index)]", prefix: "\(place)[\(index)].", node: node)
        } ?? []
    }

    /// The pairs of a map, keys of other forms than text left out.
    package var pairs: [(key: String?, value: MetadataNode)] {
        node?.mapping?.map { ($0.key.scalar, MetadataNode(place: place, prefix: prefix, node: $0.value)) } ?? []
    }

    /// True if the key is there, even with nothing behind it.
    package var exists: Bool { node != nil }
    package var isMap: Bool { node?.mapping != nil }
    package var isList: Bool { node?.sequence != nil }

    /// True if this is a scalar without quotes.
    package var isPlain: Bool { node?.isPlain ?? false }

    /// Nothing, `~` or `null` without quotes.
    package var isNull: Bool {
        node == nil || isPlain && ["", "~", "null", "Null", "NULL"].contains(writtenText)
    }

    package var writtenText: String? { node?.scalar }

    /// The text of a scalar; empty for null.
    package var string: String? { exists && isNull ? "" : writtenText }

    /// A list or map as YAML again.
    func yaml() throws(YAMLError) -> String { try node?.text() ?? "" }

    /// The line of the value and what it is, for errors.
    var found: (line: Int?, text: String) {
        let text =
            switch node?.content {
            case .scalar(let text)?: "\"\(text.prefix(40))\""
            case .mapping?: "a map"
            case .sequence?: "a list"
            case nil: "nothing"
            }
        return (node?.line, text)
    }
}
