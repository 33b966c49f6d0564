package import Messages
package import SystemPackage

/// Writes a rosbag2 directory: messages of topics, or rows of topics whose types need not be known.
///
/// A chunk here is one file of the bag (what rosbag2 calls a split), not a Chunk record of MCAP.
///
/// Topics are in the bag from when they are announced, with or without messages, as `ros2 bag record` has it. Errors are
/// `BagError`: `cannotCreate` from `open`, `io` while writing. After an `io` error the sink takes nothing more, and the
/// bag lists what is sound. A message that cannot be encoded is an error of that message alone.
///
/// A topic is latched if its QoS says transient local without a short lifespan. Its last message is repeated at the start
/// of each chunk with the time of the chunk.
package actor BagSink: MessageSink {
    package typealias Restamp = @Sendable (_ topic: BagTopic, _ bytes: [UInt8], _ timeNanoseconds: Int64) -> [UInt8]?

    private struct Channel {
        let topic: BagTopic
        let isLatched: Bool
        /// The decoder for transforms of a latched topic, so that they can be merged.
        var decoder: RowDecoder?
        var lastTime = Int64.min
    }

    private let options: BagOptions
    private let path: FilePath
    private let restamp: Restamp
    private var chunks: ChunkSequence?
    private var channels: [Channel] = []
    private var indices: [String: Int] = [:]
    private var latched = LatchedRows()
    private var pending = PendingRows()
    private var timer = CommitTimer()
    /// Reused for every message of a fast bag.
    private var row = BagRow(topic: 0, timeNanoseconds: 0, bytes: [])
    /// For messages of a resilient bag; rows of others have buffers of their own.
    private var spareBuffers = SpareBuffers()
    private var failure: BagError?
    private var unorderedCount = 0
    /// The counts of written messages and bytes when the bag was closed or given up.
    private var finalCounts: [(count: Int, bytes: Int)] = []

    /// - Parameters:
    ///   - path: the directory to be; `open` creates it.
    ///   - restamp: gives the bytes of a row with another time, in nanoseconds since 1970, in its header; nil for one
    ///     that stays as it is.
    package init(
        _ path: FilePath,
        options: BagOptions = BagOptions(),
        restamp: @escaping Restamp = { _, _, _ in nil }
    ) {
        self.path = path
        self.options = options
        self.restamp = restamp
    }

    /// Creates the directory; topics may be added later.
    package func open() throws(BagError) {
        guard chunks == nil, failure == nil else { throw .cannotCreate(path, reason: "it is open already") }
        chunks = try ChunkSequence(creating: path, options: options)
    }

    /// Adds to what metadata.yaml says of the recording: what is known only once it has begun.
    package func note(_ customData: [String: String]) { chunks?.note(customData) }

    package func open(_ topics: [Topic]) throws(BagError) {
        try open()
        for topic in topics { try add(topic) }
    }

    package func open(_ topics: [BagTopic]) throws(BagError) {
        try open()
        for topic in topics { _ = try add(topic) }
    }

    /// Announces a topic at any time after `open`; the same one again is no error.
    package func add(_ topic: Topic) throws(BagError) {
        _ = try add(BagTopic(topic, serialization: options.serialization))
    }

    /// Announces a topic of rows at any time after `open`; returns what `BagRow.topic` is for it.
    ///
    /// The same one again is no error and has the same number. Another type under the same name is refused, and so is the
    /// other serialization of those that are read, as no reader takes a bag of both.
    package func add(_ topic: BagTopic) throws(BagError) -> Int {
        if let index = indices[topic.name] {
            let known = channels[index].topic.typeName
            guard known == topic.typeName else {
                throw .unknownTopic(topic.name, reason: "expected the type \(known), found \(topic.typeName)")
            }
            return index
        }
        let (format, found) = (options.serialization.rawValue, topic.serializationFormat)
        guard found == format || topic.isOfForeignForm else {
            throw .unknownTopic(topic.name, reason: "expected the serialization \(format), found \(found)")
        }
        try guarded { chunks in try chunks.add(topic) }
        var channel = Channel(topic: topic, isLatched: topic.isLatched)
        if channel.isLatched, MessageTypes.type(named: topic.typeName) is TFMessage.Type {
            channel.decoder = RowDecoder(TFMessage.kind, format: format)
        }
        channels.append(channel)
        indices[topic.name] = channels.count - 1
        return channels.count - 1
    }

    package func write(_ message: StampedMessage) throws(BagError) {
        guard let index = indices[message.topic.name] else {
            throw .unknownTopic(message.topic.name, reason: "it was not announced")
        }
        try options.serialization.encode(message.message, topic: message.topic.name, into: &row.bytes)
        row.topic = index
        row.timeNanoseconds = message.timeNanoseconds
        try take(row, channels[index].isLatched ? .message(message.message) : nil)
        // Rows that wait keep their bytes.
        if options.durability == .resilient { row.bytes = spareBuffers.take() }
    }

    package func write(_ row: BagRow) throws(BagError) {
        guard channels.indices.contains(row.topic) else {
            throw .unknownTopic("number \(row.topic)", reason: "it was not announced")
        }
        try take(row, channels[row.topic].isLatched ? content(of: row) : nil)
    }

    /// Writes several rows at one call, which is faster for small ones.
    package func write(contentsOf rows: [BagRow]) throws(BagError) {
        for row in rows { try write(row) }
    }

    /// Puts what belongs to no topic into a bag of .mcap files, after the rows so far.
    package func writeExtra(_ record: ExtraRecord) throws(BagError) {
        guard options.storage == .mcap else { throw .unsupported(path, what: "an attachment for a .db3 file") }
        try commit(pending.takeAll())
        try guarded { chunks in try chunks.writeExtra(record) }
    }

    /// Closes the bag, whether or not the task was cancelled.
    package func finish() throws(BagError) -> SinkReport {
        timer.stop()
        if let failure { throw failure }
        guard chunks != nil else { return report() }
        try commit(pending.takeAll())
        try guarded { chunks in
            try repeatLatched(chunks)
            try chunks.finish()
        }
        let report = report()
        finalCounts = chunks?.given ?? finalCounts
        chunks = nil
        return report
    }

    /// Ends a bag whose content ended by an error: of a fast one, which can be made again, only whole chunks stay.
    package func giveUp() async {
        guard options.durability == .fast, let chunks else { return }
        chunks.abandon()
        finalCounts = chunks.given
        self.chunks = nil
    }

    package func status() -> SinkStatus? { .bag }

    /// The counts of what was written so far; after a failure, of what the bag lists.
    package func report() -> SinkReport {
        var warnings: [String] = []
        if unorderedCount > 0 && options.durability == .fast {
            warnings.append("\(unorderedCount) messages came out of time order")
        }
        if let late = chunks?.lateRowCount, late > 0 {
            warnings.append("\(late) messages came after the chunk of their time was closed")
        }
        let counts = chunks?.given ?? finalCounts
        let topics = channels.enumerated().map { index, channel in
            let (count, bytes) = counts.indices.contains(index) ? counts[index] : (0, 0)
            return SinkReport.TopicCount(name: channel.topic.name, written: count, bytes: bytes)
        }
        return SinkReport(topics: topics.sorted { $0.name < $1.name }, warnings: warnings)
    }

    /// Writes a row of a known topic, or lets it wait.
    ///
    /// - Parameter content: what late subscribers get; for latched topics only.
    private func take(_ row: BagRow, _ content: LatchedRows.Content?) throws(BagError) {
        let topic = channels[row.topic].topic.name
        guard row.timeNanoseconds >= 0 else {
            throw .message(topic: topic, reason: "expected a time after 1970, found \(row.timeNanoseconds) ns")
        }
        // SQLite's limit, and what rosbag2's reader accepts.
        guard row.bytes.count <= 1_000_000_000 else {
            throw .message(topic: topic, reason: "expected at most 1,000,000,000 bytes, found \(row.bytes.count)")
        }
        guard options.durability == .resilient else {
            try guarded { chunks in try store(row, content, chunks) }
            return noteOrder(row)
        }
        if let failure { throw failure }
        noteOrder(row)
        try commit(pending.add(row, content))
        if !pending.isEmpty { timer.start { await self.commitSettled() } }
    }

    private func noteOrder(_ row: BagRow) {
        if row.timeNanoseconds < channels[row.topic].lastTime {
            unorderedCount += 1
        } else {
            channels[row.topic].lastTime = row.timeNanoseconds
        }
    }

    /// The content of a row for late subscribers: transforms as such, so that they can be merged.
    private func content(of row: BagRow) -> LatchedRows.Content {
        // A broken message is repeated as it is.
        guard let message = try? channels[row.topic].decoder?.decode(row.bytes) else { return .bytes(row.bytes) }
        return .message(message)
    }

    private func commitSettled() {
        timer.hasFired()
        // An error is kept, and thrown by the next call.
        try? commit(pending.takeSettled())
        if failure == nil, !pending.isEmpty { timer.start { await self.commitSettled() } }
    }

    /// Writes rows that waited, and makes them visible.
    private func commit(_ rows: [PendingRows.Row]) throws(BagError) {
        guard !rows.isEmpty else { return }
        try guarded { chunks in
            // What a chunk that begins with latched messages lacks of them comes with its first other row, whenever that
            // is committed.
            for one in rows { try store(one.row, one.content, chunks) }
            try chunks.publish()
        }
        for one in rows { spareBuffers.add(one.row.bytes) }
    }

    /// Writes a row, beginning a chunk with all latched messages before it where one is due.
    private func store(_ row: BagRow, _ content: LatchedRows.Content?, _ chunks: ChunkSequence) throws {
        let stored = try chunks.stored(row)
        if try chunks.needsChunk(forRowAt: row.timeNanoseconds, byteCount: stored.bytes.count) {
            try repeatLatched(chunks)
            try chunks.beginChunk()
            latched.beginChunk(at: row.timeNanoseconds)
        }
        if latched.hasDue {
            let stands = content.map {
                latched.replaces($0, topic: row.topic, timeNanoseconds: row.timeNanoseconds)
            }
            if stands != true { try repeatLatched(chunks) }
        }
        try chunks.write(stored, givenBytes: row.bytes.count)
        if let content { latched.note(content, topic: row.topic) }
    }

    /// Writes the latched messages that the chunk at hand still lacks.
    private func repeatLatched(_ chunks: ChunkSequence) throws {
        guard latched.hasDue else { return }
        let (time, rows) = latched.takeDue()
        for (index, content) in rows {
            let topic = channels[index].topic
            var row = BagRow(topic: index, timeNanoseconds: time, bytes: [])
            switch content {
            case .message(let message):
                let message = message.stamped(nanoseconds: time)
                try options.serialization.encode(message, topic: topic.name, into: &row.bytes)
            case .bytes(let bytes): row.bytes = restamp(topic, bytes, time) ?? bytes
            }
            try chunks.write(try chunks.stored(row), givenBytes: nil)
        }
    }

    /// Runs a step of writing; after its failure nothing more is written, and the bag lists what is sound.
    private func guarded(_ body: (ChunkSequence) throws -> Void) throws(BagError) {
        if let failure { throw failure }
        guard let chunks else { throw .cannotCreate(path, reason: "it was not opened, or is closed") }
        do {
            try writing { try body(chunks) }
        } catch {
            failure = error
            chunks.abandon()
            finalCounts = chunks.given
            pending = PendingRows()
            self.chunks = nil
            throw error
        }
    }
}
