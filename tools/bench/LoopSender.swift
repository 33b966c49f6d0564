import Glibc
import NIOCore
import Rosbridge

/// Sends from where the socket is, as the publisher does.
actor LoopSender {
    private let eventLoop: any EventLoop
    private var answered = 0
    private var waiter: CheckedContinuation<Void, Never>?

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

    /// Sends with barriers as the publisher does: one after so many messages, of which two may be unanswered.
    ///
    /// Returns the time for each message, averaged over those between two barriers.
    func sendConfirmed(
        _ text: [UInt8],
        count: Int,
        window: Int,
        over transport: WebSocketTransport
    ) async throws -> Samples {
        let receiving = Task {
            for try await batch in transport.batches {
                answered += batch.count
                transport.receiveMore()
                waiter?.resume()
                waiter = nil
            }
        }
        var time = Samples()
        var asked = 0
        for number in 0..<(count / window) {
            let start = clock(CLOCK_MONOTONIC)
            for _ in 0..<window { try await transport.send(text: text) }
            let call = #"{"op":"call_service","id":"barrier-\#(number)","service":"/rosapi/get_time"}"#
            try await transport.send(text: Array(call.utf8))
            asked += 1
            while asked - answered >= 2 { await withCheckedContinuation { waiter = $0 } }
            // The first ones find their pace.
            if number >= 5 { time.append((clock(CLOCK_MONOTONIC) - start) / Double(window)) }
        }
        while answered < asked { await withCheckedContinuation { waiter = $0 } }
        receiving.cancel()
        return time
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
