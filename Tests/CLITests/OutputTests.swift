import Foundation
import Glibc
import Testing

/// Output that cannot be created (73), and output that fails on the way (74).
@Suite(.serialized) struct OutputTests {
    private let folder: Scratch

    init() throws { folder = try Scratch() }

    @Test func whatIsThereIsKept() async throws {
        let session = try await Samples.plain.value
        let file = folder("file"), other = folder("other")
        try Data("precious".utf8).write(to: URL(fileURLWithPath: file))
        try FileManager.default.createDirectory(atPath: other, withIntermediateDirectories: false)
        try Data("precious".utf8).write(to: URL(fileURLWithPath: other + "/notes.txt"))
        for path in [file, other] {
            for force in [[], ["--force"]] {
                try await Command.run(["bag", session, "-o", path] + force).expectError(73, naming: path)
                try await Binary.run(["record", "--port", "0", "-o", path] + force).expectError(73, naming: path)
            }
            try await Command.run(["sample", "--duration", "0.1", "-o", path]).expectError(73, naming: path)
        }
        #expect(try String(contentsOfFile: file, encoding: .utf8) == "precious")
        #expect(try FileManager.default.contentsOfDirectory(atPath: other) == ["notes.txt"])
        // A session is no bag, and a bag no session.
        try await Command.run(["bag", session, "-o", session, "--force"]).expectError(73)
        #expect(FileManager.default.fileExists(atPath: session + "/frames.jsonl"))
    }

    @Test func bagsAreReplacedOnlyIfForced() async throws {
        let session = try await Samples.plain.value
        let bag = folder("bag")
        try await Command.succeed(["bag", session, "-o", bag, "--topics", "/mapping/pose"])
        try await Command.run(["bag", session, "-o", bag]).expectError(73, naming: bag)
        try await Command.succeed(["bag", session, "-o", bag, "--topics", "/tf", "--force"])
        let inspection: BagInspection = try await Command.json(["inspect", bag, "--json"])
        #expect(inspection.topics.map(\.name) == ["/tf"])
    }

    @Test func placesThatAreNotThere() async throws {
        let session = try await Samples.plain.value
        for path in [folder("no/such/folder"), "/proc/nothing/here", "/dev/null/bag"] {
            try await Command.run(["bag", session, "-o", path]).expectError(73, naming: path)
            try await Binary.run(["record", "--port", "0", "-o", path]).expectError(73, naming: path)
            try await Command.run(["sample", "-o", path]).expectError(73, naming: path)
        }
        let report = ["--report", folder("no/report.json")]
        let bag = try await Command.run(["bag", session, "-o", folder("bag")] + report)
        #expect(bag.status == 73, "\(bag)")
        #expect(try await Command.run(["inspect", session] + report).status == 73)
    }

    @Test func reportsAreWhatJSONPrints() async throws {
        let session = try await Samples.plain.value
        let bag = folder("bag")
        for command in [["inspect", session], ["bag", session, "-o", bag], ["inspect", bag]] {
            let file = folder(UUID().uuidString)
            let printed = try await Command.succeed(command + ["--json", "--report", file])
            #expect(try String(contentsOfFile: file, encoding: .utf8) == printed)
            #expect(try JSONSerialization.jsonObject(with: Data(printed.utf8)) is [String: Any])
        }
    }

    /// The file of --report is replaced whole, or not at all; a pipe that nobody reads can be given up.
    @Test func reportsAreWholeOrNotThere() async throws {
        let session = try await Samples.plain.value
        let file = folder("report.json")
        let old = "{\"mapeverything\": \"0.0.1\"}\n"
        try Data(old.utf8).write(to: URL(fileURLWithPath: file))
        let outcome = try await run(limitedTo: 0, ["check", session, "--report", file])
        outcome.expectError(74, naming: file)
        #expect(try String(contentsOfFile: file, encoding: .utf8) == old)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder("")) == ["report.json"])
        try await Command.succeed(["check", session, "--report", file])
        #expect(try String(contentsOfFile: file, encoding: .utf8).hasPrefix("{"))
        try await Command.succeed(["check", session, "--report", "/dev/null"])
        let pipe = folder("pipe")
        try #require(mkfifo(pipe, 0o600) == 0)
        for number in [SIGINT, SIGTERM] {
            let process = try Binary.start(["check", session, "--report", pipe])
            // By then it has read the session, and waits for a reader.
            try await Task.sleep(for: .seconds(2))
            await process.signal(number)
            #expect(try await process.finish(seconds: 20).status == 130)
        }
    }

