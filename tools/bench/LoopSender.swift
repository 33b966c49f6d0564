import Glibc
import NIOCore
import Rosbridge

/// Sends from where the socket is, as the publisher does.
actor LoopSender {
    private let eventLoop: any EventLoop

    init(eventLoop: any EventLoop) {
        self.eventLoop = eventLoop
    }

    nonisolated var unownedExecutor: UnownedSerialExecutor { eventLoop.executor.asUnownedSerialExecutor() }

    /// Returns the time that each message took, and how much of it was the processor's.
    func send(
        _ text: [UInt8],
        count: Int,
        over transport: WebSocketTransport
    ) async throws -> (time: Samples, processor: Samples) {
        for _ in 0..<10 { try await transport.send(text: text) }
        var time = Samples()
        var processor = Samples()
        for _ in 0..<count {
            let start = (clock(CLOCK_MONOTONIC), clock(CLOCK_THREAD_CPUTIME_ID))
            try await transport.send(text: text)
            time.append(clock(CLOCK_MONOTONIC) - start.0)
            processor.append(clock(CLOCK_THREAD_CPUTIME_ID) - start.1)
        }
        return (time, processor)
    }

    /// Sends messages one after the other.
    func send(_ texts: [[UInt8]], over transport: WebSocketTransport) async throws {
        for text in texts { try await transport.send(text: text) }
    }

    private func clock(_ identifier: clockid_t) -> Double {
        var time = timespec()
        clock_gettime(identifier, &time)
        return Double(time.tv_sec) * 1e3 + Double(time.tv_nsec) * 1e-6
    }
}
