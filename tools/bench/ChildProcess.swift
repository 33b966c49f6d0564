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

/// Runs a program and waits for it; its standard output is collected, its error output goes to ours.
func run(_ words: [String]) throws(BenchError) -> ChildResult {
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0 else { throw BenchError("pipe: error \(errno)") }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, ends[1], 1)
    posix_spawn_file_actions_addclose(&actions, ends[0])
    posix_spawn_file_actions_addclose(&actions, ends[1])

    var arguments = words.map { strdup($0) } + [nil]
    defer { for argument in arguments { free(argument) } }
    let start = ContinuousClock.now
    var child: pid_t = 0
    let problem = posix_spawnp(&child, words[0], &actions, nil, &arguments, environ)
    close(ends[1])
    guard problem == 0 else {
        close(ends[0])
        throw BenchError("\(words[0]): cannot be started, error \(problem)")
    }
    let output = readAll(ends[0])
    close(ends[0])
    var status: Int32 = 0
    var usage = rusage()
    while wait4(child, &status, 0, &usage) < 0 && errno == EINTR {}
    return ChildResult(
        status: status,
        output: output,
        milliseconds: (ContinuousClock.now - start).milliseconds,
        processorMilliseconds: milliseconds(usage.ru_utime) + milliseconds(usage.ru_stime),
        peakResidentMegabytes: Double(usage.ru_maxrss) / 1024
    )
}

/// The medians that a peer prints: lines of `name median minimum maximum count [notes]`.
func peerMedians(_ words: [String]) throws(BenchError) -> [String: Double] {
    let result = try run(words)
    guard result.status == 0 else { throw BenchError("\(words[0]): ended with status \(result.status)") }
    var medians: [String: Double] = [:]
    for line in result.output.split(separator: "\n") {
        let fields = line.split(separator: " ", omittingEmptySubsequences: true)
        if fields.count >= 5, let median = Double(fields[1]) { medians[String(fields[0])] = median }
    }
    return medians
}

private func readAll(_ descriptor: Int32) -> String {
    var bytes: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
        let count = read(descriptor, &buffer, buffer.count)
        if count > 0 { bytes.append(contentsOf: buffer[..<count]) }
        if count == 0 || (count < 0 && errno != EINTR) { return String(decoding: bytes, as: UTF8.self) }
    }
}

private func milliseconds(_ time: timeval) -> Double {
    Double(time.tv_sec) * 1e3 + Double(time.tv_usec) / 1e3
}
