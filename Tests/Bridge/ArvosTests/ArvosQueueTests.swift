import Arvos
import NIOPosix
import Rosbridge
import Testing
import WebSocket

@Suite("What waits for a receiver of Arvos", .timeLimit(.minutes(1)))
struct ArvosQueueTests {
    private func packet(_ label: UInt8, _ stream: ArvosStream? = .imu) -> ArvosPacket {
        ArvosPacket(stream: stream, message: .binary([UInt8](repeating: label, count: 100)))
    }

    private func outbox(waits: Bool) -> Outbox<ArvosQueue> {
        Outbox(ArvosQueue(byteLimit: 150, waits: waits), eventLoop: MultiThreadedEventLoopGroup.singleton.next())
    }

    private func until(_ condition: () async -> Bool) async throws {
        while await !condition() { try await Task.sleep(for: .milliseconds(5)) }
    }

    /// Before, the second producer took the place of the first, which then waited for ever.
    @Test("several producers wait for room, and all go on in their order; answers pass them")
    func producers() async throws {
        let outbox = outbox(waits: true)
        await outbox.offer(packet(0))
        var producers: [Task<Void, Never>] = []
        for label: UInt8 in 1...3 {
            producers.append(Task { await outbox.offer(packet(label)) })
            try await until { await outbox.waitingProducers == Int(label) }
        }
        await outbox.offer(packet(9, nil))
        var labels: [UInt8?] = []
        for _ in 0..<5 { labels.append(await outbox.take()?.message.payload.first) }
        for producer in producers { await producer.value }
        #expect(labels == [0, 9, 1, 2, 3])
        #expect(await outbox.queue.dropped.isEmpty)
    }

    @Test("a producer that is cancelled waits no longer, and its packet is counted")
    func cancelled() async throws {
        let outbox = outbox(waits: true)
        await outbox.offer(packet(0))
        let producer = Task { await outbox.offer(packet(1)) }
        try await until { await outbox.waitingProducers == 1 }
        producer.cancel()
        await producer.value
        await outbox.finish(droppingRest: true)
        #expect(await outbox.queue.dropped == [.imu: 2])
        #expect(await outbox.take() == nil)
    }

    @Test("answers that nobody reads end the connection")
    func overrun() async {
        let outbox = outbox(waits: false)
        for _ in 0..<5000 { await outbox.offer(packet(0, nil)) }
        #expect(await outbox.wasOverrun)
        #expect(await outbox.take() == nil)
    }
}
