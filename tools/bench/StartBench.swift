/// How long the command takes to start, and to inspect a session.
func benchStart(_ arguments: Arguments) throws -> Report {
    guard let binary = arguments.string("--binary") else { throw BenchError("--binary: expected the command") }
    let rounds = try arguments.number("--rounds", default: 20)
    var tally = Tally()
    var megabytes = Samples()
    for _ in 0..<rounds {
        let version = try run([binary, "--version"])
        tally.add("--version", version.milliseconds)
        megabytes.append(version.peakResidentMegabytes)
        tally.add("true", try run(["true"]).milliseconds)
        tally.add("10 ms", 10)
        if let session = arguments.operands.first {
            tally.add("inspect", try run([binary, "inspect", session]).milliseconds)
        }
    }
    let note = "\(fixed(megabytes.median, 1, digits: 1)) MB"
    var report = Report(
        title: "start; ms",
        lines: [tally.line("--version", note: note, peer: "10 ms", goal: Goal(1, stretch: 0.3)), tally.line("true")]
    )
    if !arguments.operands.isEmpty { report.lines.append(tally.line("inspect")) }
    return report
}
