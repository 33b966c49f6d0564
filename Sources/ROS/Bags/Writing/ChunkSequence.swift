import Platform
import SystemPackage

/// Writes rows into the chunks of a bag, begins new chunks at the limits, and keeps metadata.yaml up to date.
///
/// Chunks do not overlap in time: a chunk begins with a row that is not older than any before it. In a resilient bag
/// the previous chunk stays open for late rows for a while; rows that come even later go into the current chunk and are
/// counted.
final class ChunkSequence {
    /// An open chunk, with the content written so far and the content visible to readers.
    private struct OpenChunk {
        var storage: any ChunkStorage
        var written: ChunkContent
        var published: ChunkContent?

        mutating func write(_ row: BagRow, givenBytes: Int?) throws {
            try storage.write(row)
            written.note(row)
            if let givenBytes { written.noteGiven(row.topic, byteCount: givenBytes) }
        }

        /// Makes the prepared content visible, and notes it as visible.
        mutating func show() throws {
            try storage.show()
            published = written
        }
    }

    private let directory: BagDirectory
    private var options: BagOptions
    private let form: DistributionForm
    /// How long a chunk stays open for late rows after the next one began, in nanoseconds.
    private let patience: Int64
    /// Nil unless each message is compressed on its own.
    private let compressor: ZstandardCompressor?
    private var topics: [BagTopic] = []
    private var closed: [ChunkContent] = []
    private var previous: OpenChunk?
    private var current: OpenChunk?
    private var chunkCount = 0
    /// The number of rows that came after the chunk of their time was closed.
    private(set) var lateRowCount = 0

    init(creating path: FilePath, options: BagOptions) throws(BagError) {
        if let conflict = options.conflict { throw .cannotCreate(path, reason: "\(conflict)") }
        self.options = options
        form = DistributionForm(options.distribution)
        patience = options.durability == .resilient ? 2_000_000_000 : 0
        do {
            compressor =
                options.compressionMode == .message ? try ZstandardCompressor(level: fastZstandardLevel) : nil
        } catch {
            throw .cannotCreate(path, reason: "\(error)")
        }
        directory = try BagDirectory(
            creating: path,
            isLoneFile: options.isLoneFile,
            force: options.force,
            metadata: options.metadata(of: [], topics: [])
        )
    }

    /// Adds to what metadata.yaml says of the recording, from when it is written next.
    func note(_ customData: [String: String]) { options.customData.merge(customData) { $1 } }

    /// Adds a topic to this and all later chunks; rows refer to it by the order of these calls.
    func add(_ topic: BagTopic) throws {
        let shown = form.shown(topic)
        topics.append(shown)
        try previous?.storage.add(shown)
        try current?.storage.add(shown)
    }

    /// The row as it is stored: compressed, if messages are compressed individually.
    func stored(_ row: BagRow) throws -> BagRow {
        guard let compressor else { return row }
        let bytes = try row.bytes.withUnsafeBytes { try compressor.compress($0) }
        return BagRow(topic: row.topic, timeNanoseconds: row.timeNanoseconds, bytes: bytes)
    }

    /// True if a row should begin a chunk of its own.
    func needsChunk(forRowAt time: Int64, byteCount: Int) throws -> Bool {
        guard let current, let times = current.written.times else { return chunkCount == 0 || !options.isLoneFile }
        if options.isLoneFile { return false }
        // An older row never begins a chunk: the two would overlap.
        guard time >= times.last else { return false }
        if let seconds = options.maximumChunkSeconds, Double(time) - Double(times.first) >= seconds * 1e9 {
            return true
        }
        guard let limit = options.maximumChunkBytes else { return false }
        return try current.storage.projectedFileBytes(adding: byteCount) > limit
    }

    /// Opens the next chunk, and closes the previous one unless it stays open for late rows.
    func beginChunk() throws {
        try closePrevious()
        previous = current
        current = nil
        if patience == 0 { try closePrevious() }
        let storage = try options.chunkStorage(in: directory.path, name: directory.name(ofChunk: chunkCount))
        chunkCount += 1
        current = OpenChunk(storage: storage, written: ChunkContent(fileName: storage.fileName))
        for topic in topics { try storage.add(topic) }
    }

    /// Writes a row into the chunk of its time; `beginChunk` must be called before the first row.
    ///
    /// - Parameter givenBytes: The size of the message before compression; nil for a repetition of a latched message.
    func write(_ row: BagRow, givenBytes: Int?) throws {
        let time = row.timeNanoseconds
        if let end = closed.last?.times?.last, time < end { lateRowCount += 1 }
        if previous != nil, let start = current?.written.times?.first, time < start {
            try previous?.write(row, givenBytes: givenBytes)
            return
        }
        try current?.write(row, givenBytes: givenBytes)
        try closePreviousIfDue(at: time)
    }

