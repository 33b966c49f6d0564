import Bags

/// The claims of metadata.yaml, or of the same map elsewhere in a bag; nil for what it does not say.
struct RawMetadata {
    struct Topic {
        let name: String
        let metadata: MetadataNode
        let messageCount: Int64?

        var typeName: String? { metadata["type"].string }
        var serializationFormat: String? { metadata["serialization_format"].string }
        var typeHash: String? { metadata["type_description_hash"].string }
    }

    /// The map below `rosbag2_bagfile_information`.
    let map: MetadataNode
    let topics: [Topic]
    /// Names without directories, in playing order.
    let paths: [String]
    /// The entries of `files` by name; nil where there is no such list.
    let files: [(name: String, contents: MetadataNode)]?
    let customData: [String: String]

    init(_ map: MetadataNode) {
        self.map = map
        topics = map["topics_with_message_count"].elements.compactMap { entry in
            let metadata = entry["topic_metadata"]
            return metadata["name"].string.map {
                Topic(name: $0, metadata: metadata, messageCount: entry.messageCount)
            }
        }
        paths = map["relative_file_paths"].elements.compactMap(\.fileName)
        let entries = map["files"]
        files = entries.isList ? entries.elements.compactMap { file in file["path"].fileName.map { ($0, file) } } : nil
        let pairs = map["custom_data"].pairs.compactMap { key, value in
            key.flatMap { key in value.string.map { (key, $0) } }
        }
        customData = Dictionary(pairs) { _, last in last }
    }

    var version: Int64? { map["version"].integer }
    var storageIdentifier: String? { map["storage_identifier"].string }
    var compressionFormat: String? { map["compression_format"].string }
    /// In lower case: Humble and Jazzy write it in capitals.
    var compressionMode: String? { map["compression_mode"].string?.lowercased() }
}

extension MetadataNode {
    /// A number without quotes.
    var integer: Int64? { isPlain ? writtenText.flatMap { Int64($0) } : nil }

    // What a bag says of itself as of each of its files.
    var messageCount: Int64? { self["message_count"].integer }
    var firstNanoseconds: Int64? { self["starting_time"]["nanoseconds_since_epoch"].integer }
    var durationNanoseconds: Int64? { self["duration"]["nanoseconds"].integer }

    /// The last component of a path.
    fileprivate var fileName: String? {
        string.map { path in path.split(separator: "/").last.map { String($0) } ?? path }
    }
}
