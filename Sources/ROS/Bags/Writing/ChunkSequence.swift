import Containers
import SystemPackage

/// Writes rows into the chunks of a bag, begins a new one where the options say so, and keeps metadata.yaml true.
///
/// Chunks do not overlap in time: a chunk begins with a row that is not older than any before it. Rows that come late
/// still find the chunk before open for a while, where the options ask for durability; what comes later than that is
/// kept in the chunk at hand and counted.
final class ChunkSequence {
    /// A chunk that takes rows, with what was written and what readers may know of.
    private struct OpenChunk {
        var storage: any ChunkStorage
        var written: ChunkContent
        var published: ChunkContent?

        mutating func write(_ row: BagRow, givenBytes: Int?) throws {
            try storage.write(row)
            written.note(row)
            if let givenBytes { written.noteGiven(row.topic, byteCount: givenBytes) }
        }

        /// Makes what was prepared visible, and remembers that readers may know it.
        mutating func show() throws {
            try storage.show()
            published = written
        }
    }

    private let directory: BagDirectory
    private let options: BagOptions
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
    /// Rows that are older than the end of a chunk that was closed before they came.
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
            force: options.force,
            metadata: options.metadata(of: [], topics: [])
        )
    }

    /// Makes a topic known to all chunks from now on; rows refer to it by its place in the order of these calls.
    func add(_ topic: BagTopic) throws {
        let shown = form.shown(topic)
        topics.append(shown)
        try previous?.storage.add(shown)
        try current?.storage.add(shown)
    }

    /// The row as it stands in the bag: compressed, where messages are.
    func stored(_ row: BagRow) throws -> BagRow {
        guard let compressor else { return row }
        let bytes = try row.bytes.withUnsafeBytes { try compressor.compress($0) }
        return BagRow(topic: row.topic, timeNanoseconds: row.timeNanoseconds, bytes: bytes)
    }

    /// Whether a row should begin a chunk of its own.
    func needsChunk(forRowAt time: Int64, byteCount: Int) throws -> Bool {
        guard let current, let times = current.written.times else { return true }
        // An older row never begins a chunk: the two would overlap.
        guard time >= times.last else { return false }
        if let seconds = options.maximumChunkSeconds, Double(time) - Double(times.first) >= seconds * 1e9 {
            return true
        }
        guard let limit = options.maximumChunkBytes else { return false }
        return try current.storage.projectedFileBytes(adding: byteCount) > limit
    }

    /// Opens the next chunk, and closes the one before unless it still waits for late rows.
    func beginChunk() throws {
        try closePrevious()
        previous = current
        current = nil
        if patience == 0 { try closePrevious() }
        let storage = try options.chunkStorage(in: directory.path, name: "\(directory.name)_\(chunkCount)")
        chunkCount += 1
        current = OpenChunk(storage: storage, written: ChunkContent(fileName: storage.fileName))
        for topic in topics { try storage.add(topic) }
    }

    /// Writes a row into the chunk that its time belongs to; `beginChunk` was called before the first.
    ///
    /// - Parameter givenBytes: The size of the message as the bag was given it; nil for what is repeated.
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

    /// Puts what belongs to no topic into the chunk at hand, or into a first one.
    func enclose(_ enclosure: BagEnclosure) throws {
        if chunkCount == 0 { try beginChunk() }
        try current?.storage.enclose(enclosure)
    }

    /// How many messages of each topic were given and are written, and their bytes.
    ///
    /// After a failure only those that the bag lists: the others were given up with their chunk.
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

    /// Makes all rows so far visible, if the durability is such.
    func publish() throws {
        let hasPrevious = try previous?.storage.prepare() ?? false
        let hasCurrent = try current?.storage.prepare() ?? false
        guard hasPrevious || hasCurrent else { return }
        // All is written before the first rename, so that rows and metadata.yaml change within microseconds.
        let chunks = closed + [previous?.written, current?.written].compactMap { $0 }
        try directory.stageMetadata(options.metadata(of: chunks, topics: topics), synchronized: false)
        if hasPrevious { try previous?.show() }
        if hasCurrent { try current?.show() }
        try directory.showMetadata(synchronized: false)
        try previous?.storage.settle()
        try current?.storage.settle()
    }

    /// Closes all chunks; a bag without messages gets an empty one, so that it has its topics.
    func finish() throws {
        if chunkCount == 0 { try beginChunk() }
        try closePrevious()
        previous = current
        current = nil
        try closePrevious()
    }

    /// After a failure: gives up what is not sound, and leaves a metadata.yaml that lists what is.
    func abandon() {
        for chunk in [previous, current] {
            chunk?.storage.discard()
            if let published = chunk?.published { closed.append(published) }
        }
        previous = nil
        current = nil
        try? directory.stageMetadata(options.metadata(of: closed, topics: topics), synchronized: true)
        try? directory.showMetadata(synchronized: true)
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
        try directory.showMetadata(synchronized: true)
        try chunk.storage.settle()
        closed.append(chunk.written)
        previous = nil
    }
}
