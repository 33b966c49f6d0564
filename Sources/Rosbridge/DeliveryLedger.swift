package import ROS

/// Knows which messages were sent, which of them are confirmed, and when the next barrier is due.
///
/// A barrier is a service call that the server answers in order: its answer confirms all that was sent before it. What
/// is not confirmed is kept, so that it can be sent again after the connection was lost.
package struct DeliveryLedger: Sendable {
    /// Bytes after which a barrier is due.
    package let windowBytes: Int
    /// How many barriers may be unanswered before sending stops.
    package let maximumBarriers: Int
    /// Nanoseconds after which a barrier is due, however little was sent.
    package let barrierIntervalNanoseconds: Int64

    /// Whether messages are kept until they are confirmed; without, they count as unconfirmed for ever.
    package private(set) var isConfirming: Bool
    package private(set) var countByTopic: [String: SinkReport.TopicCount] = [:]
    package private(set) var sentMessages = 0
    package private(set) var sentBytes = 0
    package private(set) var confirmedMessages = 0

    private var unconfirmed: [Entry] = []
    private var barriers: [Barrier] = []
    private var nextSequence = 0
    private var bytesSinceBarrier = 0
    private var lastBarrierNanoseconds: Int64 = 0

    private struct Entry: Sendable {
        var item: OutgoingQueue.Item
        var sequence: Int
    }

    private struct Barrier: Sendable {
        var id: String
        /// The sequence number of the first message after the barrier.
        var sequence: Int
    }

    package init(
        isConfirming: Bool = true,
        windowBytes: Int = 4_000_000,
        maximumBarriers: Int = 2,
        barrierIntervalNanoseconds: Int64 = 2_000_000_000
    ) {
        self.isConfirming = isConfirming
        self.windowBytes = windowBytes
        self.maximumBarriers = maximumBarriers
        self.barrierIntervalNanoseconds = barrierIntervalNanoseconds
    }

    package var outstandingBarriers: Int { barriers.count }
    package var isWindowFull: Bool { isConfirming && barriers.count >= maximumBarriers }
    package var hasUnconfirmed: Bool { !unconfirmed.isEmpty }
    /// Whether anything was sent after the last barrier.
    package var needsBarrier: Bool { isConfirming && bytesSinceBarrier > 0 }
    /// Grows with what is known to have gone well: with confirmations, or without them with what was sent.
    package var progress: Int { isConfirming ? confirmedMessages : sentMessages }
    package var unconfirmedMessages: Int { sentMessages - confirmedMessages }

    /// Notes that a message went out in `bytes` bytes of JSON.
    package mutating func noteSent(_ item: OutgoingQueue.Item, bytes: Int) {
        let name = item.message.topic.name
        var count = countByTopic[name] ?? SinkReport.TopicCount(name: name)
        count.written += 1
        count.unconfirmed += 1
        count.bytes += bytes
        countByTopic[name] = count
        sentMessages += 1
        sentBytes += bytes
        bytesSinceBarrier += bytes
        if isConfirming { unconfirmed.append(Entry(item: item, sequence: nextSequence)) }
        nextSequence += 1
    }

    /// Whether a barrier should be sent now: the window is used up, or the last one was long ago.
    package func isBarrierDue(nowNanoseconds: Int64) -> Bool {
        guard needsBarrier else { return false }
        return bytesSinceBarrier >= windowBytes
            || (barriers.isEmpty && nowNanoseconds - lastBarrierNanoseconds >= barrierIntervalNanoseconds)
    }

    package mutating func noteBarrier(id: String, nowNanoseconds: Int64) {
        barriers.append(Barrier(id: id, sequence: nextSequence))
        bytesSinceBarrier = 0
        lastBarrierNanoseconds = nowNanoseconds
    }

    /// Confirms what was sent before the barrier; returns false if no such barrier is open.
    package mutating func confirm(id: String) -> Bool {
        guard let index = barriers.firstIndex(where: { $0.id == id }) else { return false }
        let sequence = barriers[index].sequence
        barriers.removeFirst(index + 1)
        let confirmedCount = unconfirmed.firstIndex { $0.sequence >= sequence } ?? unconfirmed.count
        for entry in unconfirmed[..<confirmedCount] {
            countByTopic[entry.item.message.topic.name]?.unconfirmed -= 1
        }
        unconfirmed.removeFirst(confirmedCount)
        confirmedMessages += confirmedCount
        return true
    }

    /// Gives up on barriers, because the server does not answer them.
    package mutating func stopConfirming() {
        isConfirming = false
        unconfirmed = []
        barriers = []
    }

    /// Forgets the connection: returns what has to be sent again, in order, as if it had never been sent.
    package mutating func takeUnconfirmed() -> [OutgoingQueue.Item] {
        let items = unconfirmed.map(\.item)
        for item in items {
            countByTopic[item.message.topic.name]?.written -= 1
            countByTopic[item.message.topic.name]?.unconfirmed -= 1
        }
        sentMessages -= items.count
        unconfirmed = []
        barriers = []
        bytesSinceBarrier = 0
        return items
    }
}
