import Dispatch
import Glibc

/// Interrupts: the first asks for an orderly end, the second ends at once.
enum Signals {
    /// Has writing fail with an error, where it would end the process: closed pipes, and files at their size limit.
    static func ignoreFailedWrites() {
        signal(SIGPIPE, SIG_IGN)
        signal(SIGXFSZ, SIG_IGN)
    }

    private static let numbers = [SIGINT, SIGTERM]

    /// Has an interrupt end the process with its status wherever nothing is to be brought to an end first.
    ///
    /// What was started in the background of a shell without job control goes on ignoring interrupts.
    static func endAtOnce() {
        for number in numbers {
            let previous = signal(number) { _ in _exit(ExitStatus.interrupted.rawValue) }
            if unsafeBitCast(previous, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self) { signal(number, SIG_IGN) }
        }
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
        var previous: [(number: Int32, handler: sighandler_t?)] = []
        for number in numbers {
            previous.append((number, signal(number, SIG_IGN)))
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
            // What comes behind the work, such as a pipe without a reader, must not wait for ever.
            for (number, handler) in previous { signal(number, handler) }
        }
        return try await task.value
    }

    private static func end() -> Never {
        Terminal.wipeProgress()
        exit(ExitStatus.interrupted.rawValue)
    }
}
