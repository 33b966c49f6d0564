package import Messages
package import SystemPackage

/// Writes a rosbag2 directory: messages of topics, or rows of topics whose types need not be known.
///
/// Topics are in the bag from when they are announced, with or without messages, as `ros2 bag record` has it. Errors are
/// `BagError`: `cannotCreate` from `open`, `io` while writing. After an `io` error the sink takes nothing more, and the
/// bag lists what is sound. A message that cannot be encoded is an error of that message alone.
///
/// A topic is latched if its QoS says transient local without a short lifespan. Its last message is repeated at the start
/// of each chunk with the time of the chunk.
package actor BagSink: MessageSink {
    private let writer: BagWriter
    /// Of rows with transforms, by topic, so that those that are latched can be merged.
    private var decoders: [Int: RowDecoder] = [:]
    /// Reused for every message of a fast bag.
    private var row = BagRow(topic: 0, timeNanoseconds: 0, bytes: [])
    private var timer = CommitTimer()

    /// - Parameters:
    ///   - path: the directory to be; `open` creates it.
    ///   - restamp: gives the bytes of a row with another time, in nanoseconds since 1970, in its header; nil for one
    ///     that stays as it is.
    package init(
        _ path: FilePath,
        options: BagOptions = BagOptions(),
        restamp: @escaping @Sendable (_ topic: BagTopic, _ bytes: [UInt8], _ timeNanoseconds: Int64) -> [UInt8]? = {
            _,
            _,
            _ in nil
        }
    ) {
        writer = BagWriter(path, options: options, restamp: restamp)
    }

    /// Creates the directory; topics may be added later.
    package func open() throws(BagError) { try writer.open() }

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
        _ = try writer.add(BagTopic(topic, serialization: writer.options.serialization))
    }

    /// Announces a topic of rows at any time after `open`; returns what `BagRow.topic` is for it.
    ///
    /// The same one again is no error and has the same number. Another type under the same name is refused, and so is a
    /// serialization that is not that of the options, as no reader takes a bag of both.
    package func add(_ topic: BagTopic) throws(BagError) -> Int {
        let index = try writer.add(topic)
        if writer.isLatched(index), MessageTypes.type(named: topic.typeName) is TFMessage.Type {
            decoders[index] = RowDecoder(TFMessage.kind, format: topic.serializationFormat)
        }
        return index
    }

    package func write(_ message: StampedMessage) throws(BagError) {
        guard let index = writer.index(of: message.topic.name) else {
            throw .unknownTopic(message.topic.name, reason: "it was not announced")
        }
        try writer.options.serialization.encode(message.message, topic: message.topic.name, into: &row.bytes)
        row.topic = index
        row.timeNanoseconds = message.timeNanoseconds
        let content = writer.isLatched(index) ? LatchedRows.Content.message(message.message) : nil
        guard try writer.take(row, content) || writer.options.durability == .resilient else { return }
        // The writer has kept the bytes.
        row.bytes = writer.takeSpareBuffer()
        startTimer()
    }

    package func write(_ row: BagRow) throws(BagError) {
        let content = writer.isLatched(row.topic) ? content(of: row) : nil
        if try writer.take(row, content) { startTimer() }
    }

    /// Writes several rows at one call, which is faster for small ones.
    package func write(contentsOf rows: [BagRow]) throws(BagError) {
        for row in rows { try write(row) }
    }

    /// Puts what belongs to no topic into a bag of .mcap files, after the rows so far.
    package func enclose(_ enclosure: BagEnclosure) throws(BagError) {
        try writer.enclose(enclosure)
    }

    /// Closes the bag, whether or not the task was cancelled.
    package func finish() throws(BagError) -> SinkReport {
        timer.stop()
        return try writer.finish()
    }

    package func report() -> SinkReport { writer.report() }

    /// What late subscribers get of a row: transforms as such, so that they can be merged.
    private func content(of row: BagRow) -> LatchedRows.Content {
        // A broken message is repeated as it is.
        guard let message = try? decoders[row.topic]?.decode(row.bytes) else { return .bytes(row.bytes) }
        return .message(message)
    }

    private func startTimer() { timer.start { await self.commit() } }

    private func commit() {
        timer.hasFired()
        // An error is kept, and thrown by the next call.
        if (try? writer.commitSettled()) == true { startTimer() }
    }
}
