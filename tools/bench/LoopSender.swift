import NIOCore
import Rosbridge

/// Sends from where the socket is, as the publisher does.
actor LoopSender {
    private let eventLoop: any EventLoop

    init(eventLoop: any EventLoop) {
        self.eventLoop = eventLoop
    }

    nonisolated var unownedExecutor: UnownedSerialExecutor { eventLoop.executor.asUnownedSerialExecutor() }

    func send(_ text: [UInt8], count: Int, over transport: WebSocketTransport) async throws -> Samples {
        for _ in 0..<10 { try await transport.send(text: text) }
        var samples = Samples()
        for _ in 0..<count {
            let start = ContinuousClock.now
            try await transport.send(text: text)
            samples.append((ContinuousClock.now - start).milliseconds)
        }
        return samples
    }
}