    /// What a sample has written is gone where it fails, and one that is there stays until another is whole.
    @Test func samplesAreWholeOrNotThere() async throws {
        let sample = ["sample", "--duration", "1", "--fps", "4", "--size", "160x120"]
        for name in ["a", "a.r3d"] {
            let format = name == "a" ? [] : ["--format", "r3d"]
            try await run(limitedTo: 8, sample + format + ["-o", folder(name)]).expectError(74)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder("")) == [])
        }
        try await Command.succeed(sample + ["-o", folder("a")])
        let before = try FileTree.contents(folder("a"))
        try await run(limitedTo: 8, sample + ["-o", folder("a"), "--force", "--seed", "2"]).expectError(74)
        #expect(FileTree.differences(before, try FileTree.contents(folder("a"))) == [])
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder("")) == ["a"])
    }

    /// A limit on the size of files fails as a full disk does, in the middle of a write.
    private func run(limitedTo blocks: Int, _ arguments: [String]) async throws -> Outcome {
        let command = "ulimit -f \(blocks) && exec \"$0\" \"$@\""
        return try await ChildProcess("/bin/bash", ["-c", command, Binary.path] + arguments).finish()
    }

    @Test(arguments: ["fast", "resilient"])
    func fullDisksLeaveWholeChunks(durability: String) async throws {
        let session = try await Samples.plain.value
        let bag = folder("bag"), whole = folder("whole")
        let options = ["--profile", "full", "--durability", durability, "--chunk-size-mb", "0.3"]
        try await Command.succeed(["bag", session, "-o", whole] + options)
        let inspection: BagInspection = try await Command.json(["inspect", whole, "--json"])
        let sizes = inspection.files.map(\.bytes)
        // Room for the first chunks, up to one that is larger than all before it.
        let large = try #require(sizes.indices.dropFirst().first { sizes[$0] > (sizes[..<$0].max() ?? 0) + 4096 })
        let room = (sizes[..<large].max() ?? 0) / 1024 + 1
        let outcome = try await run(limitedTo: room, ["bag", session, "-o", bag] + options)
        outcome.expectError(74, naming: bag)
        #expect(outcome.errors.split(separator: "\n").count == 2, "\(outcome)")
        let remains = try await expectSoundRemains(bag)
        #expect(outcome.errors.contains("complete: \(remains.messages) messages in \(remains.files.count) files"))
        // The log of a resilient one is longer than the chunk that it becomes.
        guard durability == "fast" else { return }
        for index in 0..<large {
            let written = try Data(contentsOf: URL(fileURLWithPath: "\(bag)/bag_\(index).db3"))
            #expect(written.count == sizes[index])
        }
        #expect(!FileManager.default.fileExists(atPath: "\(bag)/bag_\(large).db3"))
    }

    @Test(arguments: [
        ("colmap", 20), ("nerfstudio", 20), ("kitti", 20), ("csv", 4), ("parquet", 2), ("las", 8), ("ply", 8),
        ("tum", 2), ("lerobot", 20),
    ])
    func fullDisksLeaveNoHalfExport(format: String, blocks: Int) async throws {
        guard format != "lerobot" || hasFFmpeg else { return }
        let session = try await Samples.full.value
        let output = folder("export.\(format)")
        let outcome = try await run(limitedTo: blocks, ["export", session, "--to", format, "-o", output])
        outcome.expectError(74, naming: "export.\(format)")
        #expect(outcome.errors.contains("Free some space") && !outcome.errors.contains("--force"), "\(outcome)")
        // Nothing under the name that was asked for, and nothing beside it.
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder("")) == [], "\(outcome)")
    }

    @Test func fullDisksAreNoMatterOfNames() async throws {
        let session = try await Samples.full.value
        for arguments in [
            ["trim", session, "-o", folder("t")], ["trim", session, "-o", folder("t.zip")],
            ["report", session, "-o", folder("r.html")], ["map", session, "-o", folder("m.ply")],
            ["map", session, "-o", folder("m.glb")],
        ] {
            let outcome = try await run(limitedTo: 20, arguments)
            outcome.expectError(74, naming: folder(""))
            #expect(outcome.errors.contains("Free some space") && !outcome.errors.contains("--force"), "\(outcome)")
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder("")) == [])
    }

    /// Where the folder around is missing, or nothing may be made, `--force` is no way out.
    @Test(arguments: ["no/such/a", "/dev/null/a", "/sys/a"])
    func placesThatCannotBe(place: String) async throws {
        let session = try await Samples.plain.value
        let path = place.hasPrefix("/") ? place : folder(place)
        for arguments in [
            ["bag", session, "-o", path], ["trim", session, "-o", path], ["sample", "-o", path],
            ["trim", session, "-o", path + ".zip"], ["report", session, "-o", path + ".html"],
            ["map", session, "-o", path + ".ply"], ["export", session, "--to", "colmap", "-o", path],
            ["export", session, "--to", "tum", "-o", path], ["export", session, "--to", "ply", "-o", path],
            ["export", session, "--to", "csv", "-o", path],
        ] {
            let outcome = try await Command.run(arguments)
            outcome.expectError(73, naming: path, isShaped: false)
            let advice = place == "/sys/a" ? "may write to" : "folder that is there"
            #expect(outcome.errors.contains(advice) && !outcome.errors.contains("--force"), "\(outcome)")
        }
    }

    /// `--force` replaces a file of the same kind, and nothing else: no part of what is read, no pipe, no device.
    @Test func forceReplacesNothingElse() async throws {
        let session = folder("room")
        try await Command.succeed([
            "sample", "-o", session, "--duration", "1", "--fps", "5", "--size", "160x120", "--gps",
        ])
        let whole = try FileTree.contents(session)
        symlink(session + "/metadata.json", folder("link.html"))
        for path in ["room/frames.jsonl", "room/rgb/000001.jpg", "link.html", "room/../room/gps.jsonl"] {
            for command in [
                ["report"], ["map", "--min-component", "0"], ["export", "--to", "geojson"], ["export", "--to", "tum"],
            ] {
                guard command[0] != "map" || path == "link.html" else { continue }
                let name = command[0] == "map" ? "room/x.ply" : path
                if command[0] == "map" { try Data("ply".utf8).write(to: URL(fileURLWithPath: folder(name))) }
                try await Command.run([command[0], session, "-o", folder(name), "--force"] + command.dropFirst())
                    .expectError(73, naming: folder(name), "a part of it")
            }
        }
        try FileManager.default.removeItem(atPath: folder("room/x.ply"))
        #expect(FileTree.differences(try FileTree.contents(session), whole).isEmpty)
        mkfifo(folder("pipe"), 0o644)
        try FileManager.default.createDirectory(atPath: folder("results"), withIntermediateDirectories: false)
        try Data("{\"a\":1}\n".utf8).write(to: URL(fileURLWithPath: folder("other.jsonl")))
        for (path, found) in [("pipe", "a named pipe"), ("results", "a folder"), ("other.jsonl", "another file")] {
            for command in [
                ["report"], ["export", "--to", "las"], ["export", "--to", "tum"], ["export", "--to", "kml"],
            ] {
                try await Command.run([command[0], session, "-o", folder(path), "--force"] + command.dropFirst())
                    .expectError(73, naming: folder(path), found)
            }
        }
        try await Command.run(["report", session, "-o", "/dev/full", "--force"]).expectError(73, naming: "a device")
        var information = stat()
        #expect(stat("/dev/full", &information) == 0 && information.st_mode & S_IFMT == S_IFCHR)
        #expect(stat(folder("pipe"), &information) == 0 && information.st_mode & S_IFMT == S_IFIFO)
        #expect(try String(contentsOfFile: folder("other.jsonl"), encoding: .utf8) == "{\"a\":1}\n")
        // What a run made itself, and an empty file, are replaced.
        for command in [["report"], ["export", "--to", "tum"], ["export", "--to", "geojson"]] {
            let path = folder(command.joined())
            try Data().write(to: URL(fileURLWithPath: path))
            for _ in 0..<2 {
                try await Command.succeed([command[0], session, "-o", path, "--force"] + command.dropFirst())
            }
            #expect(try Data(contentsOf: URL(fileURLWithPath: path)).count > 100)
        }
    }

    @Test func fullDisksInTheFirstChunk() async throws {
        let session = try await Samples.full.value
        let bag = folder("bag")
        let outcome = try await run(limitedTo: 1000, ["bag", session, "-o", bag, "--profile", "full"])
        outcome.expectError(74, naming: bag)
        // Without a whole file nothing is in the way of the next try.
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder("")) == [])
    }

    @discardableResult
    private func expectSoundRemains(_ bag: String) async throws -> BagInspection {
        let inspection: BagInspection = try await Command.json(["inspect", bag, "--json"])
        let listed = Set(inspection.files.map(\.name))
        let present = try FileManager.default.contentsOfDirectory(atPath: bag).filter { $0.hasSuffix(".db3") }
        #expect(listed == Set(present))
        if Peer.isAvailable, inspection.messages > 0 { try await Conformance.check(bag) }
        return inspection
    }

    @Test func fullDisksWhileSampling() async throws {
        let session = folder("session")
        let outcome = try await run(limitedTo: 20, ["sample", "-o", session, "--duration", "0.2", "--size", "960x720"])
        outcome.expectError(74, naming: session)
        // Nothing is there that could be mistaken for a session.
        try await Command.run(["inspect", session]).expectError(66, naming: "nothing at this path")
    }

    @Test func resultsThatCannotBePrinted() async throws {
        guard FileManager.default.fileExists(atPath: "/dev/full") else { return }
        for arguments in [["topics"], ["inspect", try await Samples.plain.value]] {
            let command = "exec \"$0\" \"$@\" > /dev/full"
            let outcome = try await ChildProcess("/bin/bash", ["-c", command, Binary.path] + arguments).finish()
            outcome.expectError(74)
        }
        // A reader that closes the pipe has read enough.
        let head = "\"$0\" topics | head -n 1; exit ${PIPESTATUS[0]}"
        let outcome = try await ChildProcess("/bin/bash", ["-c", head, Binary.path]).finish()
        #expect(outcome.status == 0 && outcome.errors.isEmpty, "\(outcome)")
    }
}
