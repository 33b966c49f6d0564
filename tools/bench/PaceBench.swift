import Glibc
import Messages
import Rosbridge

/// How late a paced replay's messages arrive, and what it takes, while another process keeps a processor busy.
///
/// Each arrival is set against the message's stamp; the one that came soonest counts as on time.
func benchPace(_ arguments: Arguments) async throws -> Report {
    guard let binary = arguments.string("--binary") else { throw BenchError("--binary: expected the command") }
    let session = try arguments.operand(0, "a session")
    let seconds = try arguments.number("--seconds", default: 60)
    let recorder = ArrivalRecorder()
    let server = RosbridgeServer(ServerOptions { $0.port = 0 }, delegate: recorder)
    let port = try await server.start()
    let busy = try ChildProcess(["chrt", "--other", "0", "sh", "-c", "while :; do :; done"])
    let replay = Task.detached {
        try run(
            [
                binary, "replay", session, "--url", "127.0.0.1:\(port)", "--duration", "\(seconds)", "--profile",
                "record",
            ]
        )
    }
    let result = try await replay.value
    busy.stop()
    await server.stop()
    guard result.status == 0 else {
        throw BenchError("\(binary): ended with status \(result.status)\n\(result.output)")
    }
    let lateness = await recorder.latenessMilliseconds
    guard let worst = lateness.last else { throw BenchError("\(session): expected messages, found none") }
    let median = lateness[lateness.count / 2]
    let highest = lateness[min(lateness.count - 1, lateness.count * 99 / 100)]
    let share = result.processorMilliseconds / result.milliseconds * 100
    func line(_ name: String, _ value: Double, _ goal: (String, Double)?, note: String = "") -> ReportLine {
        var tally = Tally()
        tally.add(name, value)
        guard let goal else { return tally.line(name, note: note) }
        tally.add(goal.0, goal.1)
        return tally.line(name, note: note, peer: goal.0, goal: Goal(1))
    }
    return Report(
        title: "replay at rate 1 for \(seconds) s beside a busy process; ms, %, MB",
        lines: [
            line("lateness, median", median, ("2 ms", 2), note: "\(lateness.count) messages"),
            line("lateness, 99 of 100", highest, ("10 ms", 10)),
            line("lateness, worst", worst, nil),
            line("processor, % of one", share, ("6 %", 6)),
            line("peak memory, MB", result.peakResidentMegabytes, ("96 MB", 96)),
        ]
    )
}

/// Notes how long after its stamp each message arrived.
private actor ArrivalRecorder: RecorderDelegate {
    private var delays: [Int64] = []

    func received(_ messages: [StampedMessage], from client: RecorderClient) async throws -> [Refusal] {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        // What is latched carries the stamp of the first frame, and comes first.
        for message in messages where !message.topic.isLatched {
            guard let stamp = message.message.headerStampNanoseconds else { continue }
            delays.append(Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec) - stamp)
        }
        return []
    }

    /// Sorted; 0 for the message that came soonest.
    var latenessMilliseconds: [Double] {
        let sorted = delays.sorted()
        guard let first = sorted.first else { return [] }
        return sorted.map { Double($0 - first) / 1e6 }
    }
}
