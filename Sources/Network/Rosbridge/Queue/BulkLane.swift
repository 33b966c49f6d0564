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
