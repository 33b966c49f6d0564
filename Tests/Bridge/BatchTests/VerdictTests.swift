import Batch
import Glibc
import Platform
import Recording
import Replay
import Reports
import Sessions
import Synthetic
import SystemPackage
import TestSupport
import Testing
import Text

/// One verdict of a recording, whatever tells it: `list`, `inspect`, `check`, `report`, and the catalogue of a batch.
@Suite struct VerdictTests {
    enum Damage: String, CaseIterable {
        case none, lostImage, cutImage, cutDepth, brokenLine

        /// True if the names of files and the lines of lists show it.
        var showsInLines: Bool { [.lostImage, .brokenLine].contains(self) }
    }

    private struct Verdicts {
        var list: Verdict
        var inspect: Verdict
        var check: Verdict
        var page: JSONValue
        var row: JSONValue
    }

    private let folder: TemporaryDirectory

    init() throws { folder = try TemporaryDirectory() }

    private func sample(_ format: SampleFormat) async throws -> FilePath {
        var options = SampleOptions()
        options.format = format
        (options.durationSeconds, options.framesPerSecond, options.jobs) = (1, 10, 1)
        options.imageSize = GridSize(width: 320, height: 240)
        if !format.hasMotion { options.imuRateHertz = 0 }
        let path = folder.path.appending("room")
        _ = try await SyntheticSession.write(to: path, options: options) { _ in }
        return path
    }

    private func damage(_ root: FilePath, _ damage: Damage, _ format: SampleFormat) throws {
        func third(_ endings: [String], in part: String = "") throws -> FilePath {
            let names = try FileTreeContent(root).files.keys.sorted().filter { name in
                name.contains(part) && endings.contains { name.hasSuffix($0) }
            }
            try #require(names.count > 3)
            return FilePath("\(root)/\(names[3])")
        }
        switch damage {
        case .none: break
        case .lostImage: #expect(unlink(try third([".jpg"]).string) == 0)
        case .cutImage:
            let image = try third([".jpg"])
            let bytes = try OutputFile.contents(of: image)
            try SessionBuilder.write(Array(bytes.prefix(bytes.count / 2)), to: image)
        case .cutDepth:
            let depth = try third([".bin", ".png"], in: "depth")
            try SessionBuilder.write(Array(try OutputFile.contents(of: depth).prefix(40)), to: depth)
        case .brokenLine:
            let list = root.appending(format == .native ? "frames.jsonl" : "odometry.csv")
            var lines = try OutputFile.contents(of: list).split(separator: 0x0A).map(Array.init)
            lines[4] = Array("no line".utf8)
            try SessionBuilder.write(Array(lines.joined(separator: [0x0A])) + [0x0A], to: list)
        }
    }

    private func verdicts(of path: FilePath) async throws -> Verdicts {
        let facts = RecordingFacts(try SessionFormats.open(path: path.string))
        let profile = try #require(Profile.named("data"))
        let setup = try ReplaySetup(session: SessionFormats.open(path: path.string), plan: ReplayPlan(profile: profile))
        let check = try await SessionCheck(path: path.string).run()
        let page = try await SessionReport(anchor: setup.anchor).page(of: setup.session, check: check)
        let problems = check.findings.map { ($0.kind.rawValue, JSONValue.integer($0.count)) }
        let success: JSONValue = [
            "mapeverything_batch": 1, "id": "1", "files": [], "recording": .object(facts.members),
            "problems": .object(problems), "looked_at": .string(check.verdict.examined),
        ]
        let target = folder.path.appending("results")
        try BatchTarget(target).prepare()
        try BatchTarget(target.appending("room-1")).prepare()
        try SessionBuilder.write(Array(success.text().utf8), to: target.appending("room-1").appending("_SUCCESS.json"))
        let table = folder.path.appending("table.jsonl")
        _ = try BatchCatalogue.write(BatchTarget(target), .jsonl, to: table)
        return Verdicts(
            list: facts.verdict,
            inspect: try await Inspection.run(setup).verdict,
            check: check.verdict,
            page: page.json,
            row: try JSONValue.parse(OutputFile.contents(of: table))
        )
    }

    @Test(arguments: [SampleFormat.native, .strayScanner], Damage.allCases)
    func quickerLooksSayHowLittleTheySaw(format: SampleFormat, damage: Damage) async throws {
        let path = try await sample(format)
        try self.damage(path, damage, format)
        let found = try await verdicts(of: path)
        let word = found.check.word
        #expect(word == (damage == .none ? .sound : .damaged), "\(found.check.sentence)")
        // A look at everything says the same, in words and as values.
        for told in [found.page, found.row] {
            #expect(told["verdict"]?.string == word.rawValue && told["looked_at"]?.string == "every file decoded")
        }
        #expect(found.row["errors"]?.integer == Int64(found.check.errors))
        // A quicker one says the same, or that it was one.
        for quick in [found.list, found.inspect] {
            #expect(quick.word == word || quick.errors == 0 && quick.examined.hasPrefix("lines"), "\(quick.sentence)")
            if damage.showsInLines { #expect(quick.word == word, "\(quick.sentence)") }
        }
        #expect(found.list.sentence.hasSuffix(" (lines only)"))
        #expect(
            found.inspect.examined.hasSuffix(" of \(found.row["frames"] ?? 10) frames looked at") || damage != .none
        )
    }

    @Test func aVerdictNamesTheWorstFirst() {
        var diagnostics = Diagnostics()
        #expect(diagnostics.verdict(.lines).sentence == "sound (lines only)")
        diagnostics.record(Problem(.missingTile, file: "tiles", expected: "one", found: "none"))
        #expect(diagnostics.verdict(.files(imageStep: 1)).sentence == "sound (every file decoded)")
        diagnostics.record(Problem(.missingMetadata, file: "metadata.json", expected: "a file", found: "none"))
        let usable = diagnostics.verdict(.frames(3, of: 60)).sentence
        #expect(
            usable == "usable: 1 warning: metadata.json: no metadata.json; made up from the frames "
                + "(lines, and 3 of 60 frames looked at)"
        )
        let lost = Problem(.unreadableLine, file: "frames.jsonl", line: 7, expected: "an object", found: "x")
        diagnostics.record(lost, count: 2)
        #expect(
            diagnostics.verdict(.files(imageStep: 4)).sentence
                == "damaged: 2 errors, 1 warning: frames.jsonl: line 7: line is no JSON object; skipped "
                + "(every file, 1 of 4 images decoded)"
        )
        #expect(["a", "b"].someNames == "a, b")
        #expect((1...7).map { "\($0)" }.someNames == "1, 2, 3, 4, 5 and 2 more")
    }
}
