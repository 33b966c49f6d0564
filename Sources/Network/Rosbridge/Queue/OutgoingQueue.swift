package import Messages
import NIOCore

/// Messages that wait to be sent, in lanes and within a budget of bytes: decides what goes next and what is dropped.
///
/// With ``FullPolicy/wait`` nothing is dropped and messages keep their order, but for latched ones, which go first. With
/// ``FullPolicy/drop`` there are three lanes, control before steady before bulk, and the newest bulk message wins.
/// Messages are not encoded before they are sent, so a dropped one has cost nothing.
package struct OutgoingQueue: Sendable {
    /// What happens to a message when the budget is used up.
    package enum FullPolicy: Sendable {
        /// Old messages of `latest` topics make room; without any, the producer waits.
        case drop
        /// The producer waits.
        case wait
    }

    /// A message with its size, as far as it is known before it is encoded, and the time at which it was queued.
    package struct Item: Sendable {
        package var message: StampedMessage
        package var byteCount: Int
        /// Nanoseconds of a monotonic clock.
        package var queuedNanoseconds: Int64
        /// Whether it was sent over a connection that was lost before it was confirmed for certain.
        package var wasSent = false
        /// Over how many connections it was confirmed.
        package var confirmations = 0

        package init(message: StampedMessage, byteCount: Int, queuedNanoseconds: Int64) {
            self.message = message
            self.byteCount = byteCount
            self.queuedNanoseconds = queuedNanoseconds
        }
    }

    package let byteLimit: Int
    package let policy: FullPolicy
    /// The age at which a message of a `latest` topic is dropped instead of sent; without effect on ``FullPolicy/wait``.
    package let liveWindowNanoseconds: Int64

    private var control: CircularBuffer<Item> = []
    private var steady: CircularBuffer<Item> = []
    private var bulk = BulkLane()
    package private(set) var byteCount = 0
    /// How many messages of each topic were dropped before they were sent at all.
    package private(set) var droppedByTopic: [String: Int] = [:]
    /// How many were dropped instead of being sent again: they may have arrived.
    package private(set) var abandonedByTopic: [String: Int] = [:]
    /// How many of the messages of each topic that wait here were sent before.
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

    /// How many messages of each topic wait here, sent before or not.
    package var countByTopic: [String: Int] {
        var counts = bulk.countByTopic
        for lane in [control, steady] {
            for item in lane { counts[item.message.topic.name, default: 0] += 1 }
        }
        return counts
    }

    /// Takes the item, dropping older ones if the policy says so, or returns false if the producer must wait.
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

    /// Puts items back before all others of their lanes, in their order, whatever the budget is.
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
        if let item = control.popFirst() ?? steady.popFirst() {
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

    /// After an interruption of a live run: drops bulk that is older than the live window.
    ///
    /// Everything else is sent late, however old it is.
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
        if item.wasSent { sentBeforeByTopic[item.message.topic.name, default: 0] -= 1 }
    }

    private mutating func noteDropped(_ item: Item) {
        if item.wasSent {
            abandonedByTopic[item.message.topic.name, default: 0] += 1
        } else {
            droppedByTopic[item.message.topic.name, default: 0] += 1
        }
    }
}
