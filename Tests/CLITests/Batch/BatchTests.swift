import Foundation
import Glibc
import Testing

/// One thing done to many recordings, by the real binary.
struct BatchTests {
    private let folder: Scratch

    init() throws { folder = try Scratch() }

    /// Small recordings, each of another seed.
    private func makeRecordings(_ count: Int) async throws {
        try FileManager.default.createDirectory(atPath: folder("recordings"), withIntermediateDirectories: true)
        for number in 1...count {
            let shape = ["--size", "160x120", "--duration", "0.5", "--fps", "10", "--seed", "\(number)", "--gps"]
            try await Binary.succeed(["sample", "-o", folder("recordings/r\(number)")] + shape)
        }
    }

    private func plan(_ to: String = "bag", _ options: [String] = []) async throws {
        try await Binary.succeed(
            ["batch", "plan", folder("recordings"), "--to", to, "-o", folder("plan"), "--force"] + options
        )
    }

    private func run(_ target: String, _ options: [String] = []) async throws -> Outcome {
        try await Binary.run(["batch", "run", folder("plan"), "-o", folder(target)] + options)
    }

    /// All files of the results, with their bytes.
    private func results(_ target: String) throws -> [String: Data] {
        try FileTree.contents(folder(target)).filter { !$0.key.hasPrefix(".batch") }
    }

    private struct Status: Decodable {
        var done: Int
        var failed_for_good: Int
        var try_again: Int
        var missing: Int
    }

    private func status(_ target: String, _ options: [String] = []) async throws -> (Status, Int32) {
        let outcome = try await Binary.run(["batch", "status", folder("plan"), folder(target), "--json"] + options)
        return (try JSONDecoder().decode(Status.self, from: Data(outcome.output.utf8)), outcome.status)
    }

    @Test("what a unit makes is what the command makes, with any number of jobs; a second run does nothing")
    func equalsCommand() async throws {
        try await makeRecordings(4)
        try await plan("mcap")
        #expect(try await run("one", ["-j", "1"]).status == 0)
        #expect(try await run("four", ["-j", "4"]).status == 0)
        let made = try results("one")
        #expect(made == (try results("four")) && made.keys.count { $0.hasSuffix(".mcap") } == 4)
        try await Binary.succeed([
            "bag", folder("recordings/r1"), "-o", folder("bag"), "--storage", "mcap",
        ])
        let bag = try Data(contentsOf: URL(fileURLWithPath: folder("bag/bag_0.mcap")))
        #expect(made.contains { $0.key.hasPrefix("r1-") && $0.value == bag })
        let before = try inodes("one")
        let again = try await run("one")
        #expect(again.status == 0 && again.output.contains("4 were done before"), "\(again)")
        #expect(try inodes("one") == before)
        #expect(try await status("one", ["--verify"]).0.done == 4)
    }

    @Test("a unit has no option that its product does not understand", arguments: ["gpx", "geojson", "kml", "csv"])
    func options(product: String) async throws {
        try await makeRecordings(1)
        try await plan("export:\(product)")
        let outcome = try await run("results", ["-j", "2"])
        #expect(outcome.status == 0, "\(outcome)")
        #expect(try await status("results").0.done == 1)
    }

    private func inodes(_ target: String) throws -> [String: Int] {
        try results(target).keys.reduce(into: [:]) { inodes, name in
            let attributes = try FileManager.default.attributesOfItem(atPath: folder("\(target)/\(name)"))
            inodes[name] = (attributes[.systemFileNumber] as? NSNumber)?.intValue
        }
    }

