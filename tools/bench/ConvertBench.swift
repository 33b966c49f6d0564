/// A chunk of the phone app to CDR, whole processes: ours, and the same in Python with json, base64 and rosbags.
///
/// `--binary` names the release build of the command, `--python` an interpreter with the Python peers' packages.
func benchConversion(_ arguments: Arguments) throws -> Report {
    let bag = try arguments.operand(0, "a bag of the serialization rosbridge_json")
    guard let binary = arguments.string("--binary") else { throw BenchError("--binary: expected the command") }
    let rounds = try arguments.number("--rounds", default: 5)
    let scratch = try ScratchFolder(arguments)
    defer { scratch.remove() }
    let ours = [binary, "convert", bag, "-o", scratch("ours"), "--force"]
    let theirs = try arguments.interpreter(with: "rosbags").map {
        let script = try Repository.path("tools/peers/convert_chunk.py")
        return [$0, script, bag, scratch("theirs"), try Repository.path("ros2/mapeverything_msgs")]
    }
    // What starting the interpreter and importing the libraries takes, to tell it from the conversion.
    let imports = arguments.string("--python").map {
        [$0, "-c", "import numpy, rosbags.rosbag2, rosbags.typesys as t; t.get_typestore(t.Stores.ROS2_JAZZY)"]
    }
    var tally = Tally()
    var megabytes = Samples()
    for _ in 0..<rounds {
        for (name, words) in [("convert", ours), ("python", theirs ?? []), ("python imports", imports ?? [])] {
            guard !words.isEmpty else { continue }
            let result = try run(words)
            guard result.status == 0 else { throw BenchError("\(name): ended with status \(result.status)") }
            tally.add(name, result.milliseconds)
            tally.add("\(name), processor", result.processorMilliseconds)
            if name == "convert" { megabytes.append(result.peakResidentMegabytes) }
        }
    }
    let note = "\(fixed(megabytes.median, 1, digits: 0)) MB"
    return Report(
        title: "a chunk of the app to CDR, whole processes; ms",
        lines: [
            tally.line("convert", note: note, peer: "python", goal: Goal(1.0 / 12)),
            tally.line("convert, processor", peer: "python, processor"),
            tally.line("python imports"),
        ]
    )
}
