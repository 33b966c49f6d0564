import Platform
package import SystemPackage

/// A rosbag2 bag that is read: a directory, with metadata.yaml or without, or one storage file alone.
///
/// Storage files are .db3 of any schema version and .mcap of any layout, plain, as .zstd, or with each message
/// compressed. Opening reads metadata.yaml and what the files say of their topics and times, not the messages.
package struct BagReader: Sendable {
    package let path: FilePath
    /// metadata.yaml; without one what the files say of themselves (counts and times left out).
    package let metadata: BagMetadata
    /// True if there is a metadata.yaml, and it can be read.
    package let hasMetadataFile: Bool
    /// Storage files in playing order.
    package let storageFiles: [BagFile]
    /// Every topic of the files, in order of first appearance; `BagRow.topic` is an index into it.
    package let topics: [BagTopic]
    /// The oddities that do not stop reading, such as a chunk that was not finished.
    package let warnings: [String]
    /// The problems that the tolerance passed over: files that cannot be opened.
    package let problems: [BagError]
    package let tolerance: BagTolerance
    /// True if metadata.yaml counts the messages; one without files was written by a recorder that never ended.
    let hasCounts: Bool

    /// Opens a bag, passing over what the tolerance says.
    ///
    /// - Parameter limit: How large a compressed file may become.
    package init(
        opening path: FilePath,
        tolerating tolerance: BagTolerance = [],
        unpacking limit: UnpackLimit = UnpackLimit()
    ) throws(BagError) {
        self.path = path
        self.tolerance = tolerance
        let source = try BagSource(path, tolerating: tolerance)
        var (topics, warnings, problems) = (TopicList(), [String](), [BagError]())
        var files: [BagFile] = []
        for file in source.files {
            do {
                let compression = source.messageCompression
                files.append(
                    try BagFile(
                        file,
                        messages: compression,
                        tolerating: tolerance,
                        unpacking: limit,
                        topics: &topics,
                        warnings: &warnings
                    )
                )
            } catch {
                guard tolerance.contains(.damage) else { throw error }
                problems.append(error)
            }
        }
        if let metadata = source.metadata { topics.complete(from: metadata) }
        topics.settleEditions()
        storageFiles = files
        self.topics = topics.topics
        self.problems = problems
        hasMetadataFile = source.metadata != nil
        metadata = source.metadata ?? BagReader.metadata(of: files, topics)
        hasCounts = source.metadata != nil && source.isListed
        let shortfall = source.metadata == nil ? BagReader.shortfall(of: files, topics.ownMetadata) : nil
        self.warnings =
            source.warnings + warnings + BagReader.disagreements(metadata, topics.topics)
            + [shortfall].compactMap(\.self)
    }

    /// Paths of the storage files in playing order.
    package var files: [FilePath] { storageFiles.map(\.path) }

    /// The schema version of the .db3 files, the lowest if they differ; 0 for other forms.
    package var schemaVersion: Int { storageFiles.map(\.schemaVersion).min() ?? 0 }

    /// True if the path looks like a bag, sound or not: a storage file, the metadata.yaml of a bag, or a directory with
    /// one of them in it.
    package static func looksLikeBag(_ path: FilePath) -> Bool {
        let name = path.lastComponent?.string ?? ""
        if isRegularFile(path) {
            return FileKind.isStorageName(name) || FileKind.isUnfinishedName(name) || FileKind(of: path) == .mcap
                || isMetadataFile(path)
        }
        guard let names = try? directoryEntries(path) else { return false }
        return names.contains { FileKind.isStorageName($0) || FileKind.isUnfinishedName($0) }
            || isMetadataFile(path.appending(metadataFileName))
    }

    /// The rows of the wanted topics and times, in time order over all files.
    ///
    /// - Parameter tolerance: The tolerance of this reading; nil for the one of the opening.
    package func rows(
        _ query: BagQuery = BagQuery(),
        tolerating tolerance: BagTolerance? = nil
    ) throws(BagError) -> BagRowCursor {
        BagRowCursor(RowMerger(self, query: query, wantedBytes: nil, tolerance: tolerance))
    }

    /// The same rows, where what is damaged on the way is passed over and counted.
    package func rowsPassingDamage(_ query: BagQuery = BagQuery()) throws(BagError) -> BagRowCursor {
        try rows(query, tolerating: tolerance.union(.damage))
    }

    /// The same rows without their messages, which stay on disk.
    package func rowTimes(
        _ query: BagQuery = BagQuery(),
        tolerating tolerance: BagTolerance? = nil
    ) throws(BagError) -> BagRowCursor {
        let none = [Int](repeating: 0, count: topics.count)
        return BagRowCursor(RowMerger(self, query: query, wantedBytes: none, tolerance: tolerance))
    }

    /// The times of the earliest and the latest row of any topic; nil for a bag without rows.
    package var times: TimeSpan? {
        storageFiles.compactMap(\.times).reduce(into: nil) { all, times in
            all.include(times.first)
            all.include(times.last)
        }
    }

    private static func isMetadataFile(_ path: FilePath) -> Bool {
        guard path.lastComponent?.string == metadataFileName, isRegularFile(path) else { return false }
        return (try? readTextFile(path))?.contains("rosbag2_bagfile_information") ?? false
    }

    private static func metadata(of files: [BagFile], _ topics: TopicList) -> BagMetadata {
        BagMetadata(
            version: 0,
            storageIdentifier: files.first?.storageIdentifier ?? "",
            topics: topics.topics.map { $0.record(messageCount: 0) },
            files: files.map { BagMetadata.FileRecord(path: $0.path.lastComponent?.string ?? $0.path.string) },
            customData: topics.ownMetadata?.customData ?? [:],
            distribution: topics.ownMetadata?.distribution ?? ""
        )
    }

    /// Where the one file of a bag without metadata.yaml counts more messages in its own metadata than it has.
    private static func shortfall(of files: [BagFile], _ own: BagMetadata?) -> String? {
        guard files.count == 1, let census = files.first?.census, census.isComplete, let own, own.files.count == 1,
            own.messageCount > census.total
        else { return nil }
        return "the file's own metadata counts \(own.messageCount) messages in it, it has \(census.total)"
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

/// The rows of a bag in time order over all its files; one message of each file that is open is in memory.
package final class BagRowCursor {
    private let rows: RowMerger

    init(_ rows: RowMerger) {
        self.rows = rows
    }

    /// The problems passed over so far: places where the rest of a file, or a part of it, was unreadable.
    package var problems: [BagError] { rows.problems }

    /// How many messages are known to be missing of those that were asked for, so far.
    package var missingCount: Int { rows.missingCount }

    package func next() throws(BagError) -> BagRow? { try nextPlaced()?.row }

    /// The next row and where it lies, or nil at the end.
    package func nextPlaced() throws(BagError) -> PlacedRow? {
        guard let row = try rows.next() else { return nil }
        return PlacedRow(
            row: BagRow(topic: row.topic, timeNanoseconds: row.stored.time, bytes: row.stored.bytes),
            place: RowPlace(file: Int32(clamping: row.file), stored: row.stored.place)
        )
    }
}
