import Foundation
import SystemPackage
import TestSupport
import Testing

/// `check` and `repair` of what is sound, and what cannot be mended.
@Suite(.serialized)
struct CheckTests {
    private let folder: Scratch

    init() throws { folder = try Scratch() }

    @Test(arguments: BagForm.all)
    func soundBagsAreSound(form: BagForm) async throws {
        let bag = folder("bag")
        try await SampleBags.write(bag, form.options + ["--chunk-seconds", "1"])
        let before = try FileTree.contents(folder.path)
        let check = try await CheckResult.of(bag)
        #expect(check.status == 0 && check.result.sound)
        // What the older distributions do not read is worth a note, no more.
        let forOlder = ["metadata.refused", "qos.names"]
        let findings = check.result.findings.filter { $0.severity != "note" || !forOlder.contains($0.kind) }
        #expect(findings.isEmpty, "\(findings)")
        #expect(check.result.kind == "bag")
        // Each of two chunks has what is latched.
        #expect(check.result.examined["messages"] == SampleBags.count + 2)
        #expect(check.result.examined["decoded"] == SampleBags.count + 2)
        for place in [[], ["--in-place"]] {
            let outcome = try await Binary.run(["repair", bag, "--json", "--strict"] + place)
            #expect(outcome.status == 0, "\(outcome)")
            let repair = try RepairResult(outcome)
            #expect(repair.sound && repair.output == nil && repair.done.isEmpty && repair.lost.isEmpty, "\(outcome)")
        }
        #expect(FileTree.differences(before, try FileTree.contents(folder.path)) == [])
    }

    @Test func soundSessionsAreSound() async throws {
        let session = folder("session")
        try FileManager.default.copyItem(atPath: try await Samples.full.value, toPath: session)
        let before = try FileTree.contents(folder.path)
        let check = try await CheckResult.of(session)
        #expect(check.status == 0 && check.result.sound && check.result.findings.isEmpty, "\(check.result.findings)")
        #expect(check.result.kind == "session")
        #expect(check.result.examined["frames"] == 40 && check.result.examined["images"] == 40)
        let text = try await Binary.succeed(["check", session])
        #expect(text.contains("40 frames") && text.hasSuffix("\nsound\n"))
        for place in [[], ["--in-place"]] {
            let outcome = try await Binary.run(["repair", session, "--json", "--strict"] + place)
            #expect(outcome.status == 0, "\(outcome)")
            #expect(try RepairResult(outcome).sound)
        }
        #expect(FileTree.differences(before, try FileTree.contents(folder.path)) == [])
    }

    @Test(
        .enabled(if: Captures.have("logger-benchy"), Comment(rawValue: Captures.absence)),
        arguments: ["logger-benchy", "logger-chair", "logger-mixed-orientation"]
    )
    func realSessionsHaveNoErrors(name: String) async throws {
        let outcome = try await Binary.run(["check", Captures.path(name).string, "--json"])
        let check = try CheckResult(outcome)
        #expect(outcome.status == 0 && check.sound && check.errors == 0, "\(outcome)")
        #expect(check.findings.allSatisfy { !$0.places.isEmpty && $0.count > 0 })
    }

    @Test func warningsCountUnderStrict() async throws {
        let session = folder("session"), report = folder("report.json")
        try FileManager.default.copyItem(atPath: try await Samples.plain.value, toPath: session)
        try Damage.remove("\(session)/metadata.json")
        let check = try await CheckResult.of(session)
        #expect(check.status == 0 && check.result.sound && check.result.warnings == 1)
        let strict = try await Binary.run(["check", session, "--strict", "--report", report])
        #expect(strict.status == 1, "\(strict)")
        #expect(strict.output.contains("metadata.json: expected a file, found none"))
        let data = try Data(contentsOf: URL(fileURLWithPath: report))
        #expect(try JSONDecoder().decode(CheckResult.self, from: data).warnings == 1)
    }

    @Test func wrongUseIsNamed() async throws {
        for command in ["check", "repair"] {
            try await Binary.run([command, folder("absent")]).expectError(66, naming: "absent")
            try await Binary.run([command, folder.path]).expectError(66, naming: "expected a session", "or a bag")
            try Data("no bag".utf8).write(to: URL(fileURLWithPath: folder("x.txt")))
            try await Binary.run([command, folder("x.txt")]).expectError(66, naming: "a file that is none of these")
        }
        let session = try await Samples.plain.value
        let both = ["repair", session, "--in-place", "-o", folder("x")]
        try await Binary.run(both).expectError(2, naming: "--output")
    }

    @Test func whatHasNothingToSaveIsRefused() async throws {
        let bag = folder("bag")
        try SampleBags.makeFolder(bag)
        try Data(repeating: 7, count: 5000).write(to: URL(fileURLWithPath: "\(bag)/bag_0.db3"))
        let outcome = try await Binary.run(["repair", bag])
        outcome.expectError(65, isShaped: false)
        // After a repair that failed another one is no advice.
        #expect(!outcome.errors.contains("mapeverything repair"), "\(outcome)")
        #expect(!FileManager.default.fileExists(atPath: bag + "_repaired"))
        #expect(try await Binary.run(["check", bag]).status == 1)
    }
}
