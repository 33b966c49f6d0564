import Dispatch
import Glibc

/// Interrupts: the first asks for an orderly end, the second ends at once.
enum Signals {
    /// Has writing fail with an error, where it would end the process: closed pipes, and files at their size limit.
    static func ignoreFailedWrites() {
        signal(SIGPIPE, SIG_IGN)
        signal(SIGXFSZ, SIG_IGN)
    }

    /// Runs a task that the first SIGINT or SIGTERM cancels.
    ///
    /// - Parameter endsAtOnce: whether the first one ends the process, for work that asks for no cancellation and may
    ///   be ended at any time.
    /// - Returns: what the task returns; it decides for itself what is still to be done after a cancellation.
    static func cancelling<Value: Sendable>(
        endsAtOnce: Bool = false,
        _ work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        let (interrupts, noted) = AsyncStream<Void>.makeStream()
        var sources: [any DispatchSourceSignal] = []
        // Heard before the work begins: what it prints first may be what an interrupt waits for.
        for number in [SIGINT, SIGTERM] {
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler {
                if endsAtOnce { end() }
                noted.yield()
            }
            await withCheckedContinuation { isHeard in
                source.setRegistrationHandler { isHeard.resume() }
                source.resume()
            }
            sources.append(source)
        }
        let task = Task { try await work() }
        let listener = Task {
            var count = 0
            for await _ in interrupts {
                count += 1
                if count == 1 { task.cancel() } else { end() }
            }
        }
        defer {
            listener.cancel()
            for source in sources { source.cancel() }
        }
        return try await task.value
    }

    private static func end() -> Never {
        Terminal.wipeProgress()
        exit(ExitStatus.interrupted.rawValue)
    }
}
