import NIOCore
import NIOPosix
import ROS
import Rosbridge
import Testing

extension QueueActor {
    /// Takes an item, for which a producer is woken, and cancels that one before it can run.
    fileprivate func take(cancelling producer: Task<Void, any Error>) async {
        _ = await take()
        producer.cancel()
    }
}

@Suite("Queue and its producers", .timeLimit(.minutes(1)))
struct QueueActorTests {
    @Test("a producer that is cancelled as it is woken leaves its room to the next one")
    func cancelledWhileWoken() async throws {
        let queue = QueueActor(
            OutgoingQueue(byteLimit: 10, policy: .wait),
            eventLoop: MultiThreadedEventLoopGroup.singleton.next()
        )
        try await queue.put(item(text("0")))
        let first = Task { try await queue.put(item(text("1"))) }
        try await until { await queue.waitingProducers == 1 }
        let second = Task { try await queue.put(item(text("2"))) }
        try await until { await queue.waitingProducers == 2 }
        await queue.take(cancelling: first)
        await #expect(throws: CancellationError.self) { try await first.value }
        // Before, nobody woke this one: it waited for ever, in a queue with room.
        try await second.value
        #expect(await queue.take()?.label == "2")
    }

    @Test("producers that fail or are cancelled while they wait leave the others in their order")
    func order() async throws {
        let queue = QueueActor(
            OutgoingQueue(byteLimit: 10, policy: .wait),
            eventLoop: MultiThreadedEventLoopGroup.singleton.next()
        )
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
}
