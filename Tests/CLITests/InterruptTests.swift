import Foundation
import TestSupport
import Testing

/// SIGINT and SIGTERM at any moment: every command ends soon, with status 130, and leaves nothing that looks done.
@Suite(.serialized) struct InterruptTests {
    private let folder: Scratch

    init() throws { folder = try Scratch() }

    /// Each command with what it reads and writes; `SESSION`, `BAG`, `MCAP`, `MANY`, `LONG` (a list of 50,000 frames), `ARCHIVE`, `MODEL`,
    /// `RUNTIME` and `OUT` are paths.
    static let commands: [String] = [
        "list LONG", "check LONG", "inspect LONG", "check ARCHIVE", "bag ARCHIVE -o OUT", "inspect MCAP",
        "bag SESSION -o OUT --dense", "bag SESSION -o OUT --depth-model MODEL --onnxruntime RUNTIME",
        "list MANY", "check SESSION", "check BAG", "check MCAP", "check MANY", "inspect SESSION", "inspect BAG",
        "bag SESSION -o OUT", "bag SESSION -o OUT.mcap", "bag SESSION -o OUT --profile full", "convert BAG -o OUT.mcap",
        "convert MCAP -o OUT", "repair SESSION -o OUT", "map SESSION -o OUT.ply", "map BAG -o OUT.ply",
        "refine SESSION -o OUT.jsonl", "trim SESSION -o OUT", "report SESSION -o OUT.html", "report BAG -o OUT.html",
        "export SESSION --to colmap -o OUT", "export SESSION --to nerfstudio -o OUT", "export BAG --to tum -o OUT",
        "sample -o OUT --duration 60 --fps 30 --size 320x240 --images 20", "replay SESSION --dry-run",
        "replay BAG --dry-run", "tags map SESSION -o OUT.json",
    ]

    private static let moments = ProcessInfo.processInfo.environment["MAPEVERYTHING_FULL"] == "1" ? 40 : 1

    @Test func everyCommandEnds() async throws {
        let session = folder("session")
        // Twenty seconds, so that most commands are still at work when the signal comes.
        let shape = "--gps --duration 20 --fps 15 --size 480x360 --images 12"
        try await Command.succeed(["sample", "-o", session] + shape.split(separator: " ").map { String($0) })
        let paths = [
            "SESSION": session, "BAG": folder("bag"), "MCAP": folder("bag.mcap"), "MANY": folder("many"),
            "LONG": folder("long"), "ARCHIVE": folder("session.zip"), "MODEL": DepthModelFiles.path("coded_square"),
            "RUNTIME": DepthModelFiles.runtime ?? "",
        ]
        try await Command.succeed(["trim", session, "-o", folder("session.zip")])
        try writeLongList(of: session)
        try await Command.succeed(["bag", session, "-o", folder("bag"), "--profile", "full"])
        try await Command.succeed(["convert", folder("bag"), "-o", folder("bag.mcap")])
        for place in 0..<4 {
            try FileManager.default.createDirectory(atPath: folder("many"), withIntermediateDirectories: true)
            try FileManager.default.copyItem(atPath: session, toPath: folder("many/\(place)"))
        }
        var random = SeededRandomNumbers(seed: 51)
        var interrupted = 0
        let hasNetwork = DepthModelFiles.folder != nil
        for command in Self.commands where hasNetwork || !command.contains("MODEL") {
            for moment in 0..<Self.moments {
                let output = folder("out")
                var line = command
                for (name, path) in paths { line = line.replacing(name, with: path) }
                let arguments = line.replacing("OUT", with: output).split(separator: " ").map { String($0) }
                let child = try Binary.start(arguments)
                let milliseconds = Int.random(in: 30...200, using: &random)
                try await Task.sleep(for: .milliseconds(milliseconds))
                await child.signal((moment + command.utf8.count) % 2 == 0 ? SIGINT : SIGTERM)
                let signalled = ContinuousClock.now
                let outcome = try await child.finish(seconds: 20)
                let time = ContinuousClock.now - signalled
                // One that had done its work ends at once with its own status.
                let label: Comment = "\(command) after \(milliseconds) ms, then \(time): \(outcome)"
                #expect(outcome.status == 130 || time < .milliseconds(300), label)
                #expect(time < .seconds(10), label)
                if outcome.status == 130 { interrupted += 1 }
                let left = try FileManager.default.contentsOfDirectory(atPath: folder(""))
                for name in left where name.hasPrefix("out") || name.hasPrefix(".out") {
                    try FileManager.default.removeItem(atPath: folder(name))
                }
            }
        }
        #expect(2 * interrupted > Self.commands.count * Self.moments, "\(interrupted)")
    }

    /// The frames of a session again and again at later times, without their files.
    private func writeLongList(of session: String) throws {
        try FileManager.default.createDirectory(atPath: folder("long"), withIntermediateDirectories: true)
        let first = try String(contentsOfFile: session + "/frames.jsonl", encoding: .utf8).prefix { $0 != "\n" }
        var frame = try #require(try JSONSerialization.jsonObject(with: Data(first.utf8)) as? [String: Any])
        let start = try #require(frame["timestamp"] as? Double)
        (frame["timestamp"], frame["frame_index"]) = ("TIME", "INDEX")
        let line = String(decoding: try JSONSerialization.data(withJSONObject: frame), as: UTF8.self)
        var text = ""
        for place in 0..<50_000 {
            text += line.replacing("\"TIME\"", with: "\(start + Double(place) / 60)").replacing(
                "\"INDEX\"",
                with: "\(place)"
            )
            text += "\n"
        }
        try text.write(toFile: folder("long/frames.jsonl"), atomically: false, encoding: .utf8)
    }
}
