package import ROS
package import SystemPackage

/// Writes messages into a rosbag2 directory of .db3 files.
///
/// Topics are in the bag from when they are announced, with or without messages, as `ros2 bag record` has it. Errors are
/// `BagError`: `cannotCreate` from `open`, `io` while writing. After an `io` error the sink takes nothing more, and the
/// bag lists what is sound. A message that cannot be encoded is an error of that message alone.
package actor BagSink: MessageSink {
    /// A message on its way into a resilient bag.
    private struct PendingRow {
        var row: BagRow
        /// Kept for latched topics only.
        var message: (any Message)?
    }

    private struct Channel {
        var topic: Topic
        var written = 0
        var bytes = 0
        var lastTime = Int64.min
    }

    private let path: FilePath
    private let options: BagOptions
    private var writer: BagWriter?
    private var channels: [Channel] = []
    private var indices: [String: Int] = [:]
    private var latched = LatchedMessages()
    /// Reused for every message of a fast bag.
    private var row = BagRow(topic: 0, timeNanoseconds: 0, bytes: [])
    private var pending: [PendingRow] = []
    private var pendingBytes = 0
    private var timer: Task<Void, Never>?
    private var failure: BagError?
    private var unorderedCount = 0

    /// - Parameter path: the directory to be; `open` creates it.
    package init(_ path: FilePath, options: BagOptions = BagOptions()) {
        self.path = path
        self.options = options
    }

    /// Creates the directory; more topics may be added later.
    package func open(_ topics: [Topic]) throws(BagError) {
        guard writer == nil, failure == nil else { throw .cannotCreate(path, reason: "it is open already") }
        writer = try BagWriter(creating: path, options: options)
        for topic in topics { try add(topic) }
    }

    /// Announces a topic at any time after `open`; the same one again is no error.
    package func add(_ topic: Topic) throws(BagError) {
        if let index = indices[topic.name] {
            let known = channels[index].topic
            guard known.typeName == topic.typeName else {
                throw .unknownTopic(
                    topic.name,
                    reason: "expected the type \(known.typeName), found \(topic.typeName)"
                )
            }
            return
        }
        try guarded { writer in
            indices[topic.name] = try writer.add(BagTopic(topic, serialization: options.serialization))
            channels.append(Channel(topic: topic))
        }
    }

    package func write(_ message: StampedMessage) throws(BagError) {
        let time = message.timeNanoseconds
        guard let index = indices[message.topic.name] else {
            throw .unknownTopic(message.topic.name, reason: "it was not announced")
        }
        guard time >= 0 else {
            throw .message(topic: message.topic.name, reason: "expected a time after 1970, found \(time) ns")
        }
        try options.serialization.encode(message.message, topic: message.topic.name, into: &row.bytes)
        row.topic = index
        row.timeNanoseconds = time
        note(row, index)
        let isLatched = channels[index].topic.isLatched
        switch options.durability {
        case .fast:
            try guarded { writer in try store(row, isLatched ? message.message : nil, writer) }
        case .resilient:
            if let failure { throw failure }
            pendingBytes += row.bytes.count
            pending.append(PendingRow(row: row, message: isLatched ? message.message : nil))
            row.bytes = []
            if pendingBytes >= maximumPendingBytes { try commit() } else { startTimer() }
        }
    }

    /// Closes the bag, whether or not the task was cancelled.
    package func finish() throws(BagError) -> SinkReport {
        timer?.cancel()
        timer = nil
        if let failure { throw failure }
        guard writer != nil else { return SinkReport() }
        try commit()
        try guarded { writer in try writer.finish() }
        let report = report()
        writer = nil
        return report
    }

    private func note(_ row: BagRow, _ index: Int) {
        channels[index].written += 1
        channels[index].bytes += row.bytes.count
        if row.timeNanoseconds < channels[index].lastTime { unorderedCount += 1 }
        channels[index].lastTime = max(channels[index].lastTime, row.timeNanoseconds)
    }

    private func report() -> SinkReport {
        var warnings: [String] = []
        if unorderedCount > 0 && options.durability == .fast {
            warnings.append("\(unorderedCount) messages came out of time order")
        }
        if let late = writer?.lateRowCount, late > 0 {
            warnings.append("\(late) messages came after the chunk of their time was closed")
        }
        let topics = channels.map {
            SinkReport.TopicCount(name: $0.topic.name, written: $0.written, bytes: $0.bytes)
        }
        return SinkReport(topics: topics.sorted { $0.name < $1.name }, warnings: warnings)
    }

    // MARK: Chunks

    /// Writes a row, beginning a chunk with all latched messages before it where one is due.
    private func store(_ row: BagRow, _ message: (any Message)?, _ writer: BagWriter) throws {
        if try writer.needsChunk(forRowAt: row.timeNanoseconds, byteCount: row.bytes.count) {
            try writer.beginChunk()
            for (topic, message) in latched.stamped(at: row.timeNanoseconds) {
                var repeated = BagRow(topic: topic, timeNanoseconds: row.timeNanoseconds, bytes: [])
                try options.serialization.encode(
                    message,
                    topic: channels[topic].topic.name,
                    into: &repeated.bytes
                )
                try writer.write(repeated)
            }
        }
        try writer.write(row)
        if let message { latched.note(message, topic: row.topic) }
    }

    /// Writes what is pending in time order, and makes it visible.
    private func commit() throws(BagError) {
        guard !pending.isEmpty else { return }
        let rows = pending.enumerated().sorted {
            ($0.element.row.timeNanoseconds, $0.offset) < ($1.element.row.timeNanoseconds, $1.offset)
        }
        pending.removeAll(keepingCapacity: true)
        pendingBytes = 0
        try guarded { writer in
            for (_, pendingRow) in rows { try store(pendingRow.row, pendingRow.message, writer) }
            try writer.publish()
        }
    }

    /// Commits what is pending soon, even if no further message comes.
    private func startTimer() {
        guard timer == nil else { return }
        timer = Task {
            do { try await Task.sleep(for: maximumPendingTime) } catch { return }
            timer = nil
            // An error is kept, and thrown by the next call.
            try? commit()
        }
    }

    /// Runs a step of writing; after its failure nothing more is written, and the bag lists what is sound.
    private func guarded(_ body: (BagWriter) throws -> Void) throws(BagError) {
        if let failure { throw failure }
        guard let writer else { throw .cannotCreate(path, reason: "it was not opened, or is closed") }
        do {
            try writing { try body(writer) }
        } catch {
            failure = error
            writer.abandon()
            self.writer = nil
            throw error
        }
    }
}

/// The longest that a row of a resilient bag waits, and the most bytes that wait.
private let maximumPendingTime = Duration.milliseconds(200)
private let maximumPendingBytes = 4 << 20
