import Exports
import Glibc
import HTMLReports
import Platform
import Sessions
import SystemPackage
import TestSupport
import Testing
import Text
import Translation

/// One verdict of a recording, whatever tells it: `list`, `inspect`, `check`, `report`, and the catalogue of a batch.
@Suite struct VerdictTests {
    enum Damage: CaseIterable {
        case none, lostImage, cutImage, brokenLine
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

    /// A recording of four frames, in the native layout or as transforms.json, with the damage in its third frame.
    private func recording(isNative: Bool, _ damage: Damage) throws -> FilePath {
        var builder = try SessionBuilder()
        let root = folder.path.appending("room")
        let image = root.appending("rgb").appending("000002.jpg")
        if isNative {
            if damage == .brokenLine {
                builder.tail = Array("no line\n\(builder.lines.removeLast().text)\n".utf8)
            }
            try builder.write(into: folder.path, as: "room")
        } else {
            try builder.write(into: folder.path, as: "whole")
            try #require(mkdir(root.string, 0o755) == 0)
            let pictures = folder.path.appending("whole").appending("rgb")
            try #require(rename(pictures.string, root.appending("rgb").string) == 0)
            let frames = (0..<4).map { number -> JSONValue in
                let matrix: [[JSONValue]] = (0..<4).map { row in (0..<4).map { .integer(row == $0 ? 1 : 0) } }
                let isBroken = damage == .brokenLine && number == 2
                return [
                    "file_path": .string("rgb/00000\(number).jpg"), "timestamp": .number(1 + Double(number) / 5),
                    "transform_matrix": isBroken ? .string("none") : .array(matrix.map { .array($0) }),
                ]
            }
            let list: JSONValue = [
                "w": 64, "h": 48, "fl_x": 50, "fl_y": 50, "cx": 32, "cy": 24, "frames": .array(frames),
            ]
            try SessionBuilder.write(Array(list.text().utf8), to: root.appending("transforms.json"))
        }
        switch damage {
        case .none, .brokenLine: break
        case .lostImage: try #require(unlink(image.string) == 0)
        case .cutImage: try SessionBuilder.write(Array(try OutputFile.contents(of: image).prefix(300)), to: image)
        }
        return root
    }

    private func verdicts(of path: FilePath) async throws -> Verdicts {
        let profile = try #require(Profile.named("data"))
        let session = try SessionFormats.open(path: path.string)
        let facts = RecordingFacts(OpenedRecording(session))
        let setup = try ReplaySetup(OpenedRecording(session), plan: ReplayPlan(profile: profile))
        let check = try await SessionCheck(path: path.string).run()
        let page = try await SessionReport(anchor: setup.anchor).page(of: session, check: check)
        let problems = check.findings.map { ($0.kind.rawValue, JSONValue.integer($0.count)) }
        let success: JSONValue = [
            "mapeverything_batch": 1, "id": "1", "files": [], "recording": .object(facts.members),
            "problems": .object(problems), "looked_at": .string(check.verdict.examined),
        ]
        let results = folder.path.appending("results")
        try BatchTarget(results).prepare()
        let unit = results.appending("room-1")
        try #require(mkdir(unit.string, 0o755) == 0)
        try SessionBuilder.write(Array(success.text().utf8), to: unit.appending("_SUCCESS.json"))
        let table = folder.path.appending("table.jsonl")
        _ = try BatchCatalogue.write(BatchTarget(results), .jsonl, to: table)
        return Verdicts(
            list: facts.verdict,
            inspect: try await Inspection.run(setup).verdict,
            check: check.verdict,
            page: page.json,
            row: try JSONValue.parse(OutputFile.contents(of: table))
        )
    }

    @Test(arguments: [true, false], Damage.allCases)
    func quickerLooksSayHowLittleTheySaw(isNative: Bool, damage: Damage) async throws {
        let found = try await verdicts(of: recording(isNative: isNative, damage))
        let word = found.check.word
        #expect((word == .damaged) == (damage != .none), "\(found.check.sentence)")
        // A look at everything says the same, in words and as values.
        for told in [found.page, found.row] {
            #expect(told["verdict"]?.string == word.rawValue && told["looked_at"]?.string == "every file decoded")
        }
        #expect(found.row["errors"]?.integer == Int64(found.check.errors))
        // A quicker one finds no damage that is not there, and says that it was quick.
        for quick in [found.list, found.inspect] {
            #expect(quick.examined.hasPrefix("lines"), "\(quick.sentence)")
            let shows = [.lostImage, .brokenLine].contains(damage)
            #expect(shows ? quick.word == .damaged : quick.word != .damaged || damage != .none, "\(quick.sentence)")
        }
        #expect(found.list.sentence.hasSuffix(" (lines only)"))
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
