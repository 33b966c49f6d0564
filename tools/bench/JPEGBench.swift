import Codecs
import Sessions

/// JPEG to an eighth of its size and to full size, from memory into a buffer that is used again.
func benchJPEG(_ arguments: Arguments) throws -> Report {
    let path = try arguments.operand(0, "a session")
    let rounds = try arguments.number("--rounds", default: 3)
    let frames = try loadFrames(path)
    let decoder = try JPEGDecoder()
    var eighth = try decoder.decodeEighth(frames[0].jpeg.bytes)
    var full = try decoder.decodeFull(frames[0].jpeg.bytes)
    var samples = [Samples(), Samples()]
    var roundMedians = [Samples(), Samples()]
    var peers: [String: Samples] = [:]
    for _ in 0..<rounds {
        var round = [Samples(), Samples()]
        for frame in frames {
            try round[0].measure { try decoder.decodeEighth(frame.jpeg.bytes, into: &eighth) }
            try round[1].measure { try decoder.decodeFull(frame.jpeg.bytes, into: &full) }
        }
        for index in 0..<2 {
            round[index].milliseconds.forEach { samples[index].append($0) }
            roundMedians[index].append(round[index].median)
        }
        if let peer = arguments.peer("jpeg_bench") {
            for (name, median) in try peerMedians([peer, path, "1"]) {
                peers[name, default: Samples()].append(median)
            }
        }
    }
    func line(_ name: String, _ index: Int, peer: String, goal: ReportLine.Goal?) -> ReportLine {
        var line = ReportLine(name: name, samples: samples[index])
        if let other = peers[peer] {
            let ratio = roundMedians[index].median / other.median
            line.peer = ReportLine.Comparison(name: peer, median: other.median, ratio: ratio, goal: goal)
        }
        return line
    }
    return Report(
        title: "JPEG decode",
        lines: [
            line("eighth", 0, peer: "tj_1/8_rgb", goal: ReportLine.Goal(must: 1.1, stretch: 0.75)),
            line("eighth", 0, peer: "own_dc_only_1/8_rgb", goal: nil),
            line("full size", 1, peer: "tj_full_rgb", goal: ReportLine.Goal(must: 1.1)),
        ]
    )
}
