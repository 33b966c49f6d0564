package import Messages
package import SystemPackage

/// Writes messages into a rosbag2 directory.
///
/// Topics are in the bag from when they are announced, with or without messages, as `ros2 bag record` has it. Errors are
/// `BagError`: `cannotCreate` from `open`, `io` while writing. After an `io` error the sink takes nothing more, and the
/// bag lists what is sound. A message that cannot be encoded is an error of that message alone.
package actor BagSink: MessageSink {
    private let recorder: BagWriter
    /// Reused for every message of a fast bag.
    private var row = BagRow(topic: 0, timeNanoseconds: 0, bytes: [])
    private var timer = CommitTimer()

    /// - Parameter path: the directory to be; `open` creates it.
    package init(_ path: FilePath, options: BagOptions = BagOptions()) {
        recorder = BagWriter(path, options: options, keepsBuffers: true) { _, _, _ in nil }
    }

    /// Creates the directory; more topics may be added later.
    package func open(_ topics: [Topic]) throws(BagError) {
        try recorder.open()
        for topic in topics { try add(topic) }
    }

    /// Announces a topic at any time after `open`; the same one again is no error.
    package func add(_ topic: Topic) throws(BagError) {
        _ = try recorder.add(BagTopic(topic, serialization: recorder.options.serialization))
    }

    package func write(_ message: StampedMessage) throws(BagError) {
        guard let index = recorder.index(of: message.topic.name) else {
            throw .unknownTopic(message.topic.name, reason: "it was not announced")
        }
        try recorder.options.serialization.encode(message.message, topic: message.topic.name, into: &row.bytes)
        row.topic = index
        row.timeNanoseconds = message.timeNanoseconds
        let content = recorder.isLatched(index) ? LatchedRows.Content.message(message.message) : nil
        guard try recorder.take(row, content) || recorder.options.durability == .resilient else { return }
        // The recorder has kept the bytes.
        row.bytes = recorder.takeSpareBuffer()
        timer.start { await self.commit() }
    }

    /// Closes the bag, whether or not the task was cancelled.
    package func finish() throws(BagError) -> SinkReport {
        timer.stop()
        return try recorder.finish()
    }

    package func report() -> SinkReport { recorder.report() }

    private func commit() {
        timer.hasFired()
        // An error is kept, and thrown by the next call.
        guard (try? recorder.commitSettled()) == true else { return }
        timer.start { await self.commit() }
    }
}
