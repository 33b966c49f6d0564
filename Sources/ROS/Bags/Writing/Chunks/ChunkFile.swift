/// A file on disk that takes topics and rows; it is valid only after a commit.
protocol ChunkFile: AnyObject {
    /// Adds a topic; rows refer to it by the order of these calls.
    func add(_ topic: BagTopic) throws
    func insert(_ row: BagRow) throws

    /// Adds an attachment or metadata record; must not be called for a .db3 file.
    func writeExtra(_ record: ExtraRecord) throws

    /// The size of the closed file after a message of `byteCount` more bytes.
    func projectedBytes(adding byteCount: Int) throws -> Int

    /// Makes the file on disk valid.
    func commit() throws

    /// Applies the changes that the twin already has.
    func follow(_ twin: any ChunkFile, _ changes: [ChunkChange]) throws

    /// Writes the end of the file, with its own metadata, and closes it.
    func finish(metadata: BagMetadata) throws
}

extension ChunkFile {
    func writeExtra(_ record: ExtraRecord) throws {}
}

/// The changes of a file since its twin had the same content.
enum ChunkChange {
    case topic(BagTopic)
    case row(BagRow)
}

/// The row counts and the time range of a chunk.
struct ChunkContent {
    let fileName: String
    private(set) var times: TimeSpan?
    private(set) var messageCount = 0
    private var countByTopic: [Int] = []
    /// The given messages by topic, before compression and without repetitions of latched ones.
    private(set) var given: [(count: Int, bytes: Int)] = []

    init(fileName: String) {
        self.fileName = fileName
    }

    mutating func note(_ row: BagRow) {
        times.include(row.timeNanoseconds)
        messageCount += 1
        while countByTopic.count <= row.topic { countByTopic.append(0) }
        countByTopic[row.topic] += 1
    }

    /// Notes a given message, with its size before compression.
    mutating func noteGiven(_ topic: Int, byteCount: Int) {
        while given.count <= topic { given.append((0, 0)) }
        given[topic].count += 1
        given[topic].bytes += byteCount
    }

    func messageCount(ofTopic index: Int) -> Int {
        index < countByTopic.count ? countByTopic[index] : 0
    }

    var record: BagMetadata.FileRecord {
        BagMetadata.FileRecord(path: fileName, times: times, messageCount: messageCount)
    }
}

/// One file of a bag while it is being written, of either storage.
protocol ChunkStorage: AnyObject {
    /// The name that metadata.yaml lists once the file is valid.
    var fileName: String { get }

    /// Adds a topic; rows refer to it by the order of these calls.
    func add(_ topic: BagTopic) throws
    func write(_ row: BagRow) throws

    /// Adds an attachment or metadata record; it is in the file once that is closed.
    func writeExtra(_ record: ExtraRecord) throws

    /// The size of the closed file after a message of `byteCount` more bytes.
    func projectedFileBytes(adding byteCount: Int) throws -> Int

    /// Prepares to show the rows so far; returns false if there are no new ones, or nothing is shown before the end.
    func prepare() throws -> Bool

    /// Finishes the file, with its own metadata; it is on disk then, but not visible yet.
    func prepareEnd(metadata: BagMetadata) throws

    /// Makes the prepared content visible under `fileName`, atomically.
    func show() throws

    /// Completes the work after `prepare` and `show`, while readers already see the result.
    func settle() throws

    /// Discards what is not visible yet, and frees its space.
    func discard()
}
