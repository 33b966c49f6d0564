package import Messages
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

/// Reduces a cloud to every k-th point, so that it fits into a frame.
package struct CloudThinning: Sendable, Equatable {
    /// The step k: one of k points is kept.
    package let step: Int
    package let keptPoints: Int
    package let offeredPoints: Int

    /// Finds the smallest step with which the cloud has at most `byteLimit` bytes as JSON; `nil` if there is none.
    ///
    /// - Parameter cloud: a cloud of any width and height; rows may have padding, and `data` may be shorter than
    ///   announced.
    package init?(_ cloud: PointCloud2, byteLimit: Int) {
        let points = CloudThinning.pointCount(cloud)
        var empty = cloud
        empty.data = []
        (empty.width, empty.height, empty.rowStep) = (0, 1, 0)
        var json: [UInt8] = []
        guard points > 0, (try? empty.appendJSON(to: &json)) != nil else { return nil }
        // In this message width and row_step have one digit each.
        let envelope = json.count - 2
        let pointLength = Int(cloud.pointStep)
        func size(_ width: Int) -> Int {
            let length = width * pointLength
            return envelope + "\(width)".utf8.count + "\(length)".utf8.count + (length + 2) / 3 * 4
        }
        // A binary search for the largest width that fits.
        var (fitting, tooLarge) = (0, points + 1)
        while tooLarge - fitting > 1 {
            let middle = (fitting + tooLarge) / 2
            if size(middle) <= byteLimit { fitting = middle } else { tooLarge = middle }
        }
        guard fitting > 0 else { return nil }
        step = (points + fitting - 1) / fitting
        keptPoints = (points + step - 1) / step
        offeredPoints = points
    }

    /// Keeps the points whose index, counted by rows from 0, is a multiple of the step, in one row.
    package func apply(to cloud: PointCloud2) -> PointCloud2 {
        let pointLength = Int(cloud.pointStep)
        let width = Int(cloud.width)
        var thin = cloud
        thin.data = []
        thin.data.reserveCapacity(keptPoints * pointLength)
        for point in stride(from: 0, to: offeredPoints, by: step) {
            let start = point / width * Int(cloud.rowStep) + point % width * pointLength
            thin.data += cloud.data[start..<(start + pointLength)]
        }
        thin.height = 1
        thin.width = UInt32(clamping: keptPoints)
        thin.rowStep = UInt32(clamping: keptPoints * pointLength)
        return thin
    }

    /// The number of points that `data` really holds, by rows; 0 if the fields contradict each other.
    private static func pointCount(_ cloud: PointCloud2) -> Int {
        let (width, height) = (Int(cloud.width), Int(cloud.height))
        let (pointLength, rowLength) = (Int(cloud.pointStep), Int(cloud.rowStep))
        let (usedLength, overflows) = width.multipliedReportingOverflow(by: pointLength)
        guard width > 0, height > 0, pointLength > 0, !overflows, rowLength >= usedLength else { return 0 }
        let wholeRows = min(height, cloud.data.count / rowLength)
        guard wholeRows < height else { return width * height }
        // The last row may lack its padding.
        let rest = min(width, (cloud.data.count - wholeRows * rowLength) / pointLength)
        return wholeRows * width + rest
    }
}
