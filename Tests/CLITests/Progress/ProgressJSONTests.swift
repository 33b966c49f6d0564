import Foundation
import Glibc
import Testing

/// `--progress json`, which is the same for every command, and silence where there is no terminal.
@Suite struct ProgressJSONTests {
    private struct Line: Decodable {
        var command: String
        var stage: String
        var state: String
        var done: Double
        var total: Double?
        var unit: String
        var per_second: Double?
        var elapsed_s: Double
        var left_s: Double?
    }

    /// A command line, in which {session}, {bag}, {out} and {tags} stand for what the test makes.
    struct Case: Sendable, CustomTestStringConvertible {
        var line: String
        /// The stages that its last lines have, one for each part of the work.
        var stages: [String]
        var unit: String
        var testDescription: String { line }

        init(_ line: String, _ stages: [String], _ unit: String) {
            (self.line, self.stages, self.unit) = (line, stages, unit)
        }
    }

    private static let cases = [
        Case("sample -o {out} --duration 1 --size 320x240", ["rendering"], "images"),
        Case("sample -o {out} --duration 1 --size 320x240 --images 2", ["linking"], "frames"),
        Case("bag {session} -o {out}", ["writing"], "seconds"),
        Case("bag {session} -o {out} --html-report {out}.html", ["writing", "drawing"], "seconds"),
        Case("inspect {session}", ["measuring"], "steps"),
        Case("inspect {session} --exact", ["preparing"], "seconds"),
        Case("check {session}", ["checking"], "frames"),
        Case("check {bag}", ["checking"], "messages"),
        Case("convert {bag} -o {out} --storage mcap", ["converting"], "messages"),
        Case("convert {bag} -o {out} --start 1", ["converting"], "messages"),
        Case("repair {session} -o {out}", ["checking"], "frames"),
        Case("repair {bag} -o {out}", ["checking"], "messages"),
        Case("map {session} -o {out}.ply", ["meshing"], "steps"),
        Case("export {session} --to tum -o {out}", ["writing"], "frames"),
        Case("export {session} --to colmap -o {out}", ["fusing"], "steps"),
        Case("export {session} --to pcd -o {out}.pcd", ["meshing"], "steps"),
        Case("export {session} --to csv -o {out}", ["writing"], "seconds"),
        Case("export {session} --to gpx -o {out}", ["reading"], "steps"),
        Case("export {bag} --to tum -o {out}", ["writing"], "seconds"),
        Case("report {session} -o {out}.html", ["drawing"], "frames"),
        Case("report {bag} -o {out}.html", ["checking", "reading"], "messages"),
        Case("replay {session} --dry-run", ["preparing"], "seconds"),
        Case("tags detect {session}", ["searching"], "seconds"),
        Case("tags map {tags} -o {out}.json --tag-size 0.152,1-3=0.173", ["searching", "solving"], "seconds"),
    ]

    private static let keys = [
        "command", "stage", "state", "done", "total", "unit", "per_second", "elapsed_s", "left_s",
    ]

    /// A session with tags, made once.
    private static let tagged = Task {
        try await Samples.make("tagged", ["--tags", "--size", "960x720", "--fps", "2", "--imu-rate", "0"])
    }

    private let folder: Scratch

    init() throws { folder = try Scratch() }

    private func arguments(_ line: String) async throws -> [String] {
        var paths = ["{session}": try await Samples.full.value, "{out}": folder("out")]
        if line.contains("{tags}") { paths["{tags}"] = try await Self.tagged.value }
        if line.contains("{bag}") {
            paths["{bag}"] = folder("bag")
            try await SampleBags.write(folder("bag"))
        }
        return line.split(separator: " ").map { word in
            paths.reduce(String(word)) { $0.replacingOccurrences(of: $1.key, with: $1.value) }
        }
    }

    /// The lines of progress among others.
    private func lines(_ outcome: Outcome) throws -> [Line] {
        try outcome.errors.split(separator: "\n").filter { $0.hasPrefix("{\"command\"") }.map { text in
            let members = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
            #expect(Self.keys.allSatisfy { members[$0] != nil }, "\(text)")
            return try JSONDecoder().decode(Line.self, from: Data(text.utf8))
        }
    }

    @Test("lines parse, never go back, and end with all that there was to do", arguments: cases)
    func everyCommand(_ one: Case) async throws {
        let outcome = try await Binary.run(try await arguments(one.line) + ["--progress", "json"])
        #expect(outcome.status == 0, "\(outcome)")
        let lines = try lines(outcome)
        let name = one.line.split(separator: " ").prefix(one.line.hasPrefix("tags") ? 2 : 1).joined(separator: " ")
        #expect(lines.allSatisfy { $0.command == name && $0.done >= 0 && $0.done <= $0.total ?? .infinity })
        let ends = lines.filter { $0.state == "done" }
        #expect(ends.map(\.stage) == one.stages && lines.last?.state == "done", "\(outcome)")
        #expect(ends.first?.unit == one.unit && ends.allSatisfy { $0.done == $0.total && $0.left_s == 0 }, "\(outcome)")
        #expect(ends.allSatisfy { $0.done > 0 }, "\(outcome)")
        for (line, next) in zip(lines, lines.dropFirst()) where line.state == "running" {
            #expect(line.elapsed_s <= next.elapsed_s)
            if line.stage == next.stage { #expect(line.done <= next.done) }
        }
    }

    @Test("without a terminal nothing is shown unless it is asked for", arguments: ["auto", "off"])
    func silence(form: String) async throws {
        for line in ["check {session}", "bag {session} -o {out}", "sample -o {out}.s --duration 1 --size 320x240"] {
            let outcome = try await Binary.run(try await arguments(line) + ["--progress", form])
            #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome)")
            #expect(!outcome.output.contains("\u{1B}") && !outcome.output.contains("\r"))
        }
    }

    @Test("what was written is the same with and without")
    func sameBytes() async throws {
        let session = try await Samples.plain.value
        for form in ["json", "off"] {
            try await Binary.succeed(["map", session, "-o", folder("\(form).ply"), "--progress", form])
        }
        let maps = try ["json", "off"].map { try Data(contentsOf: URL(fileURLWithPath: folder("\($0).ply"))) }
        #expect(maps[0] == maps[1] && maps[0].count > 1000)
    }

    @Test("a command that fails on its way says that it ended")
    func failure() async throws {
        let session = folder("flat")
        try await Binary.succeed(["sample", "-o", session, "--duration", "1", "--size", "320x240"])
        let outcome = try await Binary.run([
            "export", session, "--to", "gpx", "-o", folder("a.gpx"), "--progress", "json",
        ])
        #expect(outcome.status == 65, "\(outcome)")
        let last = try #require(try lines(outcome).last)
        #expect(last.state == "ended" && last.left_s == nil, "\(outcome)")
        let refused = try await Binary.run([
            "bag", "/nowhere", "-o", folder("b"), "--profile", "record", "--progress", "json",
        ])
        let none = try lines(refused)
        #expect(refused.status == 66 && none.isEmpty, "\(refused)")
    }

    @Test("an interrupted recorder is done, as that is how it ends")
    func record() async throws {
        let arguments = ["record", "-o", folder("bag"), "--address", "127.0.0.1", "--port", "0", "--progress", "json"]
        let process = try Binary.start(arguments)
        _ = try await process.waitForError("listening on")
        await process.signal(SIGINT)
        let outcome = try await process.finish()
        let last = try #require(try lines(outcome).last, "\(outcome)")
        #expect(
            outcome.status == 0 && last.state == "done" && last.done == 0 && last.total == 0 && last.unit == "messages"
        )
    }
}
