import Messages
import SystemPackage

/// Takes rows for a bag: counts them, repeats the latched ones where a chunk begins, and lets those of a resilient bag
/// wait a little so that they come in time order and become visible together.
///
/// Owned by one actor, and used only there.
final class BagWriter {
    typealias Restamp = @Sendable (_ topic: BagTopic, _ bytes: [UInt8], _ timeNanoseconds: Int64) -> [UInt8]?

    private struct Channel {
        var topic: BagTopic
        var isLatched: Bool
        var lastTime = Int64.min
    }

    /// A row on its way into a resilient bag, with what latched topics keep of it.
    private struct PendingRow {
        var row: BagRow
        var content: LatchedRows.Content?
        var arrival: ContinuousClock.Instant
    }

    let options: BagOptions
    private let path: FilePath
    private let restamp: Restamp
    private var writer: ChunkSequence?
    private var channels: [Channel] = []
    private var indices: [String: Int] = [:]
    private var latched = LatchedRows()
    private var pending: [PendingRow] = []
    private var pendingBytes = 0
    /// Memory of large rows that were written, for the next ones: new memory is slow at its first use.
    private var spareBuffers: [[UInt8]] = []
    private var spareBytes = 0
    /// Whether `takeSpareBuffer` was called: rows of others have buffers of their own.
    private var keepsBuffers = false
    private var failure: BagError?
    private var unorderedCount = 0
    /// What was written when the writer was closed or gave up.
    private var finalCounts: [(count: Int, bytes: Int)] = []

    init(_ path: FilePath, options: BagOptions, restamp: @escaping Restamp) {
        self.path = path
        self.options = options
        self.restamp = restamp
    }

    func open() throws(BagError) {
        guard writer == nil, failure == nil else { throw .cannotCreate(path, reason: "it is open already") }
        writer = try ChunkSequence(creating: path, options: options)
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
        channels.append(Channel(topic: topic, isLatched: topic.isLatched))
        indices[topic.name] = channels.count - 1
        return channels.count - 1
    }

    /// Takes a row.
    ///
    /// - Parameter content: what late subscribers get; for latched topics only.
    /// - Returns: whether rows wait that `commit` should write soon.
    func take(_ row: BagRow, _ content: LatchedRows.Content?) throws(BagError) -> Bool {
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
        guard options.durability == .resilient else {
            try guarded { writer in try store(row, content, writer) }
            noteOrder(row)
            return false
        }
        if let failure { throw failure }
        noteOrder(row)
        pendingBytes += row.bytes.count
        pending.append(PendingRow(row: row, content: content, arrival: .now))
        guard pendingBytes >= maximumPendingBytes else { return true }
        // Rows of the time at hand may still have partners to come, unless they are all there is.
        let newest = row.timeNanoseconds
        if pendingBytes < 2 * maximumPendingBytes {
            try commit { $0.row.timeNanoseconds != newest }
        } else {
            try commit()
        }
        return !pending.isEmpty
    }

    /// A buffer for the next large row.
    func takeSpareBuffer() -> [UInt8] {
        keepsBuffers = true
        let buffer = spareBuffers.popLast() ?? []
        spareBytes -= buffer.capacity
        return buffer
    }

    /// Writes what has waited long enough for messages of the same time, in time order, and makes it visible.
    ///
    /// An image and its camera_info become visible together: those of one time wait until the first of them has waited for
    /// a while. What is left waits for the next call.
    ///
    /// - Returns: whether rows are left.
    func commitSettled(at now: ContinuousClock.Instant = .now) throws(BagError) -> Bool {
        var firstArrivals: [Int64: ContinuousClock.Instant] = [:]
        for one in pending {
            let known = firstArrivals[one.row.timeNanoseconds] ?? one.arrival
            firstArrivals[one.row.timeNanoseconds] = min(known, one.arrival)
        }
        try commit { one in
            firstArrivals[one.row.timeNanoseconds].map { now - $0 >= partnerTime } ?? true
        }
        return !pending.isEmpty
    }

    /// Writes pending rows in time order, and makes them visible.
    private func commit(_ isDue: (PendingRow) -> Bool = { _ in true }) throws(BagError) {
        let due = pending.filter(isDue)
        guard !due.isEmpty else { return }
        let rows = due.enumerated().sorted {
            ($0.element.row.timeNanoseconds, $0.offset) < ($1.element.row.timeNanoseconds, $1.offset)
        }
        pending.removeAll(where: isDue)
        pendingBytes = pending.reduce(0) { $0 + $1.row.bytes.count }
        try guarded { writer in
            for (_, pendingRow) in rows { try store(pendingRow.row, pendingRow.content, writer) }
            try repeatLatched(writer)
            try writer.publish()
        }
        for (_, pendingRow) in rows { spare(pendingRow.row.bytes) }
    }

    private func spare(_ buffer: [UInt8]) {
        guard keepsBuffers, buffer.capacity > 1 << 16, spareBytes + buffer.capacity <= maximumPendingBytes else {
            return
        }
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
        finalCounts = writer?.given ?? finalCounts
        writer = nil
        return report
    }

    private func noteOrder(_ row: BagRow) {
        if row.timeNanoseconds < channels[row.topic].lastTime {
            unorderedCount += 1
        } else {
            channels[row.topic].lastTime = row.timeNanoseconds
        }
    }

    /// What was written so far; after a failure what the bag lists.
    func report() -> SinkReport {
        var warnings: [String] = []
        if unorderedCount > 0 && options.durability == .fast {
            warnings.append("\(unorderedCount) messages came out of time order")
        }
        if let late = writer?.lateRowCount, late > 0 {
            warnings.append("\(late) messages came after the chunk of their time was closed")
        }
        let counts = writer?.given ?? finalCounts
        let topics = channels.enumerated().map { index, channel in
            let (count, bytes) = counts.indices.contains(index) ? counts[index] : (0, 0)
            return SinkReport.TopicCount(name: channel.topic.name, written: count, bytes: bytes)
        }
        return SinkReport(topics: topics.sorted { $0.name < $1.name }, warnings: warnings)
    }

    // MARK: Chunks

    /// Writes a row, beginning a chunk with all latched messages before it where one is due.
    private func store(_ row: BagRow, _ content: LatchedRows.Content?, _ writer: ChunkSequence) throws {
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
        try writer.write(stored, givenBytes: row.bytes.count)
        if let content { latched.note(content, topic: row.topic) }
    }

    /// Writes the latched messages that the chunk at hand still lacks.
    private func repeatLatched(_ writer: ChunkSequence) throws {
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
            try writer.write(try writer.stored(row), givenBytes: nil)
        }
    }

    /// Runs a step of writing; after its failure nothing more is written, and the bag lists what is sound.
    private func guarded(_ body: (ChunkSequence) throws -> Void) throws(BagError) {
        if let failure { throw failure }
        guard let writer else { throw .cannotCreate(path, reason: "it was not opened, or is closed") }
        do {
            try writing { try body(writer) }
        } catch {
            failure = error
            writer.abandon()
            finalCounts = writer.given
            pending = []
            self.writer = nil
            throw error
        }
    }
}

/// The most bytes that wait in a resilient bag; twice as many if they are all of one time.
private let maximumPendingBytes = 4 << 20

/// How long the first row of a time waits for others of the same time; with the time between commits less than half a
/// second.
private let partnerTime = Duration.milliseconds(100)
