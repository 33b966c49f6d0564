import Dispatch
import Glibc
import Platform
import Synchronization
import Text

/// Standard output and standard error.
///
/// Results go to the first, everything else to the second. Names of topics, of devices and of files come from outside:
/// what a terminal would obey instead of showing it is escaped here, as JSON does it, so that JSON stays what it is.
enum Terminal {
    static func print(_ text: String) {
        guard StandardOutput.temporary == nil else { return printError(text) }
        write(Array((ForeignPath.told(text).withControlsEscaped + "\n").utf8))
    }

    /// Writes bytes to standard output as they are: text that was escaped as it was made.
    static func write(_ bytes: [UInt8]) {
        // What goes into a file or a pipe does not meet the line.
        guard isOutputInteractive else { return write(bytes[...], to: STDOUT_FILENO) }
        ProgressDisplay.shared.aside { write(bytes[...], to: STDOUT_FILENO) }
    }

    static func printError(_ text: String) {
        guard Invocation.current.isProcess else { return writeErrorLine(text) }
        ProgressDisplay.shared.aside { writeErrorLine(text) }
    }

    /// Takes away the line of progress, where there is one.
    static func wipeProgress() { ProgressDisplay.shared.aside {} }

    static var isErrorInteractive: Bool { Invocation.current.isProcess && isErrorTerminal }
    private static let isErrorTerminal = isatty(STDERR_FILENO) == 1

    static var isOutputInteractive: Bool { Invocation.current.isProcess && isOutputTerminal }
    private static let isOutputTerminal = isatty(STDOUT_FILENO) == 1

    // MARK: - For the display of progress only

    /// Writes a line to standard error, where no line of progress can be.
    static func writeErrorLine(_ text: String) {
        write(
            Array((ForeignPath.told(StandardOutput.named(text)).withControlsEscaped + "\n").utf8)[...],
            to: STDERR_FILENO
        )
    }

    /// Puts a text in place of the line that the cursor is in.
    static func replaceLine(_ text: String) { write(Array("\r\u{1B}[K\(text)".utf8)[...], to: STDERR_FILENO) }

    /// How many columns standard error has: of the terminal, else as COLUMNS says, else 80.
    static var errorColumns: Int { columns(of: STDERR_FILENO) }

    /// The same of standard output.
    static var outputColumns: Int { columns(of: STDOUT_FILENO) }

    /// The width of tables and facts on standard output; nil where it is no terminal, and with `--verbose`.
    static var textColumns: Int? {
        isOutputInteractive && !GivenOptions.isVerbose ? min(100, max(60, outputColumns)) : nil
    }

    private static func columns(of descriptor: Int32) -> Int {
        var size = winsize()
        if ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 { return Int(size.ws_col) }
        let said = getenv("COLUMNS").flatMap { Int(String(cString: $0)) } ?? 0
        return said > 0 ? said : 80
    }

    /// Writes everything.
    ///
    /// A closed pipe is no error: its reader wants no more. Results that are lost otherwise are an error.
    private static func write(_ content: ArraySlice<UInt8>, to descriptor: Int32) {
        if let collector = Invocation.current.collector {
            collector.yield(descriptor == STDOUT_FILENO ? .output(Array(content)) : .errors(Array(content)))
            return
        }
        var bytes = content
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count > 0 {
                bytes = bytes.dropFirst(count)
            } else if errno == EPIPE {
                exit(ExitStatus.done.rawValue)
            } else if errno != EINTR && errno != EAGAIN {
                if descriptor == STDERR_FILENO { return }
                let reason = String(cString: strerror(errno))
                writeErrorLine("mapeverything: output: standard output: expected to write, found: \(reason)")
                exit(ExitStatus.ioError.rawValue)
            }
        }
    }
}

/// Interrupts: the first asks for an orderly end, the second ends at once.
enum Signals {
    /// Has writing fail with an error, where it would end the process: closed pipes, and files at their size limit.
    static func ignoreFailedWrites() {
        signal(SIGPIPE, SIG_IGN)
        signal(SIGXFSZ, SIG_IGN)
    }

