import Messages
import NIOCore
import NIOPosix
import Rosbridge
import Testing

extension Outbox where Queue == OutgoingQueue {
    /// Takes an item, for which a producer is woken, and cancels that one before it can run.
    fileprivate func take(cancelling producer: Task<Void, any Error>) async {
        _ = await take()
        producer.cancel()
    }
}

@Suite("Queue and its producers", .timeLimit(.minutes(1)))
struct OutboxTests {
    @Test("a producer that is cancelled once there is room has put its item, and the next one follows")
    func cancelledWithRoom() async throws {
        let queue = makeQueue()
        try await queue.put(item(text("0")))
        let first = Task { try await queue.put(item(text("1"))) }
        try await until { await queue.waitingProducers == 1 }
        let second = Task { try await queue.put(item(text("2"))) }
        try await until { await queue.waitingProducers == 2 }
        await queue.take(cancelling: first)
        try await first.value
        #expect(await queue.take()?.label == "1")
        // Before, nothing woke this one: it waited for ever, in a queue with room.
        try await second.value
        #expect(await queue.take()?.label == "2")
    }

    @Test("the item of a cancelled producer makes room for those behind it")
    func cancelledInFront() async throws {
        let queue = makeQueue(byteLimit: 30)
        for label in ["0", "1"] { try await queue.put(item(text(label))) }
        // Larger than the room that is left, as the small one behind it is not.
        let large = Task { try await queue.put(item(text("large"), bytes: 30)) }
        try await until { await queue.waitingProducers == 1 }
        let small = Task { try await queue.put(item(text("2"))) }
        try await until { await queue.waitingProducers == 2 }
        large.cancel()
        await #expect(throws: CancellationError.self) { try await large.value }
        try await small.value
        var labels: [String] = []
        for _ in 0..<3 { labels.append(await queue.take()?.label ?? "none") }
        #expect(labels == ["0", "1", "2"])
    }

    // Before, a producer that was woken for nothing could get behind those that had come later.
    @Test("producers that are cancelled while they wait leave the others in their order", arguments: 0..<50)
    func order(_: Int) async throws {
        let queue = makeQueue()
        try await queue.put(item(text("0")))
        var producers: [Task<Void, any Error>] = []
        for number in 1...4 {
            producers.append(Task { try await queue.put(item(text("\(number)"))) })
            try await until { await queue.waitingProducers == number }
        }
        producers[1].cancel()
        await #expect(throws: CancellationError.self) { try await producers[1].value }
        var labels: [String] = []
        for _ in 0..<4 { labels.append(await queue.take()?.label ?? "none") }
        #expect(labels == ["0", "1", "3", "4"])
    }

    private func makeQueue(byteLimit: Int = 10) -> Outbox<OutgoingQueue> {
        Outbox(
            OutgoingQueue(byteLimit: byteLimit, policy: .wait),
            eventLoop: MultiThreadedEventLoopGroup.singleton.next()
        )
    }
}
