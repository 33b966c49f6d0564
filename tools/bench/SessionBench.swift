import Codecs
import Sessions

/// Whole commands on a session of 600 frames beside plain work on the same files: `inspect`, `check` beside decoding the
/// pictures, `export` beside `cp -r` of them.
///
/// `--binary` names the release build of the command.
func benchSession(_ arguments: Arguments) throws -> Report {
    let session = try arguments.operand(0, "a session in the native layout")
    guard let binary = arguments.string("--binary") else { throw BenchError("--binary: expected the command") }
    let rounds = try arguments.number("--rounds", default: 3)
    let scratch = try ScratchFolder(arguments)
    defer { scratch.remove() }
    let frames = try loadFrames(session)
    let decoder = try JPEGDecoder()
    var picture = try decoder.decode(frames[0].jpeg.bytes)
    let output = scratch("output")
    let jobs = [
        ("inspect", [binary, "inspect", session]), ("check", [binary, "check", session]),
        ("export --to ngp", [binary, "export", session, "--to", "ngp", "-q", "-o", output]),
        ("export --to colmap", [binary, "export", session, "--to", "colmap", "-q", "-o", output]),
        ("cp -r", ["cp", "-r", "\(session)/rgb", output]),
    ]
    var tally = Tally()
    for _ in 0..<rounds {
        for (name, words) in jobs {
            _ = try run(["rm", "-rf", output])
            let result = try run(words)
            // A finding is no failure here.
            guard result.status & 0x7F == 0, result.status >> 8 <= 1 else {
                throw BenchError("\(name): ended with status \(result.status >> 8)")
            }
            tally.add(name, result.milliseconds)
            tally.add("\(name), processor", result.processorMilliseconds)
        }
        var decoding = Samples()
        try decoding.measure {
            for frame in frames { try decoder.decode(frame.jpeg.bytes, into: &picture) }
        }
        tally.add("pictures decoded", decoding)
        tally.add("30 ms", 30)
    }
    return Report(
        title: "commands on a session of \(frames.count) frames, whole processes; ms",
        lines: [
            tally.line("inspect", peer: "30 ms", goal: Goal(1)),
            tally.line("inspect, processor"),
            tally.line("check"),
            tally.line("check, processor", peer: "pictures decoded", goal: Goal(1.2)),
            tally.line("export --to ngp", peer: "cp -r", goal: Goal(1.3)),
            tally.line("export --to colmap", peer: "cp -r", goal: Goal(1.3)),
            tally.line("export --to colmap, processor", peer: "cp -r, processor"),
        ]
    )
}
