import Foundation
import Testing

/// Damaged sessions: found, mended, found sound, and published as far as they are sound.
@Suite(.serialized)
struct SessionDamageTests {
    private let folder: Scratch
    private var session: String { folder("session") }
    private var repaired: String { folder("repaired") }

    init() async throws {
        folder = try Scratch()
        try FileManager.default.copyItem(atPath: try await Samples.plain.value, toPath: folder("session"))
    }

    struct Case: Sendable, CustomTestStringConvertible {
        var kind: String
        var place: String
        var isError = true
        var frames = 40
        var damage: @Sendable (String) throws -> Void
        var testDescription: String { kind }
    }

    static let cases = [
        Case(kind: "cutLastLine", place: "frames.jsonl: line 40", frames: 39) {
            try Damage.cut("\($0)/frames.jsonl", bytes: 60)
        },
        Case(kind: "unreadableLine", place: "frames.jsonl: line 1", frames: 39) {
            try Damage.edit("\($0)/frames.jsonl", "^\\{", "[")
        },
        Case(kind: "missingMetadata", place: "metadata.json", isError: false) {
            try Damage.remove("\($0)/metadata.json")
        },
        Case(kind: "orphanFile", place: "rgb/000777.jpg", isError: false) {
            try FileManager.default.copyItem(atPath: "\($0)/rgb/000003.jpg", toPath: "\($0)/rgb/000777.jpg")
        },
        Case(kind: "wrongDepthSize", place: "depth/000004.bin") { try Damage.cut("\($0)/depth/000004.bin", to: 0.3) },
    ]

    @Test(arguments: cases)
    func isFoundAndMended(damaged: Case) async throws {
        try damaged.damage(session)
        let before = try FileTree.contents(session)
        let check = try await CheckResult.of(session)
        #expect(check.status == (damaged.isError ? 1 : 0) && check.result.sound == !damaged.isError)
        let finding = try #require(check.result.findings.first { $0.kind == damaged.kind }, "\(check.result.findings)")
        #expect(finding.severity == (damaged.isError ? "error" : "warning") && !finding.advice.isEmpty)
        #expect(finding.places.contains { $0.contains(damaged.place) }, "\(finding)")

        let outcome = try await Command.run(["repair", session, "-o", repaired, "--json"])
        #expect(outcome.status == 0, "\(outcome)")
        let repair = try RepairResult(outcome)
        #expect(!repair.sound && repair.output == repaired && !repair.done.isEmpty)
        #expect(FileTree.differences(before, try FileTree.contents(session)) == [], "the damaged one was changed")

        let after = try await CheckResult.of(repaired)
        #expect(after.status == 0 && after.result.errors == 0)
        #expect(after.result.examined["frames"] == damaged.frames)
        #expect(!after.result.findings.contains { $0.kind == damaged.kind }, "\(after.result.findings)")
        let bag = folder("bag")
        try await Binary.succeed([
            "bag", repaired, "-o", bag, "--profile", "record", "--topics", "/mapping/pose", "--strict",
        ])
        let inspection: BagInspection = try await Command.json(["inspect", bag, "--json"])
        #expect(inspection.count("/mapping/pose") == damaged.frames)

        let inPlace = try await Command.run(["repair", session, "--in-place"])
        #expect(inPlace.status == 0, "\(inPlace)")
        #expect(try await CheckResult.of(session).result.errors == 0)
    }

    @Test func whatCannotBeMendedIsNotCalledSound() async throws {
        try Damage.remove("\(session)/rgb/000000.jpg")
        let check = try await CheckResult.of(session)
        #expect(check.status == 1)
        #expect(check.result.findings.contains { $0.kind == "missingImage" && $0.places[0].contains("rgb/000000.jpg") })
        let outcome = try await Command.run(["repair", session, "-o", repaired, "--json"])
        #expect(outcome.status == 0, "\(outcome)")
        let repair = try RepairResult(outcome)
        #expect(!repair.sound && repair.lost.contains { $0.contains("no image file") }, "\(outcome)")
        #expect(!(try await Command.succeed(["repair", session])).contains("is sound"))
        #expect(try await Command.run(["repair", session, "--strict"]).status == 1)
    }
}
