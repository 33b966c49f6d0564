import Glibc

/// What a program did when it was run to its end.
struct ChildResult {
    var status: Int32
    var output: String
    var milliseconds: Double
    /// User and system time.
    var processorMilliseconds: Double
    var peakResidentMegabytes: Double
}

/// A program that runs beside this one, and whose standard output is read from a pipe.
final class ChildProcess {
    private let identifier: pid_t
    private let descriptor: Int32
    private var hasEnded = false

    init(_ words: [String]) throws(BenchError) {
        var ends: [Int32] = [0, 0]
        guard pipe(&ends) == 0 else { throw BenchError("pipe: error \(errno)") }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
        posix_spawn_file_actions_addclose(&actions, ends[0])
        posix_spawn_file_actions_addclose(&actions, ends[1])
        // Threads of a pool have all signals blocked, which a child would inherit.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var signals = sigset_t()
        sigemptyset(&signals)
        posix_spawnattr_setsigmask(&attributes, &signals)
        posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
        var arguments = words.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        var child: pid_t = 0
        let problem = posix_spawnp(&child, words[0], &actions, &attributes, &arguments, environ)
        close(ends[1])
        identifier = child
        descriptor = ends[0]
        guard problem == 0 else {
            hasEnded = true
            throw BenchError("\(words[0]): cannot be started, error \(problem)")
        }
    }

    deinit {
        stop()
        close(descriptor)
    }

    /// Everything that the program prints, until it ends.
    func readOutput() -> String {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = read(descriptor, &buffer, buffer.count)
            if count > 0 { bytes.append(contentsOf: buffer[..<count]) }
            if count == 0 || (count < 0 && errno != EINTR) { return String(decoding: bytes, as: UTF8.self) }
        }
    }

    /// Waits for the end.
    func wait() -> (status: Int32, usage: rusage) {
        var status: Int32 = 0
        var usage = rusage()
        while wait4(identifier, &status, 0, &usage) < 0 && errno == EINTR {}
        hasEnded = true
        return (status, usage)
    }

    /// Ends the program if it still runs.
    func stop() {
        guard !hasEnded else { return }
        kill(identifier, SIGTERM)
        _ = wait()
    }

    /// Waits, for two seconds at most, until something listens on a port of this machine.
    ///
    /// Looks it up instead of connecting, as the program may count connections.
    func waitForPort(_ port: String) {
        guard let number = UInt16(port) else { return }
        let digits = String(number, radix: 16, uppercase: true)
        let wanted = ":" + String(repeating: "0", count: 4 - digits.count) + digits + " 00000000:0000 0A"
        for _ in 0..<200 {
            if let table = try? run(["cat", "/proc/net/tcp"]).output, table.contains(wanted) { return }
            usleep(10_000)
        }
    }
}

/// Runs a program and waits for it; its standard output is collected, its error output goes to ours.
func run(_ words: [String]) throws(BenchError) -> ChildResult {
    let start = ContinuousClock.now
    let child = try ChildProcess(words)
    let output = child.readOutput()
    let (status, usage) = child.wait()
    return ChildResult(
        status: status,
        output: output,
        milliseconds: (ContinuousClock.now - start).milliseconds,
        processorMilliseconds: milliseconds(usage.ru_utime) + milliseconds(usage.ru_stime),
        peakResidentMegabytes: Double(usage.ru_maxrss) / 1024
    )
}

/// The medians that a peer prints: lines of `name median minimum maximum count [notes]`.
///
/// A note `cpu=median` is the processor's time; it counts as `name CPU`.
func peerMedians(_ words: [String]) throws(BenchError) -> [String: Double] {
    let result = try run(words)
    guard result.status == 0 else { throw BenchError("\(words[0]): ended with status \(result.status)") }
    var medians: [String: Double] = [:]
    for line in result.output.split(separator: "\n") {
        let fields = line.split(separator: " ", omittingEmptySubsequences: true)
        guard fields.count >= 5, let median = Double(fields[1]) else { continue }
        medians[String(fields[0])] = median
        for note in fields[5...] where note.hasPrefix("cpu=") {
            medians["\(fields[0]) CPU"] = Double(note.dropFirst(4))
        }
    }
    return medians
}

/// A folder, with those above it.
func makeDirectory(_ path: String) throws(BenchError) {
    guard try run(["mkdir", "-p", path]).status == 0 else { throw BenchError("\(path): cannot be created") }
}

private func milliseconds(_ time: timeval) -> Double {
    Double(time.tv_sec) * 1e3 + Double(time.tv_usec) / 1e3
}
