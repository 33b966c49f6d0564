import Dispatch
import Foundation
import Glibc
import Synchronization

/// A program that runs beside the test: its output is read while it runs, and it never outlives the value.
///
/// Waiting blocks a thread of its own, none of those that other tests run on.
actor ChildProcess {
    enum Failure: Error, CustomStringConvertible {
        case cannotStart(String, Int32)
        case noSuchLine(wanted: String, Outcome)
        case stillRunning(Outcome)

        var description: String {
            switch self {
            case .cannotStart(let program, let code): "cannot start \(program): \(String(cString: strerror(code)))"
            case .noSuchLine(let wanted, let outcome): "no line with \"\(wanted)\": \(outcome.everything)"
            case .stillRunning(let outcome): "had to be killed: \(outcome.everything)"
            }
        }
    }

    private enum Stream: Int, CaseIterable {
        case output
        case errors
    }

    /// A pipe is open for a moment before it is marked to be closed in others.
    private static let starting = Mutex(())

    nonisolated let identifier: pid_t
    private let executor = QueueExecutor()
    private var descriptors: [Int32]
    private var collected: [[UInt8]] = [[], []]
    /// Where each stream's next line is looked for.
    private var positions = [0, 0]
    private var isReaped: Bool

    /// Starts a program with `environment` on top of the test's own.
    init(
        _ program: String,
        _ arguments: [String],
        environment: [String: String] = [:],
        input: String = "/dev/null"
    ) throws {
        let (child, result, descriptors) = try Self.starting.withLock { _ in
            try Self.spawn(program, arguments, environment, input)
        }
        self.descriptors = descriptors
        identifier = child
        isReaped = result != 0
        Binary.noteStart(of: [program] + arguments)
        guard result == 0 else { throw Failure.cannotStart(program, result) }
    }

    deinit {
        if !isReaped {
            kill(identifier, SIGKILL)
            var status: Int32 = 0
            waitpid(identifier, &status, 0)
        }
        for descriptor in descriptors where descriptor >= 0 { close(descriptor) }
    }

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    func signal(_ number: Int32) {
        if !isReaped { kill(identifier, number) }
    }

    private static func spawn(
        _ program: String,
        _ arguments: [String],
        _ environment: [String: String],
        _ input: String
    ) throws -> (pid_t, Int32, [Int32]) {
        let pipes = try Stream.allCases.map { _ in
            var ends: [Int32] = [-1, -1]
            guard pipe(&ends) == 0 else { throw Failure.cannotStart(program, errno) }
            // Closed in every other program that is started meanwhile, so that the end of output is this one's end.
            for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
            return ends
        }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, input, O_RDONLY, 0)
        posix_spawn_file_actions_adddup2(&actions, pipes[0][1], STDOUT_FILENO)
        posix_spawn_file_actions_adddup2(&actions, pipes[1][1], STDERR_FILENO)
        // Threads that wait here block signals, which a program would inherit.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var none = sigset_t()
        sigemptyset(&none)
        posix_spawnattr_setsigmask(&attributes, &none)
        // So would it what a command ignores that runs in this process meanwhile.
        var all = sigset_t()
        sigfillset(&all)
        posix_spawnattr_setsigdefault(&attributes, &all)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF))
        var variables = ProcessInfo.processInfo.environment.merging(environment) { _, new in new }
        if environment["MAPEVERYTHING_URL"] == nil { variables["MAPEVERYTHING_URL"] = nil }
        let texts = variables.map { "\($0.key)=\($0.value)" }
        var child: pid_t = 0
        let result = withCStrings([program] + arguments) { argv in
            withCStrings(texts) { envp in posix_spawnp(&child, program, &actions, &attributes, argv, envp) }
        }
        for ends in pipes { close(ends[1]) }
        return (child, result, pipes.map { $0[0] })
    }

    /// Waits for a line of standard error, and returns it.
    func waitForError(_ text: String, seconds: Double = 60) throws -> String {
        try wait(for: text, in: .errors, seconds)
    }

    /// Waits for a line of standard output, and returns it.
    func waitForOutput(_ text: String, seconds: Double = 60) throws -> String {
        try wait(for: text, in: .output, seconds)
    }

    /// Waits for the end; a program that does not end in time is killed, and an error.
    func finish(seconds: Double = 120) throws -> Outcome {
        let deadline = Date(timeIntervalSinceNow: seconds)
        while descriptors.contains(where: { $0 >= 0 }) {
            guard pump(until: deadline) else {
                kill(identifier, SIGKILL)
                let status = reap()
                throw Failure.stillRunning(outcome(status))
            }
        }
        return outcome(reap())
    }

    private func wait(for text: String, in stream: Stream, _ seconds: Double) throws -> String {
        let deadline = Date(timeIntervalSinceNow: seconds)
        let index = stream.rawValue
        while true {
            while let end = collected[index][positions[index]...].firstIndex(of: UInt8(ascii: "\n")) {
                let line = String(decoding: collected[index][positions[index]..<end], as: UTF8.self)
                positions[index] = end + 1
                if line.contains(text) { return line }
            }
            guard descriptors[index] >= 0, pump(until: deadline) else {
                throw Failure.noSuchLine(wanted: text, outcome(-1))
            }
        }
    }

    /// Takes what the program has written; returns whether anything came before the deadline.
    private func pump(until deadline: Date) -> Bool {
        var polled = descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
        let milliseconds = max(0, min(deadline.timeIntervalSinceNow * 1000, 1e9))
        guard poll(&polled, nfds_t(polled.count), Int32(milliseconds)) > 0 else { return false }
        var block = [UInt8](repeating: 0, count: 65_536)
        for (index, entry) in polled.enumerated() where entry.revents != 0 {
            let count = read(entry.fd, &block, block.count)
            if count > 0 {
                collected[index] += block[..<count]
            } else {
                close(entry.fd)
                descriptors[index] = -1
            }
        }
        return true
    }

    private func reap() -> Int32 {
        var status: Int32 = 0
        while waitpid(identifier, &status, 0) == -1, errno == EINTR {}
        isReaped = true
        // A signal's number is in the low bits; shells report it so.
        return status & 0x7F == 0 ? (status >> 8) & 0xFF : 128 + (status & 0x7F)
    }

    private func outcome(_ status: Int32) -> Outcome {
        Outcome(
            status: status,
            output: String(decoding: collected[0], as: UTF8.self),
            errors: String(decoding: collected[1], as: UTF8.self)
        )
    }
}

/// Runs an actor on a thread that may be blocked.
private final class QueueExecutor: SerialExecutor {
    private let queue = DispatchQueue(label: "child process")

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }
}

/// What a program did.
struct Outcome: Sendable, CustomStringConvertible {
    /// The exit status, or 128 and the number of the signal that ended it.
    var status: Int32
    var output: String
    var errors: String

    var everything: String { "status \(status)\n\(output.suffix(4000))\n\(errors.suffix(4000))" }
    var description: String { everything }
}

private func withCStrings<Result>(
    _ texts: [String],
    _ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>) -> Result
) -> Result {
    let pointers = texts.map { strdup($0) } + [nil]
    defer { for pointer in pointers { free(pointer) } }
    return pointers.withUnsafeBufferPointer { buffer in
        guard let base = buffer.baseAddress else { preconditionFailure("a nil ends the array: it is never empty") }
        return body(base)
    }
}
