import ROS
import SystemPackage

/// Takes rows for a bag: counts them, repeats the latched ones where a chunk begins, and lets those of a resilient bag
/// wait a little so that they come in time order and become visible together.
///
/// Belongs to one actor, and is used by nobody else.
final class BagRecorder {
    typealias Restamp = @Sendable (_ topic: BagTopic, _ bytes: [UInt8], _ timeNanoseconds: Int64) -> [UInt8]?

    private struct Channel {
        var topic: BagTopic
        var isLatched: Bool
        var written = 0
        var bytes = 0
        var lastTime = Int64.min
    }

    /// A row on its way into a resilient bag, with what latched topics keep of it.
    private struct PendingRow {
        var row: BagRow
        var content: LatchedRows.Content?
    }

    let options: BagOptions
    private let path: FilePath
    private let restamp: Restamp
    private var writer: BagWriter?
    private var channels: [Channel] = []
    private var indices: [String: Int] = [:]
    private var latched = LatchedRows()
    private var pending: [PendingRow] = []
    private var pendingBytes = 0
    /// Memory of large rows that were written, for the next ones: new memory is slow at its first use.
    private var spareBuffers: [[UInt8]] = []
    private var spareBytes = 0
    private var failure: BagError?
    private var unorderedCount = 0

    init(_ path: FilePath, options: BagOptions, restamp: @escaping Restamp) {
        self.path = path
        self.options = options
        self.restamp = restamp
    }

    func open() throws(BagError) {
        guard writer == nil, failure == nil else { throw .cannotCreate(path, reason: "it is open already") }
        writer = try BagWriter(creating: path, options: options)
    }

    func index(of name: String) -> Int? { indices[name] }

    /// False for a topic that was never announced, too.
    func isLatched(_ topic: Int) -> Bool { channels.indices.contains(topic) && channels[topic].isLatched }

    /// Announces a topic; the same one again is no error and has the same index.
    func add(_ topic: BagTopic) throws(BagError) -> Int {
        if let index = indices[topic.name] {
            let known = channels[index].topic
            guard known.typeName == topic.typeName else {
                throw .unknownTopic(
                    topic.name,
                    reason: "expected the type \(known.typeName), found \(topic.typeName)"
                )
            }
            return index
        }
        let format = options.serialization.rawValue
        guard topic.serializationFormat == format else {
            let found = topic.serializationFormat
            throw .unknownTopic(topic.name, reason: "expected the serialization \(format), found \(found)")
        }
        try guarded { writer in try writer.add(topic) }
        channels.append(
            Channel(topic: topic, isLatched: topic.isLatched)
        )
        indices[topic.name] = channels.count - 1
        return channels.count - 1
    }

    /// Takes a row; of a resilient bag it may take the bytes too, and leave others.
    ///
    /// - Parameter content: what late subscribers get; for latched topics only.
    /// - Returns: whether rows wait that `commit` should write soon.
    func take(_ row: inout BagRow, _ content: LatchedRows.Content?) throws(BagError) -> Bool {
        guard channels.indices.contains(row.topic) else {
            throw .unknownTopic("number \(row.topic)", reason: "it was not announced")
        }
        guard row.timeNanoseconds >= 0 else {
            throw .message(
                topic: channels[row.topic].topic.name,
                reason: "expected a time after 1970, found \(row.timeNanoseconds) ns"
            )
        }
        // SQLite's limit, and what rosbag2's reader accepts.
        guard row.bytes.count <= 1_000_000_000 else {
            throw .message(
                topic: channels[row.topic].topic.name,
                reason: "expected at most 1,000,000,000 bytes, found \(row.bytes.count)"
            )
        }
        note(row)
        guard options.durability == .resilient else {
            try guarded { writer in try store(row, content, writer) }
            return false
        }
        if let failure { throw failure }
        pendingBytes += row.bytes.count
        pending.append(PendingRow(row: row, content: content))
        row.bytes = spareBuffers.popLast() ?? []
        spareBytes -= row.bytes.capacity
        guard pendingBytes < maximumPendingBytes else {
            try commit()
            return false
        }
        return true
    }

    /// Writes what is pending in time order, and makes it visible.
    func commit() throws(BagError) {
        guard !pending.isEmpty else { return }
        let rows = pending.enumerated().sorted {
            ($0.element.row.timeNanoseconds, $0.offset) < ($1.element.row.timeNanoseconds, $1.offset)
        }
        pending.removeAll(keepingCapacity: true)
        pendingBytes = 0
        try guarded { writer in
            for (_, pendingRow) in rows { try store(pendingRow.row, pendingRow.content, writer) }
            try repeatLatched(writer)
            try writer.publish()
        }
        for (_, pendingRow) in rows { spare(pendingRow.row.bytes) }
    }

    private func spare(_ buffer: [UInt8]) {
        guard buffer.capacity > 1 << 16, spareBytes + buffer.capacity <= maximumPendingBytes else { return }
        spareBytes += buffer.capacity
        spareBuffers.append(buffer)
    }

    /// Puts what belongs to no topic into the bag, after the rows so far.
    func enclose(_ enclosure: BagEnclosure) throws(BagError) {
        guard options.storage == .mcap else { throw .unsupported(path, what: "an attachment for a .db3 file") }
        try commit()
        try guarded { writer in try writer.enclose(enclosure) }
    }

    /// Closes the bag.
    func finish() throws(BagError) -> SinkReport {
        if let failure { throw failure }
        guard writer != nil else { return SinkReport() }
        try commit()
        try guarded { writer in
            try repeatLatched(writer)
            try writer.finish()
        }
        let report = report()
        writer = nil
        return report
    }

    private func note(_ row: BagRow) {
        channels[row.topic].written += 1
        channels[row.topic].bytes += row.bytes.count
        if row.timeNanoseconds < channels[row.topic].lastTime {
            unorderedCount += 1
        } else {
            channels[row.topic].lastTime = row.timeNanoseconds
        }
    }

    /// What was written so far.
    func report() -> SinkReport {
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
    private func store(_ row: BagRow, _ content: LatchedRows.Content?, _ writer: BagWriter) throws {
        let stored = try writer.stored(row)
        if try writer.needsChunk(forRowAt: row.timeNanoseconds, byteCount: stored.bytes.count) {
            try repeatLatched(writer)
            try writer.beginChunk()
            latched.beginChunk(at: row.timeNanoseconds)
        }
        if latched.hasDue {
            let stands =
                content.map {
                    latched.replaces($0, topic: row.topic, timeNanoseconds: row.timeNanoseconds)
                } ?? false
            if !stands { try repeatLatched(writer) }
        }
        try writer.write(stored)
        if let content { latched.note(content, topic: row.topic) }
    }

    /// Writes the latched messages that the chunk at hand still lacks.
    private func repeatLatched(_ writer: BagWriter) throws {
        guard latched.hasDue else { return }
        let (time, rows) = latched.takeDue()
        for (topic, content) in rows {
            var row = BagRow(topic: topic, timeNanoseconds: time, bytes: [])
            switch content {
            case .message(let message):
                try options.serialization.encode(
                    message.stamped(nanoseconds: time),
                    topic: channels[topic].topic.name,
                    into: &row.bytes
                )
            case .bytes(let bytes): row.bytes = restamp(channels[topic].topic, bytes, time) ?? bytes
            }
            try writer.write(try writer.stored(row))
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

/// The most bytes that wait in a resilient bag.
private let maximumPendingBytes = 4 << 20
