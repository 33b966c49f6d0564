package import ROS

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

    private var control = Lane()
    private var steady = Lane()
    private var bulk = Lane()
    package private(set) var byteCount = 0
    /// How many messages of each topic were dropped.
    package private(set) var droppedByTopic: [String: Int] = [:]

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

    /// Removes and returns the item that is to be sent next.
    package mutating func next(nowNanoseconds: Int64) -> Item? {
        if let item = control.removeFirst() ?? steady.removeFirst() {
            byteCount -= item.byteCount
            return item
        }
        while let item = bulk.removeFirst() {
            byteCount -= item.byteCount
            if nowNanoseconds - item.queuedNanoseconds <= liveWindowNanoseconds { return item }
            noteDropped(item)
        }
        return nil
    }

    /// After an interruption of a live run: drops everything but control that is older than the live window.
    package mutating func dropStale(nowNanoseconds: Int64) {
        guard policy == .drop else { return }
        let isStale = { (item: Item) in nowNanoseconds - item.queuedNanoseconds > liveWindowNanoseconds }
        for item in steady.removeAll(where: isStale) + bulk.removeAll(where: isStale) {
            byteCount -= item.byteCount
            noteDropped(item)
        }
    }

    /// Counts a message that was dropped elsewhere, such as one too old to be sent again.
    package mutating func noteDropped(_ item: Item) {
        droppedByTopic[item.message.topic.name, default: 0] += 1
    }

    /// Drops the oldest bulk message of the topic, or the oldest of all if it has none.
    private mutating func dropOne(toMakeRoomFor topic: Topic) -> Bool {
        let oldest = bulk.removeFirst { $0.message.topic.name == topic.name } ?? bulk.removeFirst()
        guard let oldest else { return false }
        byteCount -= oldest.byteCount
        noteDropped(oldest)
        return true
    }
}

/// Items in the order in which they came; removing the first costs nothing.
private struct Lane: Sendable {
    private var items: [OutgoingQueue.Item?] = []
    private var firstIndex = 0

    var isEmpty: Bool { firstIndex == items.count }
    var count: Int { items.count - firstIndex }

    mutating func append(_ item: OutgoingQueue.Item) {
        items.append(item)
    }

    mutating func removeFirst() -> OutgoingQueue.Item? {
        guard firstIndex < items.count else { return nil }
        defer {
            items[firstIndex] = nil
            firstIndex += 1
            if firstIndex > 32, firstIndex * 2 > items.count {
                items.removeFirst(firstIndex)
                firstIndex = 0
            }
        }
        return items[firstIndex]
    }

    mutating func removeFirst(where condition: (OutgoingQueue.Item) -> Bool) -> OutgoingQueue.Item? {
        guard let index = items[firstIndex...].firstIndex(where: { $0.map(condition) ?? false }) else { return nil }
        return items.remove(at: index)
    }

    mutating func removeAll(where condition: (OutgoingQueue.Item) -> Bool) -> [OutgoingQueue.Item] {
        let all = items[firstIndex...].compactMap { $0 }
        items = all.filter { !condition($0) }
        firstIndex = 0
        return all.filter(condition)
    }
}