    /// Writes an attachment or metadata record into the current chunk, or into a first one.
    func writeExtra(_ record: ExtraRecord) throws {
        if chunkCount == 0 { try beginChunk() }
        try current?.storage.writeExtra(record)
    }

    /// The messages and bytes written, by topic, without repetitions.
    ///
    /// After a failure they are those that the bag lists: the others were given up with their chunk.
    var given: [(count: Int, bytes: Int)] {
        var sums = [(count: Int, bytes: Int)](repeating: (0, 0), count: topics.count)
        for chunk in closed + [previous?.written, current?.written].compactMap({ $0 }) {
            for (topic, part) in chunk.given.enumerated() where sums.indices.contains(topic) {
                sums[topic].count += part.count
                sums[topic].bytes += part.bytes
            }
        }
        return sums
    }

    /// Makes all rows so far visible, if the storage can.
    func publish() throws {
        let hasPrevious = try previous?.storage.prepare() == true
        let hasCurrent = try current?.storage.prepare() == true
        guard hasPrevious || hasCurrent else { return }
        // Everything is on the disk before the first rename, so that rows and metadata.yaml change within microseconds.
        let chunks = closed + [previous?.written, current?.written].compactMap { $0 }
        try directory.stageMetadata(options.metadata(of: chunks, topics: topics), synchronized: true)
        if hasPrevious { try previous?.show() }
        if hasCurrent { try current?.show() }
        try directory.showMetadata(flushingFirst: false)
        try previous?.storage.settle()
        try current?.storage.settle()
    }

    /// Closes all chunks; a bag without messages gets an empty chunk with its topics.
    func finish() throws {
        if chunkCount == 0 { try beginChunk() }
        try closePrevious()
        previous = current
        current = nil
        try closePrevious()
    }

    /// Gives up after a failure: removes what is not sound, and writes a metadata.yaml that lists the rest, if there is any.
    func abandon() {
        for chunk in [previous, current] {
            chunk?.storage.discard()
            if let published = chunk?.published { closed.append(published) }
        }
        previous = nil
        current = nil
        if closed.isEmpty { return directory.removeIfNew() }
        try? directory.stageMetadata(options.metadata(of: closed, topics: topics), synchronized: true)
        try? directory.showMetadata(flushingFirst: false)
    }

    private func closePreviousIfDue(at time: Int64) throws {
        guard previous != nil, let start = current?.written.times?.first,
            TimeSpan(first: start, last: time).lengthNanoseconds >= patience
        else { return }
        try closePrevious()
    }

    private func closePrevious() throws {
        guard let chunk = previous else { return }
        try chunk.storage.prepareEnd(metadata: options.metadata(of: [chunk.written], topics: topics))
        let chunks = closed + [chunk.written] + [current?.published].compactMap { $0 }
        try directory.stageMetadata(options.metadata(of: chunks, topics: topics), synchronized: true)
        try previous?.show()
        try directory.showMetadata(flushingFirst: options.durability == .fast)
        try chunk.storage.settle()
        closed.append(chunk.written)
        previous = nil
    }
}

extension BagOptions {
    /// Creates a chunk of the storage and durability in the options; its file name is `name` with the storage's
    /// extension.
    func chunkStorage(in directory: FilePath, name: String) throws -> any ChunkStorage {
        let options = self
        let fileName = name + (storage == .sqlite3 ? ".db3" : ".mcap")
        func create(_ path: FilePath) throws -> any ChunkFile {
            do {
                return switch options.storage {
                case .sqlite3: try SQLiteChunkFile(creating: path, options: options)
                case .mcap: try MCAPChunkFile(creating: path, options: options)
                }
            } catch {
                // No chunk knows of it that would discard it; what was there before is no part of this bag.
                if (error as? FileError)?.errno != .fileExists { try? DurableFiles.remove(path) }
                throw error
            }
        }
        // In a folder of a bag what has the name is a part of the bag that is replaced.
        let isNew = isLoneFile && !force
        if durability == .resilient {
            return try TwinChunk(in: directory, fileName: fileName, isNew: isNew, creating: create)
        }
        return try WholeChunk(
            in: directory,
            plainName: fileName,
            isCompressed: compressionMode == .file,
            isNew: isNew,
            creating: create
        )
    }
}
