package import Messages
package import SystemPackage

/// Writes rows of topics whose types need not be known into a rosbag2 directory, as ``BagSink`` writes messages.
///
/// A topic is latched if its QoS says transient local without a short lifespan. What is repeated at the start of a chunk
/// is stamped with the time of the chunk: transforms here, all else by `restamp`.
package actor BagRowSink {
    private let recorder: BagWriter
    private var decoders: [Int: RowDecoder] = [:]
    private var timer = CommitTimer()

    /// - Parameters:
    ///   - path: the directory to be; `open` creates it.
    ///   - restamp: gives the bytes of a message with another time, in nanoseconds since 1970, in its header; nil for a
    ///     message that stays as it is.
    package init(
        _ path: FilePath,
        options: BagOptions = BagOptions(),
        restamp: @escaping @Sendable (_ topic: BagTopic, _ bytes: [UInt8], _ timeNanoseconds: Int64) -> [UInt8]? = {
            _,
            _,
            _ in nil
        }
    ) {
        recorder = BagWriter(path, options: options, restamp: restamp)
    }

    /// Creates the directory; more topics may be added later.
    package func open(_ topics: [BagTopic] = []) throws(BagError) {
        try recorder.open()
        for topic in topics { _ = try add(topic) }
    }

    /// Announces a topic at any time after `open`; returns what `BagRow.topic` is for it.
    ///
    /// The same one again is no error and has the same number. Another type under the same name is refused, and so is a
    /// serialization that is not that of the options, as no reader takes a bag of both.
    package func add(_ topic: BagTopic) throws(BagError) -> Int {
        let index = try recorder.add(topic)
        if recorder.isLatched(index), MessageTypes.type(named: topic.typeName) is TFMessage.Type {
            decoders[index] = RowDecoder(TFMessage.kind, format: topic.serializationFormat)
        }
        return index
    }

    package func write(_ row: BagRow) throws(BagError) {
        let content = recorder.isLatched(row.topic) ? content(of: row) : nil
        if try recorder.take(row, content) { timer.start { await self.commit() } }
    }

    /// Writes several rows at one call, which is faster for small ones.
    package func write(contentsOf rows: [BagRow]) throws(BagError) {
        for row in rows { try write(row) }
    }

    /// Puts what belongs to no topic into a bag of .mcap files, after the rows so far.
    package func enclose(_ enclosure: BagEnclosure) throws(BagError) {
        try recorder.enclose(enclosure)
    }

    /// Closes the bag, whether or not the task was cancelled.
    package func finish() throws(BagError) -> SinkReport {
        timer.stop()
        return try recorder.finish()
    }

    /// What late subscribers get of a row: transforms as such, so that they can be merged.
    private func content(of row: BagRow) -> LatchedRows.Content {
        // A broken message is repeated as it is.
        guard let message = try? decoders[row.topic]?.decode(row.bytes) else { return .bytes(row.bytes) }
        return .message(message)
    }

    private func commit() {
        timer.hasFired()
        // An error is kept, and thrown by the next call.
        guard (try? recorder.commitSettled()) == true else { return }
        timer.start { await self.commit() }
    }
}
