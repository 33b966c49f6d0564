import NIOCore

/// The messages that wait for one client, in order, within a bound of messages and bytes, and their outcomes.
///
/// Where it is full, the oldest message of the topic that takes most room is dropped, of images and clouds first; latched
/// topics, texts and states never are. A client that leaves too much of those unread is given up.
package struct FoxgloveQueue: Sendable {
    package struct Item: Sendable {
        package enum Content: Sendable, Equatable {
            case text([UInt8])
            case state(FoxglovePlaybackState)
            /// The time, where no message tells it.
            case time(Int64)
            /// A message of a topic: its place in the list of topics.
            case message(topic: Int, subscription: UInt32, timeNanoseconds: Int64, payload: [UInt8])
        }

        package var content: Content
        /// True if it may be dropped, and rather than others.
        package var isDroppable = false
        package var isBulk = false
        /// True if a newer one of its kind may take its place where much waits: what others have asked for.
        package var isNews = false

        package init(_ content: Content, isDroppable: Bool = false, isBulk: Bool = false, isNews: Bool = false) {
            self.content = content
            self.isDroppable = isDroppable
            self.isBulk = isBulk
            self.isNews = isNews
        }

        var topic: Int? {
            if case .message(let topic, _, _, _) = content { topic } else { nil }
        }

        var state: FoxglovePlaybackState? {
            if case .state(let state) = content { state } else { nil }
        }

        /// With what the frame adds.
        package var byteCount: Int {
            switch content {
            case .text(let bytes): bytes.count
            case .state(let state): 19 + state.requestID.utf8.count
            case .time: 9
            case .message(_, _, _, let payload): payload.count + 22
            }
        }
    }

    /// Outcomes of the messages of a topic.
    package struct Count: Sendable, Hashable {
        package var sent = 0
        /// Without what the protocol adds.
        package var sentBytes = 0
        /// For which there was no room.
        package var dropped = 0
        /// That still waited when the client left.
        package var unsent = 0
        /// That were taken back: of a place before a seek, or of a subscription that has ended.
        package var withdrawn = 0

        mutating func add(_ other: Count) {
            sent += other.sent
            sentBytes += other.sentBytes
            dropped += other.dropped
            unsent += other.unsent
            withdrawn += other.withdrawn
        }
    }

    private struct Load {
        var bytes = 0
        var isBulk = false
    }

    /// Texts, states and latched messages that may wait.
    private static let controlLimit = 4096
    /// From where on newer news take the place of older ones.
    private static let newsLimit = 64

    private let messageLimit: Int
    private let byteLimit: Int
    /// True if messages wait for room rather than being dropped.
    let waits: Bool
    /// True if the client was told that messages are dropped.
    var isTold = false
    /// The time that the client was told last.
    var lastTime: Int64?
    private var items: CircularBuffer<Item> = []
    package private(set) var byteCount = 0
    /// Messages and bytes that are never dropped.
    private var control = (count: 0, bytes: 0)
    /// Bytes that may be dropped, by topic.
    private var loads: [Int: Load] = [:]
    package private(set) var counts: [Int: Count] = [:]

    package init(messageLimit: Int, byteLimit: Int, waits: Bool = false) {
        self.messageLimit = messageLimit
        self.byteLimit = byteLimit
        self.waits = waits
    }

    package var isEmpty: Bool { items.isEmpty }
    package var count: Int { items.count }

    package func isFull(for item: Item) -> Bool {
        !items.isEmpty && (items.count + 1 > messageLimit || byteCount + item.byteCount > byteLimit)
    }

    /// True if so much waits of what is never dropped that the client cannot be reading.
    package var isOverrun: Bool { control.count > Self.controlLimit || control.bytes > max(byteLimit, 16 << 20) }

    package mutating func append(_ item: Item) {
        if item.isNews, control.count >= Self.newsLimit, replaceNews(by: item) { return }
        items.append(item)
        count(item, 1)
    }

    /// - Returns: True if there was older news of its kind; a seek that it reported is kept.
    private mutating func replaceNews(by item: Item) -> Bool {
        let isState = item.state != nil
        guard let index = items.lastIndex(where: { $0.isNews && ($0.state != nil) == isState }) else { return false }
        var item = item
        if var state = item.state {
            state.didSeek = state.didSeek || items[index].state?.didSeek == true
            item.content = .state(state)
        }
        count(items[index], -1)
        items[index] = item
        count(item, 1)
        return true
    }

    package mutating func removeFirst() -> Item? {
        guard let item = items.popFirst() else { return nil }
        count(item, -1)
        return item
    }

    /// Drops what can be dropped until an item has room.
    ///
    /// - Returns: True if anything was dropped.
    package mutating func makeRoom(for item: Item) -> Bool {
        var isDropping = false
        while isFull(for: item), let topic = victim, let index = items.firstIndex(where: { $0.isOf(topic) }) {
            count(items.remove(at: index), -1)
            counts[topic, default: Count()].dropped += 1
            isDropping = true
        }
        return isDropping
    }

    /// Takes back messages that may be dropped: what comes is of another place.
    package mutating func withdrawMessages() { withdraw { $0.isDroppable } }

    package mutating func withdraw(subscription: UInt32) {
        withdraw { item in
            if case .message(_, subscription, _, _) = item.content { true } else { false }
        }
    }

    /// Gives up all that waits.
    package mutating func giveUp() {
        while let item = removeFirst() { noteUnsent(item) }
    }

    package mutating func noteSent(_ item: Item) {
        guard case .message(let topic, _, _, let payload) = item.content else { return }
        counts[topic, default: Count()].sent += 1
        counts[topic, default: Count()].sentBytes += payload.count
    }

    package mutating func noteUnsent(_ item: Item) {
        if let topic = item.topic { counts[topic, default: Count()].unsent += 1 }
    }

    private mutating func withdraw(where isWithdrawn: (Item) -> Bool) {
        var kept: CircularBuffer<Item> = []
        kept.reserveCapacity(items.count)
        for item in items {
            guard isWithdrawn(item) else {
                kept.append(item)
                continue
            }
            count(item, -1)
            if let topic = item.topic { counts[topic, default: Count()].withdrawn += 1 }
        }
        items = kept
    }

    /// The topic that takes most room, of bulk first.
    private var victim: Int? {
        loads.max { left, right in
            let (a, b) = (left.value, right.value)
            if a.isBulk != b.isBulk { return b.isBulk }
            return (a.bytes, right.key) < (b.bytes, left.key)
        }?.key
    }

    private mutating func count(_ item: Item, _ sign: Int) {
        byteCount += sign * item.byteCount
        guard item.isDroppable, let topic = item.topic else {
            control.count += sign
            control.bytes += sign * item.byteCount
            return
        }
        var load = loads[topic, default: Load(isBulk: item.isBulk)]
        load.bytes += sign * item.byteCount
        loads[topic] = load.bytes > 0 ? load : nil
    }
}

extension FoxgloveQueue.Item {
    fileprivate func isOf(_ topic: Int) -> Bool { isDroppable && self.topic == topic }
}