    @Test("recordings that are damaged, gone, changed or found twice end as that, and never as done")
    func badRecordings() async throws {
        try await makeRecordings(4)
        let files = FileManager.default
        try Data("no frame\n".utf8).write(to: URL(fileURLWithPath: folder("recordings/r2/frames.jsonl")))
        try files.createDirectory(atPath: folder("recordings/empty"), withIntermediateDirectories: true)
        try files.createDirectory(atPath: folder("recordings/again"), withIntermediateDirectories: true)
        try files.copyItem(atPath: folder("recordings/r1"), toPath: folder("recordings/again/r1"))
        let planned = try await Binary.run(
            ["batch", "plan", folder("recordings"), "--to", "bag", "-o", folder("plan")]
        )
        #expect(
            planned.output.contains("4 recordings") && planned.output.contains("5 found, 0 left out, 1 found twice"),
            "\(planned)"
        )
        try files.removeItem(atPath: folder("recordings/r3"))
        let handle = try #require(FileHandle(forWritingAtPath: folder("recordings/r4/frames.jsonl")))
        try handle.seekToEnd()
        try handle.write(contentsOf: Data("\n".utf8))
        try handle.close()
        let outcome = try await run("out")
        #expect(
            outcome.status == 69 && outcome.output.contains("1 done, 2 failed for good, 1 to be tried again"),
            "\(outcome)"
        )
        let (status, code) = try await status("out")
        #expect(code == 69)
        #expect(status.done == 1 && status.failed_for_good == 2 && status.try_again == 1 && status.missing == 0)
        #expect(try results("out").keys.allSatisfy { $0.hasPrefix("r1-") })
    }

    @Test("a recording whose pictures take a program that is missing is tried again, and done where the program is")
    func missingProgram() async throws {
        let recording = folder("recordings/stray")
        try FileManager.default.createDirectory(atPath: folder("recordings"), withIntermediateDirectories: true)
        let shape = ["--size", "160x120", "--duration", "0.5", "--fps", "10", "--format", "stray-scanner"]
        try await Binary.succeed(["sample", "-o", recording] + shape)
        // Without pictures of their own, a video would have them.
        try FileManager.default.removeItem(atPath: recording + "/rgb")
        try Data("no video".utf8).write(to: URL(fileURLWithPath: recording + "/rgb.mp4"))
        try await plan()
        let arguments = ["batch", "run", folder("plan"), "-o", folder("out")]
        let without = try await Binary.run(arguments, environment: ["PATH": folder("nothing")])
        #expect(without.status == 69 && without.output.contains("ffmpeg"), "\(without)")
        #expect(try results("out").isEmpty)
        let (status, _) = try await status("out")
        #expect(status.done == 0 && status.try_again == 1)
    }

    @Test("a check of each recording is a result, of damaged ones too; the catalogue has the verdicts")
    func checks() async throws {
        try await makeRecordings(2)
        try FileManager.default.removeItem(atPath: folder("recordings/r2/depth/000002.bin"))
        try await plan("check")
        #expect(try await run("out").status == 0)
        let made = try results("out").filter { $0.key.hasSuffix("check.json") }
        #expect(made.count == 2)
        try await Binary.succeed(["batch", "catalogue", folder("out"), "-o", folder("table")])
        let rows = try String(contentsOfFile: folder("table.jsonl"), encoding: .utf8).split(separator: "\n")
        #expect(
            rows.count == 2 && rows[0].contains("\"verdict\":\"sound\"") && rows[0].contains("\"has_depth\":\"true\"")
        )
        #expect(rows[1].contains("\"verdict\":\"damaged\",\"errors\":1"), "\(rows[1])")
    }

    @Test("a recording that changes while it is read is no result")
    func changesUnderTheRun() async throws {
        let recording = folder("recordings/long")
        try FileManager.default.createDirectory(atPath: folder("recordings"), withIntermediateDirectories: true)
        let shape = ["--size", "640x480", "--duration", "20", "--fps", "10", "--images", "4"]
        try await Binary.succeed(["sample", "-o", recording] + shape)
        try await plan()
        let child = try Binary.start(["batch", "run", folder("plan"), "-o", folder("out")])
        let staging = folder("out/.batch/staging")
        // It is read as soon as there is a folder for what is made of it.
        while (try? FileManager.default.contentsOfDirectory(atPath: staging))?.isEmpty ?? true {
            try await Task.sleep(for: .milliseconds(2))
        }
        let handle = try #require(FileHandle(forWritingAtPath: "\(recording)/frames.jsonl"))
        try handle.seekToEnd()
        try handle.write(contentsOf: Data("\n".utf8))
        try handle.close()
        let outcome = try await child.finish()
        #expect(outcome.status == 65 && outcome.output.contains("changed while it was read"), "\(outcome)")
        #expect(try results("out").isEmpty)
        #expect(try await status("out").0.failed_for_good == 1)
        // Planned again it is another unit.
        try await plan()
        #expect(try await run("out").status == 0)
    }

    @Test("a run that is killed at any moment leaves nothing that looks done, and the next one finishes")
    func killed() async throws {
        try await makeRecordings(6)
        try await plan()
        #expect(try await run("whole").status == 0)
        for milliseconds in [5, 20, 40, 60, 90, 130] {
            let child = try Binary.start(["batch", "run", folder("plan"), "-o", folder("killed"), "-j", "2"])
            try await Task.sleep(for: .milliseconds(milliseconds))
            await child.signal(SIGKILL)
            _ = try await child.finish()
            let (status, _) = try await status("killed", ["--verify"])
            #expect(status.done + status.missing == 6 && status.failed_for_good + status.try_again == 0)
        }
        #expect(try await run("killed").status == 0)
        #expect(try results("killed") == results("whole"))
        // What the killed ones had begun is gone.
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder("killed/.batch/staging")).isEmpty)
    }

    @Test("two runs on one target do each unit once")
    func race() async throws {
        try await makeRecordings(6)
        try await plan()
        let arguments = ["batch", "run", folder("plan"), "-o", folder("out"), "-j", "2"]
        let runs = try [Binary.start(arguments), Binary.start(arguments)]
        var outcomes: [Outcome] = []
        for run in runs { outcomes.append(try await run.finish()) }
        #expect(outcomes.allSatisfy { $0.status == 0 }, "\(outcomes)")
        let made = outcomes.map { outcome in
            outcome.output.split(separator: ": ").dropFirst().first.flatMap { Int($0.prefix { $0.isNumber }) } ?? 0
        }
        #expect(made.reduce(0, +) == 6)
        #expect(try await run("alone").status == 0)
        #expect(try results("out") == results("alone"))
    }

    @Test("what is under a unit's name and is not its result stays, and is no result")
    func taken() async throws {
        try await makeRecordings(1)
        try await plan()
        #expect(try await run("out").status == 0)
        let success = try #require(try results("out").keys.first { $0.hasSuffix("_SUCCESS.json") })
        let bag = try #require(try results("out").keys.first { $0.hasSuffix(".db3") })
        // Cut, it is not what it was.
        #expect(truncate(folder("out/\(bag)"), 100) == 0)
        #expect(try await status("out").0.done == 0)
        let outcome = try await run("out")
        #expect(outcome.status == 74 && outcome.output.contains("move it away"), "\(outcome)")
        #expect(try results("out")[success] != nil && results("out")[bag]?.count == 100)
    }

    @Test("a target that is full, or cannot be written, is to be tried again")
    func badTarget() async throws {
        try await makeRecordings(2)
        try await plan()
        // Files may have 200 kB: what is written beyond that fails, as on a full disk.
        let full = try await ChildProcess(
            "/bin/bash",
            [
                "-c", "ulimit -f 200; exec \"$0\" batch run \"$1\" -o \"$2\"", Binary.path, folder("plan"),
                folder("full"),
            ]
        ).finish()
        #expect(full.status == 74 && full.output.contains("2 to be tried again"), "\(full)")
        #expect(try results("full").isEmpty)
        #expect(try await run("full").status == 0)
        #expect(try await Binary.run(["batch", "run", folder("plan"), "-o", "/proc/nowhere"]).status == 74)
    }

    @Test("a unit that may not have the memory, or takes too long, is to be tried again")
    func bounded() async throws {
        try await makeRecordings(1)
        try await plan("bag", ["--memory", "256MiB"])
        #expect(try await run("enough").status == 0)
        // So little that not even the recording is read.
        let line = try String(contentsOfFile: folder("plan"), encoding: .utf8).split(separator: "\n")[1]
        let starved = String(line).replacing("\"memory_bytes\":268435456", with: "\"memory_bytes\":1048576")
        let outcome = try await Binary.run(["batch", "run", "--unit", starved, "-o", folder("starved")])
        #expect(outcome.status == 69 && outcome.output.contains("signal"), "\(outcome)")
        let late = try await Binary.run(["batch", "run", folder("plan"), "-o", folder("late"), "--timeout", "0"])
        #expect(late.status == 69 && late.output.contains("took more than 0 s"), "\(late)")
    }

    @Test(
        "the catalogue has a row for each result, and its three forms and its page say the same",
        .enabled(if: Peer.isAvailable, Comment(rawValue: Peer.absence))
    )
    func catalogue() async throws {
        try await makeRecordings(3)
        // What has a meaning in an address; and one that is damaged.
        try FileManager.default.moveItem(atPath: folder("recordings/r1"), toPath: folder("recordings/a:b 5% #1?<i>"))
        try FileManager.default.removeItem(atPath: folder("recordings/r2/depth/000002.bin"))
        // Of what has no images the picture is made of its depth.
        try FileManager.default.removeItem(atPath: folder("recordings/r2/rgb"))
        try await plan()
        #expect(try await run("out").status == 0)
        let outcome = try await Binary.succeed(["batch", "catalogue", folder("out")])
        #expect(outcome.contains("out/index.html"), "\(outcome)")
        let judged = try await Peer.run("read_catalogue.py", [folder("out"), folder("recordings")])
        #expect(judged.contains("3 rows"), "\(judged)")
        let page = try String(contentsOfFile: folder("out/index.html"), encoding: .utf8)
        #expect(page.contains("3 recordings: 2 sound, 0 usable, 1 damaged"))
        // The page and the tables of before are replaced, and no other file that has such a name.
        try await Binary.succeed(["batch", "catalogue", folder("out")])
        try Data("notes".utf8).write(to: URL(fileURLWithPath: folder("out/catalogue.csv")))
        try await Binary.run(["batch", "catalogue", folder("out")]).expectError(73, naming: "catalogue.csv")
        #expect(try String(contentsOfFile: folder("out/catalogue.csv"), encoding: .utf8) == "notes")
    }

    @Test("statuses of what is no manifest, no product and no recording")
    func refused() async throws {
        try await makeRecordings(1)
        let recordings = folder("recordings")
        for (arguments, status) in [
            (["plan", recordings, "--to", "film", "-o", folder("p")], 2),
            (["plan", recordings, "--to", "export:film", "-o", folder("p")], 2),
            (["plan", recordings, "--to", "bag", "-o", folder("p"), "--", "--force"], 2),
            (["plan", folder("nowhere"), "--to", "bag", "-o", folder("p")], 66),
            (["run", folder("nowhere"), "-o", folder("out")], 66),
            (["run", recordings + "/r1/frames.jsonl", "-o", folder("out")], 65),
            (["catalogue", folder("nowhere")], 66),
        ] as [([String], Int32)] {
            let outcome = try await Binary.run(["batch"] + arguments)
            #expect(outcome.status == status, "\(arguments): \(outcome)")
        }
    }
}
