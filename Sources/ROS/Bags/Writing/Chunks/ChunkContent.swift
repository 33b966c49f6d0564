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
