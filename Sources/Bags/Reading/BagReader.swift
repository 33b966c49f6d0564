import Containers
import Glibc
package import SystemPackage

/// A rosbag2 bag that is read: a directory with metadata.yaml, or one .db3 file alone.
///
/// Opening reads metadata.yaml and the tables of topics, not the messages.
package struct BagReader: Sendable {
    package let path: FilePath
    /// metadata.yaml, or for a lone file what its tables say (counts and times left out).
    package let metadata: BagMetadata
    /// Storage files in playing order.
    package let files: [FilePath]
    /// Every topic of the tables, in order of first appearance; `BagRow.topic` is an index into it.
    package let topics: [BagTopic]
    /// What is odd but does not stop reading, such as a chunk that was not finished.
    package let warnings: [String]
    /// The schema version of the .db3 files; the lowest if they differ.
    package let schemaVersion: Int

    package init(opening path: FilePath) throws(BagError) {
        self.path = path
        let source = try BagSource(path)
        files = source.files
        var topics: [BagTopic] = []
        var schemaVersion = Int.max
        for file in source.files {
            let chunk = try ChunkReader(opening: file)
            schemaVersion = min(schemaVersion, chunk.schemaVersion)
            for topic in chunk.topics.values.sorted(by: { $0.identifier < $1.identifier })
            where !topics.contains(where: { $0.name == topic.topic.name && $0.typeName == topic.topic.typeName }) {
                topics.append(topic.topic)
            }
        }
        self.topics = topics
        self.schemaVersion = schemaVersion == Int.max ? 0 : schemaVersion
        metadata = source.metadata ?? BagReader.metadata(ofLone: source.files, topics: topics)
        warnings = source.warnings + BagReader.disagreements(metadata, topics)
    }

    /// Whether the path looks like a bag: a .db3 file, or a directory with a metadata.yaml or a .db3 file in it.
    package static func looksLikeBag(_ path: FilePath) -> Bool {
        let name = path.lastComponent?.string ?? ""
        if isRegularFile(path) {
            return name.hasSuffix(".db3") || name.hasSuffix(".db3" + partSuffix)
        }
        guard let names = try? directoryEntries(path) else { return false }
        if isRegularFile(path.appending(metadataFileName)) {
            let text = try? readTextFile(path.appending(metadataFileName))
            return text?.contains("rosbag2_bagfile_information") ?? false
        }
        return names.contains { $0.hasSuffix(".db3") }
    }

    /// The rows of the wanted topics and times, in time order over all files.
    package func rows(_ query: BagQuery = BagQuery()) throws(BagError) -> BagRowCursor {
        try BagRowCursor(files: files, topics: topics, query: query)
    }

    private static func metadata(ofLone files: [FilePath], topics: [BagTopic]) -> BagMetadata {
        BagMetadata(
            version: 0,
            storageIdentifier: "sqlite3",
            topics: topics.map { $0.record(messageCount: 0) },
            files: files.map { BagMetadata.FileRecord(path: $0.lastComponent?.string ?? $0.string) }
        )
    }

    private static func disagreements(_ metadata: BagMetadata, _ topics: [BagTopic]) -> [String] {
        metadata.topics.compactMap { record in
            guard let stored = topics.first(where: { $0.name == record.name }) else {
                return record.messageCount == 0
                    ? nil : "\(metadataFileName) lists \(record.name), which no file has"
            }
            guard stored.typeName != record.typeName else { return nil }
            return "\(record.name) is \(record.typeName) in \(metadataFileName), \(stored.typeName) in the files"
        }
    }
}

/// Which rows are wanted.
package struct BagQuery: Sendable, Hashable {
    /// Names of topics; nil for all.
    package var topics: Set<String>?
    /// The first time that is wanted, in nanoseconds since 1970.
    package var first: Int64
    /// The last time that is wanted.
    package var last: Int64

    package init(topics: Set<String>? = nil, first: Int64 = .min, last: Int64 = .max) {
        self.topics = topics
        self.first = first
        self.last = last
    }
}
