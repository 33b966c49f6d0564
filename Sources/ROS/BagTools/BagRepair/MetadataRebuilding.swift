import Bags
import SystemPackage

/// Makes metadata.yaml from the rows.
struct MetadataRebuilding {
    /// The bag's metadata of itself, right or wrong; nil if none of it can be read.
    let stated: BagMetadata?
    private(set) var metadata: BagMetadata
    /// The metadata of each file alone, in the order of the files.
    private(set) var ofFiles: [BagMetadata] = []

    init(
        _ files: inout [RepairedFile],
        stated: BagMetadata?,
        unpacking limit: UnpackLimit
    ) throws(BagError) {
        var stated = stated
        var summaries: [BagSummary] = []
        for index in files.indices {
            let reader = try BagReader(opening: files[index].place, tolerating: [], unpacking: limit)
            let summary = try reader.summary()
            files[index].messageCount = summary.messageCount
            files[index].messageBytes = summary.bytes
            summaries.append(summary)
            if stated == nil, !reader.metadata.distribution.isEmpty { stated = reader.metadata }
        }
        self.stated = stated
        metadata = Self.start(stated, summaries, files)
        for (file, summary) in zip(files, summaries) {
            var own = metadata
            (own.topics, own.files, own.messageCount, own.times) = ([], [], 0, nil)
            own.add(summary, file.name)
            ofFiles.append(own)
            metadata.add(summary, file.name)
        }
        for index in ofFiles.indices { ofFiles[index].addTopics(of: metadata) }
    }

    /// True if what is stated agrees with the rows, but for known habits of recorders: the times of the last file alone, no storage,
    /// each message of a file counted twice.
    var isRight: Bool {
        guard let stated, stated.version > 0 else { return false }
        var listed = stated
        // Before version 5 there is nothing about single files.
        if stated.version < 5 { listed.files = metadata.files }
        let names = stated.files.compactMap { FilePath($0.path).lastComponent?.string }
        return names == metadata.files.map(\.path)
            && [metadata.times, metadata.files.last?.times].contains(listed.times)
            && stated.messageCount == metadata.messageCount
            && ["", metadata.storageIdentifier].contains(stated.storageIdentifier)
            && stated.compressionMode == metadata.compressionMode.lowercased()
            && zip(listed.files, metadata.files).allSatisfy {
                [$1.messageCount, 2 &* $1.messageCount].contains($0.messageCount) && $0.times == $1.times
            }
            && Self.counts(stated) == Self.counts(metadata)
    }

    private static func counts(_ metadata: BagMetadata) -> [String: Int] {
        Dictionary(metadata.topics.map { ("\($0.name) \($0.typeName)", $0.messageCount) }) { $0 + $1 }
    }

    /// All but topics, files, counts and times.
    private static func start(
        _ stated: BagMetadata?,
        _ summaries: [BagSummary],
        _ files: [RepairedFile]
    ) -> BagMetadata {
        let first = summaries.first
        let isOld = first.map { $0.storageIdentifier == "sqlite3" && $0.schemaVersion < 4 } ?? false
        var metadata = BagMetadata(
            // The versions that Humble and every distribution after it read.
            version: stated.map(\.version).flatMap { $0 >= 5 ? $0 : nil } ?? (isOld ? 5 : 8),
            storage: first?.storageIdentifier ?? stated?.storageIdentifier ?? "sqlite3"
        )
        metadata.customData = stated?.customData ?? [:]
        metadata.distribution = stated?.distribution ?? ""
        if files.contains(where: { $0.name.hasSuffix(".zstd") }) {
            (metadata.compressionFormat, metadata.compressionMode) = ("zstd", "FILE")
        } else if summaries.contains(where: { $0.topics.contains { $0.storedBytes != $0.bytes } }) {
            (metadata.compressionFormat, metadata.compressionMode) = ("zstd", "MESSAGE")
        }
        return metadata
    }
}

extension BagMetadata {
    /// The topics of the whole bag, with the counts of this part of it.
    fileprivate mutating func addTopics(of bag: BagMetadata) {
        let counts = Dictionary(topics.map { ($0.name, $0.messageCount) }) { $0 + $1 }
        topics = bag.topics.map { topic in
            var topic = topic
            topic.messageCount = counts[topic.name] ?? 0
            return topic
        }
    }
}