    fileprivate static let numbers = [SIGINT, SIGTERM]

    /// Has an interrupt end the process with its status wherever nothing is to be brought to an end first.
    ///
    /// A process in the background of a shell without job control goes on ignoring interrupts.
    static func endAtOnce() {
        for number in numbers {
            let previous = signal(number) { _ in _exit(ExitStatus.interrupted.rawValue) }
            if unsafeBitCast(previous, to: Int.self) == unsafeBitCast(SIG_IGN, to: Int.self) { signal(number, SIG_IGN) }
        }
    }

    /// Runs a task that the first SIGINT or SIGTERM cancels.
    ///
    /// - Parameter endsAtOnce: true to end the process at the first one, for work that asks for no cancellation and may
    ///   be ended at any time.
    /// - Returns: what the task returns; it decides for itself what is still to be done after a cancellation.
    static func cancelling<Value: Sendable>(
        endsAtOnce: Bool = false,
        _ work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        guard Invocation.current.isProcess else { return try await work() }
        let (interrupts, noted) = AsyncStream<Void>.makeStream()
        let count = InterruptCount { heard in
            if heard > 1 || endsAtOnce { end() }
            noted.yield()
        }
        // Heard before the work begins: what it prints first may be what an interrupt waits for.
        await Interrupts.shared.begin(count)
        let task = Task {
            defer { count.noteDone() }
            return try await work()
        }
        let listener = Task {
            for await _ in interrupts { task.cancel() }
        }
        let result = await task.result
        listener.cancel()
        // What comes behind the work, such as a pipe without a reader, must not wait for ever.
        await Interrupts.shared.end(count)
        // One that came when the work was done, and before this, has ended nothing yet.
        if count.isAnyUnanswered { end() }
        return try result.get()
    }

    fileprivate static func end() -> Never {
        Terminal.wipeProgress()
        exit(ExitStatus.interrupted.rawValue)
    }
}

/// Hears interrupts from the first work on until the process ends: a source of signals that takes the place of one that was
/// cancelled hears nothing. On a queue of its own it hears them also while workers take every thread.
private actor Interrupts {
    static let shared = Interrupts()

    private nonisolated let executor = QueueExecutor("mapeverything.interrupts")
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    /// What is asked to end; without any the process ends.
    private var work: [InterruptCount] = []
    private var sources: [any DispatchSourceSignal] = []

    func begin(_ one: InterruptCount) async {
        work.append(one)
        if sources.isEmpty { await listen() }
    }

    func end(_ one: InterruptCount) { work.removeAll { $0 === one } }

    private func listen() async {
        for number in Signals.numbers {
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: executor.queue)
            sources.append(source)
            source.setEventHandler { self.assumeIsolated { $0.note() } }
            await withCheckedContinuation { isHeard in
                source.setRegistrationHandler { isHeard.resume() }
                source.resume()
            }
        }
    }

    private func note() {
        if work.isEmpty { Signals.end() }
        for one in work { one.note() }
    }
}

/// How many interrupts came, and how many of them before the work was done.
private final class InterruptCount: Sendable {
    private let heard = Atomic(0)
    private let whenDone = Atomic(0)
    private let whenHeard: @Sendable (Int) -> Void

    /// - Parameter whenHeard: gets how many there are, with each.
    init(_ whenHeard: @escaping @Sendable (Int) -> Void) { self.whenHeard = whenHeard }

    /// Notes one more.
    func note() { whenHeard(heard.add(1, ordering: .sequentiallyConsistent).newValue) }

    func noteDone() {
        whenDone.store(heard.load(ordering: .sequentiallyConsistent), ordering: .sequentiallyConsistent)
    }

    var isAnyUnanswered: Bool {
        heard.load(ordering: .sequentiallyConsistent) > whenDone.load(ordering: .sequentiallyConsistent)
    }
}
