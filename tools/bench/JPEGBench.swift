import Codecs
import Sessions

/// JPEG to an eighth of its size and to full size, from memory into a buffer that is used again.
func benchJPEG(_ arguments: Arguments) throws -> Report {
    let path = try arguments.operand(0, "a session")
    let rounds = try arguments.number("--rounds", default: 3)
    let frames = try loadFrames(path)
    let decoder = try JPEGDecoder()
    var eighth = try decoder.decode(frames[0].jpeg.bytes, eighths: 1)
    var full = try decoder.decode(frames[0].jpeg.bytes)
    var tally = Tally()
    for _ in 0..<rounds {
        var eighths = Samples()
        var fulls = Samples()
        for frame in frames {
            try eighths.measure { try decoder.decode(frame.jpeg.bytes, eighths: 1, into: &eighth) }
            try fulls.measure { try decoder.decode(frame.jpeg.bytes, into: &full) }
        }
        tally.add("eighth", eighths)
        tally.add("full size", fulls)
        try tally.addPeer(arguments.peer("jpeg_bench").map { [$0, path, "1"] })
    }
    return Report(
        title: "JPEG decode; ms",
        lines: [
            tally.line("eighth", peer: "tj_1/8_rgb", goal: Goal(1.1, stretch: 0.75)),
            tally.line("eighth", peer: "own_dc_only_1/8_rgb"),
            tally.line("full size", peer: "tj_full_rgb", goal: Goal(1.1)),
        ]
    )
}
