package import Messages
import NIOCore

/// A queue of messages with lanes and a budget of bytes; decides which is sent next and which is dropped.
///
/// With ``FullPolicy/wait`` nothing is dropped, and messages keep their order except that latched ones go first. With
/// ``FullPolicy/drop`` there are three lanes (control before steady before bulk), and old bulk messages are dropped
/// first. Messages are encoded when they are sent, so a dropped one costs no encoding.
///
/// While the oldest steady message is older than the live window, as after a lost connection, steady and bulk get the same
/// share of bytes, and of each bulk topic only the newest message is sent.
package struct OutgoingQueue: OutboxQueue {
    /// The policy for a message when the budget is used up.
    package enum FullPolicy: Sendable {
        /// The oldest bulk messages are dropped; if there are none, the producer waits.
        case drop
        /// The producer waits.
        case wait
    }

    /// A queued message, with its estimated size and the time at which it was queued.
    package struct Item: Sendable {
        package var message: StampedMessage
        package var byteCount: Int
        /// Nanoseconds of a monotonic clock.
        package var queuedNanoseconds: Int64
        /// True if it was sent over a connection that was lost before its confirmation was certain.
        package var wasSent = false
        /// The number of connections over which it was confirmed.
        package var confirmations = 0

        package init(message: StampedMessage, byteCount: Int, queuedNanoseconds: Int64) {
            self.message = message
            self.byteCount = byteCount
            self.queuedNanoseconds = queuedNanoseconds
        }
    }

    package let byteLimit: Int
    package let policy: FullPolicy
    /// The age at which a bulk message is dropped instead of sent; no effect with ``FullPolicy/wait``.
    package let liveWindowNanoseconds: Int64

    private var control: CircularBuffer<Item> = []
    private var steady: CircularBuffer<Item> = []
    private var bulk = BulkLane()
    /// Bytes that the steady lane was given more than the bulk lane while it caught up.
    private var steadyLead = 0
    package private(set) var byteCount = 0
    /// The number of messages by topic that were dropped before they were ever sent.
    package private(set) var droppedByTopic: [String: Int] = [:]
    /// The number of messages by topic that were dropped instead of being sent again; they may have arrived.
    package private(set) var abandonedByTopic: [String: Int] = [:]
    /// The number of queued messages by topic that were sent before.
    package private(set) var sentBeforeByTopic: [String: Int] = [:]

    package init(
        byteLimit: Int = 64 << 20,
        policy: FullPolicy = .wait,
        liveWindowNanoseconds: Int64 = 2_000_000_000
    ) {
        self.byteLimit = byteLimit
        self.policy = policy
        self.liveWindowNanoseconds = liveWindowNanoseconds
    }

    package var isEmpty: Bool { control.isEmpty && steady.isEmpty && bulk.isEmpty }
    package var count: Int { control.count + steady.count + bulk.count }

    /// The number of queued messages by topic, sent before or not.
    package var countByTopic: [String: Int] {
        var counts = bulk.countByTopic
        for lane in [control, steady] {
            for item in lane { counts[item.message.topic.name, default: 0] += 1 }
        }
        return counts
    }

    /// Queues the item, dropping older ones if the policy says so; returns false if the producer must wait.
    package mutating func offer(_ item: Item) -> Bool {
        // An empty queue takes anything: a message larger than the whole budget would otherwise wait for ever.
        while !isEmpty, byteCount + item.byteCount > byteLimit {
            guard policy == .drop, dropOne(toMakeRoomFor: item.message.topic) else { return false }
        }
        byteCount += item.byteCount
        switch (item.message.topic.delivery, policy) {
        case (.control, _): control.append(item)
        case (.latest, .drop): bulk.append(item)
        case (.every, _), (.latest, .wait): steady.append(item)
        }
        return true
    }

    /// Puts items back at the front of their lanes, in order, regardless of the budget.
    package mutating func putBack(_ items: [Item]) {
        for item in items.reversed() {
            byteCount += item.byteCount
            if item.wasSent { sentBeforeByTopic[item.message.topic.name, default: 0] += 1 }
            switch (item.message.topic.delivery, policy) {
            case (.control, _): control.prepend(item)
            case (.latest, .drop): bulk.prepend(item)
            case (.every, _), (.latest, .wait): steady.prepend(item)
            }
        }
    }

    /// Removes and returns the item that is to be sent next.
    package mutating func next(nowNanoseconds: Int64) -> Item? {
        if let item = control.popFirst() ?? newestBulk(nowNanoseconds) ?? steady.popFirst() {
            if item.message.topic.delivery == .every { steadyLead += item.byteCount }
            noteRemoved(item)
            return item
        }
        while let item = bulk.removeFirst() {
            noteRemoved(item)
            if nowNanoseconds - item.queuedNanoseconds <= liveWindowNanoseconds { return item }
            noteDropped(item)
        }
        return nil
    }

    /// The newest bulk message, if it is its turn beside a steady lane that lags; older ones of its topic are dropped.
    private mutating func newestBulk(_ now: Int64) -> Item? {
        guard policy == .drop, let oldest = steady.first, now - oldest.queuedNanoseconds > liveWindowNanoseconds,
            !bulk.isEmpty
        else {
            steadyLead = 0
            return nil
        }
        guard steadyLead > 0, let (newest, older) = bulk.removeNewest() else { return nil }
        for item in older {
            noteRemoved(item)
            noteDropped(item)
        }
        guard now - newest.queuedNanoseconds <= liveWindowNanoseconds else {
            noteRemoved(newest)
            noteDropped(newest)
            return nil
        }
        steadyLead -= newest.byteCount
        return newest
    }

    /// Drops bulk messages that are older than the live window, after an interruption of a live run.
    ///
    /// All other messages are sent late, whatever their age.
    package mutating func dropStale(nowNanoseconds: Int64) {
        guard policy == .drop else { return }
        let stale = bulk.removeAll { nowNanoseconds - $0.queuedNanoseconds > liveWindowNanoseconds }
        for item in stale {
            noteRemoved(item)
            noteDropped(item)
        }
    }

    /// Drops the oldest bulk message of the topic, or the oldest of all if it has none.
    private mutating func dropOne(toMakeRoomFor topic: Topic) -> Bool {
        guard let oldest = bulk.removeFirst(of: topic.name) ?? bulk.removeFirst() else { return false }
        noteRemoved(oldest)
        noteDropped(oldest)
        return true
    }

    private mutating func noteRemoved(_ item: Item) {
        byteCount -= item.byteCount
        if item.wasSent { sentBeforeByTopic[item.message.topic.name]? -= 1 }
    }

    private mutating func noteDropped(_ item: Item) {
        if item.wasSent {
            abandonedByTopic[item.message.topic.name, default: 0] += 1
        } else {
            droppedByTopic[item.message.topic.name, default: 0] += 1
        }
    }
}
