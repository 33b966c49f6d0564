/// Rows of a resilient bag that wait a little, so that they come in time order and those of one time, such as an image
/// and its camera_info, become visible together.
package struct PendingRows {
    /// A row with what latched topics keep of it.
    package struct Row {
        package var row: BagRow
        var content: LatchedRows.Content?
        var arrival: ContinuousClock.Instant

        init(_ row: BagRow, _ content: LatchedRows.Content?, arrival: ContinuousClock.Instant) {
            (self.row, self.content, self.arrival) = (row, content, arrival)
        }

        package init(_ row: BagRow, arrival: ContinuousClock.Instant) { self.init(row, nil, arrival: arrival) }
    }

    /// The most bytes that wait; twice as many if they are all of one time.
    static let maximumBytes = 4 << 20
    /// How long the first row of a time waits for others of the same time; with the time between commits less than half a
    /// second.
    private static let partnerTime = Duration.milliseconds(100)
    /// How long a time waits for earlier ones that came after it, as on a connection that was lost: there the newest image
    /// comes first.
    private static let orderTime = Duration.milliseconds(300)

    private var rows: [Row] = []
    private var byteCount = 0

    package init() {}

    var isEmpty: Bool { rows.isEmpty }

    /// Adds a row, and takes what no longer fits, in time order.
    mutating func add(_ row: BagRow, _ content: LatchedRows.Content?) -> [Row] { add(Row(row, content, arrival: .now)) }

    package mutating func add(_ one: Row) -> [Row] {
        let row = one.row
        byteCount += row.bytes.count
        rows.append(one)
        guard byteCount >= Self.maximumBytes else { return [] }
        // Rows of the time at hand may still have partners to come, unless they are all there is.
        let newest = row.timeNanoseconds
        return byteCount < 2 * Self.maximumBytes ? take { $0.row.timeNanoseconds != newest } : takeAll()
    }

    /// Takes the rows of the first times, as far as the first row of each has waited long enough, in time order.
    package mutating func takeSettled(at now: ContinuousClock.Instant = .now) -> [Row] {
        var firstArrivals: [Int64: ContinuousClock.Instant] = [:]
        for one in rows {
            let known = firstArrivals[one.row.timeNanoseconds] ?? one.arrival
            firstArrivals[one.row.timeNanoseconds] = min(known, one.arrival)
        }
        let waits = firstArrivals.map { (time: $0.key, seconds: now - $0.value) }.sorted { $0.time < $1.time }
        let settled = waits.prefix { $0.seconds >= Self.partnerTime }.last?.time
        let overdue = waits.last { $0.seconds >= Self.orderTime }?.time
        guard let end = [settled, overdue].compactMap({ $0 }).max() else { return [] }
        return take { $0.row.timeNanoseconds <= end }
    }

    mutating func takeAll() -> [Row] { take { _ in true } }

    private mutating func take(_ isDue: (Row) -> Bool) -> [Row] {
        let due = rows.filter(isDue)
        rows.removeAll(where: isDue)
        byteCount = rows.reduce(0) { $0 + $1.row.bytes.count }
        let sorted = due.enumerated().sorted {
            ($0.element.row.timeNanoseconds, $0.offset) < ($1.element.row.timeNanoseconds, $1.offset)
        }
        return sorted.map(\.element)
    }
}

/// Memory of large rows that were written, for the next ones: new memory is slow at its first use.
struct SpareBuffers {
    private var buffers: [[UInt8]] = []
    private var byteCount = 0

    mutating func take() -> [UInt8] {
        let buffer = buffers.popLast() ?? []
        byteCount -= buffer.capacity
        return buffer
    }

    mutating func add(_ buffer: [UInt8]) {
        guard buffer.capacity > 1 << 16, byteCount + buffer.capacity <= PendingRows.maximumBytes else { return }
        byteCount += buffer.capacity
        buffers.append(buffer)
    }
}

/// Schedules commits of a resilient bag, so that waiting rows are written even if no further message comes.
struct CommitTimer {
    private var task: Task<Void, Never>?

    /// Runs `commit` after 0.2 s, unless it is already scheduled.
    ///
    /// - Parameter commit: must call `hasFired` first.
    mutating func start(_ commit: @escaping @Sendable () async -> Void) {
        guard task == nil else { return }
        task = Task {
            do { try await Task.sleep(for: maximumPendingTime) } catch { return }
            await commit()
        }
    }

    /// Resets the timer for the next start.
    mutating func hasFired() { task = nil }

    mutating func stop() {
        task?.cancel()
        task = nil
    }
}

/// The time between commits of a resilient bag.
private let maximumPendingTime = Duration.milliseconds(200)
