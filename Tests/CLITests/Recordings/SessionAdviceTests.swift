import Foundation
import Sessions
import TestSupport
import Testing

/// What a finding in a recording advises is typed as it is printed, and the finding is gone.
struct SessionAdviceTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var kind: ProblemKind
        var format = "native"
        var damage: @Sendable (String) throws -> Void
        var testDescription: String { "\(kind.rawValue) (\(format))" }
    }

    static let cases = lines + files + others

    private static let lines = [
        Case(kind: .cutLastLine) { try Damage.cut("\($0)/frames.jsonl", bytes: 60) },
        Case(kind: .unreadableLine) { try Damage.edit("\($0)/frames.jsonl", "^\\{", "[") },
        Case(kind: .missingField) { try Damage.edit("\($0)/frames.jsonl", "\"camera_transform\"", "\"camera\"") },
        Case(kind: .badField) { try Damage.edit("\($0)/frames.jsonl", "\"timestamp\":[0-9.]+", "\"timestamp\":\"x\"") },
        Case(kind: .badTransform) {
            try Damage.edit("\($0)/frames.jsonl", "\"camera_transform\":\\[[^,]+,", "\"camera_transform\":[7,")
        },
        Case(kind: .badIntrinsics) {
            try Damage.edit("\($0)/frames.jsonl", "\"camera_intrinsics\":\\[[^,]+,", "\"camera_intrinsics\":[0,")
        },
        Case(kind: .badLocation) {
            try Damage.edit("\($0)/gps.jsonl", "\"latitude\":[0-9.]+", "\"latitude\":999")
        },
        Case(kind: .badObservation) {
            try Damage.edit("\($0)/indoor.jsonl", "\"latitude\":[0-9.]+", "\"latitude\":999")
        },
        Case(kind: .timeOutOfSession) {
            try Damage.edit("\($0)/frames.jsonl", "\"timestamp\":[0-9.]+", "\"timestamp\":99999999.0")
        },
        Case(kind: .duplicateFrame) { session in
            let path = "\(session)/frames.jsonl"
            let text = try String(contentsOfFile: path, encoding: .utf8)
            let line = try #require(text.split(separator: "\n").dropFirst(3).first)
            try (text + line + "\n").write(toFile: path, atomically: false, encoding: .utf8)
        },
    ]

    private static let files = [
        Case(kind: .missingDepth) { try Damage.remove("\($0)/depth/000003.bin") },
        Case(kind: .wrongDepthSize) { try Damage.cut("\($0)/depth/000003.bin", to: 0.3) },
        Case(kind: .missingRelativeDepth) { try Damage.remove(try fourth("\($0)/relative_depth")) },
        Case(kind: .wrongRelativeDepthSize) { try Damage.cut(try fourth("\($0)/relative_depth"), to: 0.3) },
        Case(kind: .wrongConfidenceSize) { try Damage.cut("\($0)/confidence/000003.bin", to: 0.3) },
        Case(kind: .orphanFile) {
            try FileManager.default.copyItem(atPath: "\($0)/rgb/000003.jpg", toPath: "\($0)/rgb/000777.jpg")
        },
        Case(kind: .missingMetadata) { try Damage.remove("\($0)/metadata.json") },
        Case(kind: .metadataUnreadable) { try Damage.cut("\($0)/metadata.json", to: 0.5) },
        Case(kind: .metadataOfAnotherSession) {
            try Damage.edit("\($0)/metadata.json", "\"startTimestamp\":[0-9.]+", "\"startTimestamp\":99321.25")
            try Damage.edit("\($0)/metadata.json", "\"endTimestamp\":[0-9.]+", "\"endTimestamp\":99323.24")
        },
        Case(kind: .frameCountDiffers) {
            try Damage.edit("\($0)/metadata.json", "\"frameCount\":[0-9]+", "\"frameCount\":999")
        },
    ]

    /// Files of other apps, which `repair` does not write.
    private static let others = [
        Case(kind: .badField, format: "stray-scanner") {
            try Damage.edit("\($0)/odometry.csv", "\n[0-9.]+, 000004, [^\n]+", "\nx")
        },
        Case(kind: .missingDepth, format: "stray-scanner") { try Damage.remove(try fourth("\($0)/depth")) },
        Case(kind: .brokenDepth, format: "stray-scanner") { try Damage.cut(try fourth("\($0)/depth"), to: 0.3) },
        Case(kind: .missingConfidence, format: "stray-scanner") { try Damage.remove(try fourth("\($0)/confidence")) },
        Case(kind: .brokenConfidence, format: "stray-scanner") {
            try Damage.cut(try fourth("\($0)/confidence"), to: 0.3)
        },
    ]

    private static func fourth(_ folder: String) throws -> String {
        "\(folder)/\(try FileManager.default.contentsOfDirectory(atPath: folder).sorted()[3])"
    }

    @Test(arguments: cases)
    func isFollowed(damaged: Case) async throws {
        let folder = try Scratch()
        let session = folder("session")
        let shape = ["--duration", "1", "--fps", "10", "--size", "320x240", "--format", damaged.format]
        let all = damaged.format == "native" ? ["--everything"] : []
        try await Command.succeed(["sample", "-o", session] + shape + all)
        try damaged.damage(session)
        let text = try await Command.run(["check", session]).output
        let finding = try #require(PrintedFinding.all(in: text).first { $0.kind == damaged.kind.rawValue }, "\(text)")
        let command = try #require(finding.command, "\(text)")
        #expect(command[0] == (damaged.format == "native" ? "repair" : "trim") && command[1] == session)
        try await Command.succeed(command)
        let written = command.contains("-o") ? try #require(command.last) : session + "_repaired"
        let after = try await Command.run(["check", written])
        #expect(!PrintedFinding.all(in: after.output).contains { $0.kind == damaged.kind.rawValue }, "\(after)")
    }

    @Test func noKindWithACommandIsWithoutACase() {
        let named = ProblemKind.allCases.filter { $0.advice(isNative: true).contains("`mapeverything ") }
        #expect(named.count > 20 && Set(named).isSubset(of: Self.cases.map(\.kind)))
    }
}
