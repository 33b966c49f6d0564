import Messages
import Rosbridge
import TestSupport
import Testing

/// The queue against a model that is nothing but a list, searched from its start each time.
@Suite("Outgoing queue, against a model")
struct OutgoingQueuePropertyTests {
    private struct Model {
        struct Entry {
            var label: String
            var topic: Topic
            var bytes: Int
            var time: Int64
        }

        var policy: OutgoingQueue.FullPolicy
        var limit: Int
        var window: Int64
        var entries: [Entry] = []
        var dropped: [String: Int] = [:]

        var bytes: Int { entries.reduce(0) { $0 + $1.bytes } }

        private func lane(_ entry: Entry) -> Int {
            switch (entry.topic.delivery, policy) {
            case (.control, _): 0
            case (.latest, .drop): 2
            default: 1
            }
        }

        private mutating func drop(at index: Int) {
            dropped[entries.remove(at: index).topic.name, default: 0] += 1
        }

        mutating func offer(_ entry: Entry) -> Bool {
            while !entries.isEmpty, bytes + entry.bytes > limit {
                let own = entries.firstIndex { lane($0) == 2 && $0.topic.name == entry.topic.name }
                guard policy == .drop, let oldest = own ?? entries.firstIndex(where: { lane($0) == 2 }) else {
                    return false
                }
                drop(at: oldest)
            }
            entries.append(entry)
            return true
        }

        mutating func putBack(_ returned: [Entry]) {
            entries.insert(contentsOf: returned, at: 0)
        }

        var lead = 0
        var turns: [String] = []

        /// The newest message of the bulk topic that had its turn longest ago, where steady ones are late and ahead.
        private mutating func caughtUp(now: Int64) -> String? {
            let isLate = entries.first { lane($0) == 1 }.map { now - $0.time > window } ?? false
            let names = Set(entries.filter { lane($0) == 2 }.map(\.topic.name)).sorted()
            guard policy == .drop, isLate, !names.isEmpty else {
                lead = 0
                return nil
            }
            guard lead > 0 else { return nil }
            let name = names.first { !turns.contains($0) } ?? turns.first { names.contains($0) } ?? names[0]
            turns.removeAll { $0 == name }
            turns.append(name)
            while let index = entries.firstIndex(where: { lane($0) == 2 && $0.topic.name == name }) {
                let isLast = entries.lastIndex { lane($0) == 2 && $0.topic.name == name } == index
                guard isLast, now - entries[index].time <= window else {
                    drop(at: index)
                    continue
                }
                lead -= entries[index].bytes
                return entries.remove(at: index).label
            }
            return nil
        }

        mutating func next(now: Int64) -> String? {
            for number in 0..<3 {
                if number == 1, let label = caughtUp(now: now) { return label }
                if number == 1, let first = entries.first(where: { lane($0) == 1 && $0.topic.delivery == .every }) {
                    lead += first.bytes
                }
                while let index = entries.firstIndex(where: { lane($0) == number }) {
                    if number == 2, now - entries[index].time > window {
                        drop(at: index)
                    } else {
                        return entries.remove(at: index).label
                    }
                }
            }
            return nil
        }

        mutating func dropStale(now: Int64) {
            guard policy == .drop else { return }
            for index in entries.indices.reversed()
            where lane(entries[index]) == 2 && now - entries[index].time > window {
                drop(at: index)
            }
        }
    }

    private static let topics: [Topic] = [.fixed, .chatter, .cloud, .image]

    private func makeItem(_ number: Int, _ entry: Model.Entry) -> OutgoingQueue.Item {
        item(text("\(number)", on: entry.topic), bytes: entry.bytes, at: entry.time)
    }

    @Test("does what the model does, whatever is asked of it", arguments: 0..<60)
    func sameAsModel(seed: UInt64) {
        var random = SeededRandomNumbers(seed: seed)
        let policy: OutgoingQueue.FullPolicy = seed % 3 == 0 ? .wait : .drop
        var queue = OutgoingQueue(byteLimit: 400, policy: policy, liveWindowNanoseconds: 50)
        var model = Model(policy: policy, limit: 400, window: 50)
        var now: Int64 = 0
        var taken: [(OutgoingQueue.Item, Model.Entry)] = []
        var entries: [String: Model.Entry] = [:]
        for number in 0..<600 {
            now += Int64.random(in: 0...4, using: &random)
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<6:
                let entry = Model.Entry(
                    label: "\(number)",
                    topic: Self.topics[Int.random(in: 0..<4, using: &random)],
                    bytes: Int.random(in: 1...150, using: &random),
                    time: now
                )
                entries[entry.label] = entry
                #expect(queue.offer(makeItem(number, entry)) == model.offer(entry))
            case 6..<8:
                let got = queue.next(nowNanoseconds: now)
                #expect(got?.label == model.next(now: now))
                if let got, let entry = entries[got.label] { taken.append((got, entry)) }
            case 8:
                // A lost connection: what was sent of late comes back.
                let returned = Array(taken.suffix(Int.random(in: 0...4, using: &random)))
                taken.removeAll()
                queue.putBack(returned.map(\.0))
                model.putBack(returned.map(\.1))
            default:
                queue.dropStale(nowNanoseconds: now)
                model.dropStale(now: now)
            }
            #expect(queue.count == model.entries.count && queue.byteCount == model.bytes)
            #expect(queue.droppedByTopic == model.dropped)
            #expect(
                queue.countByTopic == Dictionary(grouping: model.entries, by: \.topic.name).mapValues(\.count)
            )
        }
        #expect(queue.droppedByTopic["/fixed"] == nil)
        #expect(queue.droppedByTopic["/chatter"] == nil)
        if policy == .wait { #expect(queue.droppedByTopic.isEmpty) } else { #expect(queue.droppedByTopic.count > 1) }
    }

    @Test("what was sent before is told apart from what was not")
    func sentBefore() {
        var queue = OutgoingQueue(byteLimit: 30, policy: .drop)
        var again = item(bytes(1))
        again.wasSent = true
        queue.putBack([again, again, item(bytes(1))])
        #expect(queue.sentBeforeByTopic == ["/cloud": 2] && queue.countByTopic == ["/cloud": 3])
        // It is the oldest, and therefore the first to go when there is no room.
        #expect(queue.offer(item(bytes(1), at: 1)) == true)
        #expect(queue.sentBeforeByTopic == ["/cloud": 1])
        // It may have arrived, so that it does not count as dropped.
        #expect(queue.droppedByTopic.isEmpty && queue.abandonedByTopic == ["/cloud": 1])
        #expect(queue.next(nowNanoseconds: 1)?.wasSent == true)
        #expect(queue.sentBeforeByTopic == ["/cloud": 0])
    }
}
