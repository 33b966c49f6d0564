import Foxglove
import TestSupport
import Testing
import WebSocket

@Suite("What waits for a client of Foxglove's protocol")
struct FoxgloveQueueTests {
    typealias Item = FoxgloveQueue.Item

    private func message(_ topic: Int, _ time: Int, bytes: Int = 78, bulk: Bool = false, latched: Bool = false) -> Item
    {
        let payload = [UInt8](repeating: 0, count: bytes)
        let content = Item.Content.message(
            topic: topic,
            subscription: UInt32(topic),
            timeNanoseconds: Int64(time),
            payload: payload
        )
        return Item(content, isDroppable: !latched, isBulk: bulk)
    }

    private func times(_ queue: FoxgloveQueue) -> [[Int]] {
        var queue = queue
        var found: [[Int]] = []
        while let item = queue.removeFirst() {
            if case .message(let topic, _, let time, _) = item.content { found.append([topic, Int(time)]) }
        }
        return found
    }

    @Test("the oldest of the largest bulky topic goes first, then of others; what is latched stays")
    func victims() {
        var queue = FoxgloveQueue(messageLimit: 1000, byteLimit: 1000)
        queue.append(message(0, 1, latched: true))
        for time in 1...4 { queue.append(message(1, time)) }
        for time in 1...2 { queue.append(message(2, time, bytes: 178, bulk: true)) }
        #expect(queue.byteCount == 900)
        let next = message(3, 5, bytes: 228)
        #expect(queue.isFull(for: next))
        _ = queue.makeRoom(for: next)
        queue.append(next)
        #expect(times(queue) == [[0, 1], [1, 1], [1, 2], [1, 3], [1, 4], [2, 2], [3, 5]])
        let large = message(3, 6, bytes: 578)
        _ = queue.makeRoom(for: large)
        queue.append(large)
        // The rest of the clouds; then what takes most at each step: of 400 bytes two of 100, then the one of 250.
        #expect(times(queue) == [[0, 1], [1, 3], [1, 4], [3, 6]])
        #expect(queue.counts.mapValues(\.dropped) == [1: 2, 2: 2, 3: 1])
    }

    @Test("what is larger than all room goes through alone")
    func large() {
        var queue = FoxgloveQueue(messageLimit: 10, byteLimit: 100)
        let first = message(1, 1, bytes: 1000)
        let second = message(1, 2, bytes: 1000)
        let isDropping = queue.makeRoom(for: first)
        #expect(!isDropping)
        queue.append(first)
        _ = queue.makeRoom(for: second)
        queue.append(second)
        #expect(times(queue) == [[1, 2]])
    }

    @Test("whatever happens, each message is sent, dropped, unsent or withdrawn, and the bytes are those that wait")
    func accounts() {
        for seed: UInt64 in 0..<50 {
            var random = SeededRandomNumbers(seed: seed)
            var queue = FoxgloveQueue(messageLimit: 20, byteLimit: 5000)
            var offered = 0
            var time = 0
            for _ in 0..<2000 {
                let topic = Int.random(in: 0..<6, using: &random)
                switch Int.random(in: 0..<100, using: &random) {
                case ..<60:
                    time += 1
                    let bytes = Int.random(in: 0..<900, using: &random)
                    let item = message(topic, time, bytes: bytes, bulk: topic < 2, latched: topic == 5)
                    if item.isDroppable { _ = queue.makeRoom(for: item) }
                    queue.append(item)
                    offered += 1
                case ..<93: if let item = queue.removeFirst() { queue.noteSent(item) }
                case ..<95: queue.withdraw(subscription: UInt32(topic))
                case ..<96: queue.withdrawMessages()
                case ..<97: queue.append(Item(.text([1, 2, 3])))
                default: queue.append(Item(.time(Int64(time))))
                }
                var rest = queue
                var waiting = 0
                var bytes = 0
                while let item = rest.removeFirst() {
                    bytes += item.byteCount
                    if case .message = item.content { waiting += 1 }
                }
                let counts = queue.counts.values
                let gone = counts.reduce(0) { $0 + $1.sent + $1.dropped + $1.unsent + $1.withdrawn }
                guard gone + waiting == offered, bytes == queue.byteCount, rest.byteCount == 0, rest.count == 0 else {
                    Issue.record("seed \(seed): \(gone) gone and \(waiting) waiting of \(offered), \(bytes) bytes")
                    return
                }
            }
            queue.giveUp()
            #expect(queue.isEmpty && queue.byteCount == 0)
        }
    }

    @Test("news of what others do do not pile up; own answers do, up to a bound")
    func news() {
        var queue = FoxgloveQueue(messageLimit: 1024, byteLimit: 1 << 20)
        func state(_ id: String, didSeek: Bool = false) -> FoxglovePlaybackState {
            var state = FoxglovePlaybackState(status: .paused, timeNanoseconds: 1, speed: 1)
            (state.didSeek, state.requestID) = (didSeek, id)
            return state
        }
        queue.append(Item(.state(state("own"))))
        for number in 0..<10_000 {
            queue.append(Item(.state(state("\(number)", didSeek: number == 500)), isNews: true))
            queue.append(Item(.text([0]), isNews: true))
        }
        #expect(queue.count < 100 && !queue.isOverrun)
        var states: [FoxglovePlaybackState] = []
        while let item = queue.removeFirst() {
            if case .state(let state) = item.content { states.append(state) }
        }
        #expect(states.first?.requestID == "own" && states.last?.requestID == "9999")
        #expect(states.contains { $0.didSeek })
        for number in 0..<5000 { queue.append(Item(.state(state("\(number)")))) }
        #expect(queue.isOverrun)
    }

    @Test("the time goes back where a seek is told, not before: what is latched waits on from the place before")
    func timesOfSeeks() {
        var queue = FoxgloveQueue(messageLimit: 1024, byteLimit: 1 << 20)
        var sent: [String] = []
        func send(_ count: Int) {
            for _ in 0..<count {
                guard let item = queue.removeFirst() else { return }
                for message in queue.messages(of: [item]) {
                    let opcode = message.head.first ?? message.body.first ?? 0
                    sent.append(["message", "time", "3", "4", "state"][Int(opcode) - 1])
                }
            }
        }
        for time in [1, 5] { queue.append(message(1, time)) }
        queue.append(message(0, 5, latched: true))
        queue.append(message(1, 6))
        send(2)
        queue.withdrawMessages()
        var state = FoxglovePlaybackState(status: .playing, timeNanoseconds: 1, speed: 1)
        state.didSeek = true
        queue.append(Item(.state(state)))
        queue.append(message(1, 1))
        send(10)
        let before = ["time", "message", "time", "message", "message"]
        #expect(sent == before + ["state", "time", "message"])
    }

    @Test("latched messages that nobody reads are bounded by their bytes")
    func latched() {
        var queue = FoxgloveQueue(messageLimit: 1024, byteLimit: 1 << 20)
        for number in 0..<16 { queue.append(message(1, number, bytes: 1 << 20, latched: true)) }
        #expect(queue.isOverrun)
    }
}
