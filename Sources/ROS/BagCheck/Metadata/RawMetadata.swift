/// What metadata.yaml, or the same map elsewhere in a bag, claims; nil for what it does not say.
struct RawMetadata {
    struct Topic {
        var name: String
        var typeName: String?
        var serializationFormat: String?
        var typeHash: String?
        var messageCount: Int64?
    }

    struct File {
        var name: String
        var firstNanoseconds: Int64?
        var durationNanoseconds: Int64?
        var messageCount: Int64?
    }

    var version: Int64?
    var storageIdentifier: String?
    var messageCount: Int64?
    var firstNanoseconds: Int64?
    var durationNanoseconds: Int64?
    var topics: [Topic]
    /// Names without directories, in playing order.
    var paths: [String]
    /// nil where the key is missing.
    var files: [File]?
    var compressionFormat: String?
    /// In lower case: Humble and Jazzy write it in capitals.
    var compressionMode: String?
    var customData: [String: String]

    /// - Parameter map: what is below `rosbag2_bagfile_information`.
    init(_ map: MetadataNode) {
        version = map["version"].integer
        storageIdentifier = map["storage_identifier"].string
        messageCount = map["message_count"].integer
        firstNanoseconds = map["starting_time"]["nanoseconds_since_epoch"].integer
        durationNanoseconds = map["duration"]["nanoseconds"].integer
        topics = map["topics_with_message_count"].elements.compactMap { entry in
            let topic = entry["topic_metadata"]
            guard let name = topic["name"].string else { return nil }
            return Topic(
                name: name,
                typeName: topic["type"].string,
                serializationFormat: topic["serialization_format"].string,
                typeHash: topic["type_description_hash"].string,
                messageCount: entry["message_count"].integer
            )
        }
        paths = map["relative_file_paths"].elements.compactMap { $0.string.map(RawMetadata.lastComponent) }
        files = map["files"].isList ? map["files"].elements.compactMap(RawMetadata.file) : nil
        compressionFormat = map["compression_format"].string
        compressionMode = map["compression_mode"].string?.lowercased()
        customData = map["custom_data"].strings
    }

    private static func file(_ entry: MetadataNode) -> File? {
        guard let path = entry["path"].string else { return nil }
        return File(
            name: lastComponent(path),
            firstNanoseconds: entry["starting_time"]["nanoseconds_since_epoch"].integer,
            durationNanoseconds: entry["duration"]["nanoseconds"].integer,
            messageCount: entry["message_count"].integer
        )
    }

    private static func lastComponent(_ path: String) -> String {
        path.split(separator: "/").last.map { String($0) } ?? path
    }
}
