import Messages
import NIOCore

/// A FIFO of items from which the oldest, overall or of one topic, can be removed cheaply.
struct BulkLane: Sendable {
    private struct Ticketed: Sendable {
        /// The position of the item among those of all topics.
        var ticket: Int
        var item: OutgoingQueue.Item
    }

    private var itemsByTopic: [String: CircularBuffer<Ticketed>] = [:]
    private var firstTicket = 0
    private var endTicket = 0
    private(set) var count = 0
    /// When each topic had its last turn of those that take turns.
    private var turns: [String: Int] = [:]
    private var turn = 0

    var isEmpty: Bool { count == 0 }

    var countByTopic: [String: Int] { itemsByTopic.mapValues(\.count).filter { $0.value > 0 } }

    mutating func append(_ item: OutgoingQueue.Item) {
        itemsByTopic[item.message.topic.name, default: []].append(Ticketed(ticket: endTicket, item: item))
        endTicket += 1
        count += 1
    }

    mutating func prepend(_ item: OutgoingQueue.Item) {
        firstTicket -= 1
        itemsByTopic[item.message.topic.name, default: []].prepend(Ticketed(ticket: firstTicket, item: item))
        count += 1
    }

    mutating func removeFirst() -> OutgoingQueue.Item? {
        // A linear search is enough: there are few topics of images and clouds.
        var first: (topic: String, ticket: Int)?
        for (topic, items) in itemsByTopic {
            guard let ticket = items.first?.ticket, ticket < first?.ticket ?? .max else { continue }
            first = (topic, ticket)
        }
        return first.flatMap { removeFirst(of: $0.topic) }
    }

    mutating func removeFirst(of topic: String) -> OutgoingQueue.Item? {
        guard let first = itemsByTopic[topic]?.popFirst() else { return nil }
        count -= 1
        return first.item
    }

    /// Removes the newest item of the topic whose turn it is, and the older ones of that topic.
    mutating func removeNewest() -> (newest: OutgoingQueue.Item, older: [OutgoingQueue.Item])? {
        let waiting = itemsByTopic.filter { !$0.value.isEmpty }.keys
        let next = waiting.min { (turns[$0] ?? 0, $0) < (turns[$1] ?? 0, $1) }
        guard let topic = next, var items = itemsByTopic[topic], let last = items.popLast() else { return nil }
        itemsByTopic[topic] = []
        turn += 1
        turns[topic] = turn
        count -= items.count + 1
        return (last.item, items.map(\.item))
    }

    mutating func removeAll(where condition: (OutgoingQueue.Item) -> Bool) -> [OutgoingQueue.Item] {
        var removed: [Ticketed] = []
        for (topic, items) in itemsByTopic {
            removed += items.filter { condition($0.item) }
            itemsByTopic[topic]?.removeAll { condition($0.item) }
        }
        count -= removed.count
        return removed.sorted { $0.ticket < $1.ticket }.map(\.item)
    }
}
