package import Messages
import NIOCore

/// Tracks which messages were sent and which of them are confirmed, and decides when a barrier is due.
///
/// A barrier is a service call that the server answers in order: its answer confirms everything sent before it.
/// Unconfirmed messages are kept, to be sent again after a lost connection, and so are those that were confirmed
/// shortly before (``ResendWindow``).
package struct AckTracker: Sendable {
    /// The maximum of bytes between barriers; a ``ConfirmationWindow`` finds out the actual distance.
    package let windowBytes: Int
    /// The number of unanswered barriers at which sending stops.
    package let maximumBarriers: Int
    /// The maximum number of connections over which a message is confirmed: if no connection lasts, sending has to make
    /// progress all the same.
    package static let maximumConfirmations = 1000
    /// The time in nanoseconds after which a barrier is due, however little was sent.
    package let barrierIntervalNanoseconds: Int64

    /// True if barriers are used and messages are kept until confirmed; otherwise they stay unconfirmed.
    package private(set) var isConfirming: Bool
    /// True if the server has ever answered a barrier.
    package private(set) var hasBeenAnswered = false
    package private(set) var countByTopic: [String: SinkReport.TopicCount] = [:]
    package private(set) var sentMessages = 0
    package private(set) var sentBytes = 0
    package private(set) var confirmedMessages = 0
    /// The messages that were sent again, and those of them that had been confirmed before.
    package private(set) var resentMessages = 0
    package private(set) var resentAfterConfirmation = 0

    private let timeoutNanoseconds: Int64
    private var window: ConfirmationWindow
    private var unconfirmed: CircularBuffer<Entry> = []
    private var resend: ResendWindow
    /// The number of confirmations; a message that was confirmed twice counts twice.
    private var confirmations = 0
    private var barriers: [Barrier] = []
    /// Messages by topic that were sent without being kept; a later answer on the same connection confirms them, too.
    private var unkept: [String: Int] = [:]
    private var abandonedBarrierIDs: Set<String> = []
    private var nextSequence = 0
    private var bytesSinceBarrier = 0
    private var messagesSinceBarrier = 0
    private var lastBarrierNanoseconds: Int64 = 0
    private var lastAnswerNanoseconds: Int64 = 0

    /// The result of a lost connection.
    package struct Lost: Sendable {
        /// The messages to send again, in order.
        package var items: [OutgoingQueue.Item]
        /// The number of these that had been confirmed.
        package var confirmed: Int
        /// The number of confirmed messages that may be lost and are not sent again, because there was no room to keep
        /// them or they were confirmed too often.
        package var forgotten: Int
    }

    struct Entry: Sendable {
        var item: OutgoingQueue.Item
        var sequence: Int
        var thinning: CloudThinning?
    }

    private struct Barrier: Sendable {
        var id: String
        /// The sequence number of the first message after the barrier.
        var sequence: Int
        /// The time before the barrier was sent: an answer shows that the server was alive then.
        var begunNanoseconds: Int64
        var sentNanoseconds: Int64
        var bytes: Int
        var messages: Int
    }

    /// - Parameters:
    ///   - timeoutNanoseconds: the silence after which the publisher takes the server for dead.
    ///   - resendNanoseconds: how long the server has to live after a confirmation until it is certain; 0 makes it
    ///     certain at once.
    ///   - resendBytes: the maximum of confirmed bytes that are kept for that.
    package init(
        isConfirming: Bool,
        windowBytes: Int,
        maximumBarriers: Int = 2,
        barrierIntervalNanoseconds: Int64 = 2_000_000_000,
        timeoutNanoseconds: Int64,
        resendNanoseconds: Int64,
        resendBytes: Int
    ) {
        self.isConfirming = isConfirming
        self.windowBytes = windowBytes
        self.maximumBarriers = maximumBarriers
        self.barrierIntervalNanoseconds = barrierIntervalNanoseconds
        self.timeoutNanoseconds = timeoutNanoseconds
        resend = ResendWindow(nanoseconds: resendNanoseconds, byteLimit: resendBytes)
        window = ConfirmationWindow(maximumBytes: windowBytes, timeoutNanoseconds: timeoutNanoseconds)
    }

    package var outstandingBarriers: Int { barriers.count }
    package var isWindowFull: Bool { isConfirming && barriers.count >= maximumBarriers }
    package var hasUnconfirmed: Bool { !unconfirmed.isEmpty }
    /// True if anything was sent after the last barrier.
    package var needsBarrier: Bool { isConfirming && bytesSinceBarrier > 0 }
    /// A counter of progress: confirmations or, without barriers, sent messages.
    package var progress: Int { isConfirming ? confirmations : sentMessages }
    package var unconfirmedMessages: Int { sentMessages - confirmedMessages }
    /// Confirmed messages that are kept, and their bytes.
    package var keptMessages: Int { resend.count }
    package var keptBytes: Int { resend.byteCount }
    /// When to send a barrier whose answer makes every confirmation certain; `nil` if they all are.
    package var certaintyNanoseconds: Int64? { resend.endNanoseconds }

    /// How long the server has owed an answer, in nanoseconds: since the oldest open barrier, or its last answer.
    package func silenceNanoseconds(nowNanoseconds: Int64) -> Int64? {
        barriers.first.map { nowNanoseconds &- max($0.sentNanoseconds, lastAnswerNanoseconds) }
    }

    /// Notes that a message was sent as `bytes` bytes of JSON.
    package mutating func noteSent(_ item: OutgoingQueue.Item, bytes: Int, thinning: CloudThinning? = nil) {
        let name = item.message.topic.name
        countByTopic[name, default: SinkReport.TopicCount(name: name)].add(bytes: bytes, thinning)
        sentMessages += 1
        sentBytes += bytes
        bytesSinceBarrier += bytes
        messagesSinceBarrier += 1
        if item.wasSent { resentMessages += 1 }
        if item.confirmations > 0 { resentAfterConfirmation += 1 }
        if isConfirming {
            unconfirmed.append(Entry(item: item, sequence: nextSequence, thinning: thinning))
        } else {
            unkept[name, default: 0] += 1
        }
        nextSequence += 1
    }

    /// True if a barrier should be sent now: the window is used up, or the last one was long ago.
    package func isBarrierDue(nowNanoseconds: Int64) -> Bool {
        guard needsBarrier else { return false }
        return bytesSinceBarrier >= window.bytes || messagesSinceBarrier >= window.messages
            || (barriers.isEmpty && nowNanoseconds &- lastBarrierNanoseconds >= barrierIntervalNanoseconds)
    }

    package mutating func noteBarrier(id: String, nowNanoseconds: Int64) {
        barriers.append(
            Barrier(
                id: id,
                sequence: nextSequence,
                begunNanoseconds: nowNanoseconds,
                sentNanoseconds: nowNanoseconds,
                bytes: bytesSinceBarrier,
                messages: messagesSinceBarrier
            )
        )
        bytesSinceBarrier = 0
        messagesSinceBarrier = 0
        lastBarrierNanoseconds = nowNanoseconds
    }

    /// Notes that the system has taken the barrier, and everything queued before it.
    package mutating func noteBarrierTaken(id: String, nowNanoseconds: Int64) {
        guard let index = barriers.firstIndex(where: { $0.id == id }) else { return }
        barriers[index].sentNanoseconds = nowNanoseconds
    }

    /// Confirms what was sent before the barrier; returns false if no such barrier is open.
    ///
    /// A late answer to an abandoned barrier confirms nothing, but shows that the server answers barriers.
    package mutating func confirm(id: String, nowNanoseconds: Int64) -> Bool {
        guard let index = barriers.firstIndex(where: { $0.id == id }) else {
            if abandonedBarrierIDs.remove(id) != nil { isConfirming = true }
            return false
        }
        let barrier = barriers[index]
        barriers.removeFirst(index + 1)
        hasBeenAnswered = true
        lastAnswerNanoseconds = nowNanoseconds
        window.noteAnswer(
            afterNanoseconds: nowNanoseconds &- barrier.sentNanoseconds,
            bytes: barrier.bytes,
            messages: barrier.messages
        )
        resend.release(aliveNanoseconds: barrier.begunNanoseconds)
        while var first = unconfirmed.first, first.sequence < barrier.sequence {
            unconfirmed.removeFirst()
            countByTopic[first.item.message.topic.name]?.unconfirmed -= 1
            confirmedMessages += 1
            confirmations += 1
            first.item.confirmations += 1
            if first.item.confirmations < AckTracker.maximumConfirmations {
                resend.keep(first, confirmedNanoseconds: nowNanoseconds)
            } else {
                resend.forget(first, confirmedNanoseconds: nowNanoseconds)
            }
        }
        for (name, count) in unkept {
            countByTopic[name]?.unconfirmed -= count
            confirmedMessages += count
            confirmations += count
        }
        unkept = [:]
        return true
    }

    /// Stops using barriers, because the server does not answer them.
    package mutating func stopConfirming() {
        isConfirming = false
        for entry in unconfirmed { unkept[entry.item.message.topic.name, default: 0] += 1 }
        unconfirmed = []
        _ = resend.takeAll()
        abandonedBarrierIDs.formUnion(barriers.map(\.id))
        barriers = []
    }

    /// Resets the tracker for the next connection and returns what has to be sent again.
    ///
    /// - Parameter isCautious: True if the next connection begins with a barrier after each message.
    package mutating func takeBack(isConfirming: Bool = true, isCautious: Bool = false) -> Lost {
        let (confirmed, forgotten) = resend.takeAll()
        let items = takeBack(confirmed, wereConfirmed: true) + takeBack(unconfirmed, wereConfirmed: false)
        for (name, count) in forgotten {
            countByTopic[name]?.unconfirmed += count
            confirmedMessages -= count
        }
        let lost = Lost(items: items, confirmed: confirmed.count, forgotten: forgotten.values.reduce(0, +))
        self.isConfirming = isConfirming
        window = ConfirmationWindow(
            maximumBytes: windowBytes,
            timeoutNanoseconds: timeoutNanoseconds,
            isCautious: isCautious
        )
        unconfirmed = []
        barriers = []
        unkept = [:]
        abandonedBarrierIDs = []
        bytesSinceBarrier = 0
        messagesSinceBarrier = 0
        return lost
    }

    private mutating func takeBack(_ entries: some Collection<Entry>, wereConfirmed: Bool) -> [OutgoingQueue.Item] {
        sentMessages -= entries.count
        if wereConfirmed { confirmedMessages -= entries.count }
        return entries.map { entry in
            var item = entry.item
            item.wasSent = true
            countByTopic[item.message.topic.name]?.takeBack(entry.thinning, wasConfirmed: wereConfirmed)
            return item
        }
    }
}

extension SinkReport.TopicCount {
    fileprivate mutating func add(bytes: Int, _ thinning: CloudThinning?) {
        written += 1
        unconfirmed += 1
        self.bytes += bytes
        guard let thinning else { return }
        thinned += 1
        keptPoints += thinning.keptPoints
        offeredPoints += thinning.offeredPoints
    }

    fileprivate mutating func takeBack(_ thinning: CloudThinning?, wasConfirmed: Bool) {
        written -= 1
        if !wasConfirmed { unconfirmed -= 1 }
        guard let thinning else { return }
        thinned -= 1
        keptPoints -= thinning.keptPoints
        offeredPoints -= thinning.offeredPoints
    }
}
