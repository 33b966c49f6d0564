import Foundation
import SystemPackage
import TestSupport
import Testing

/// `trim`: sessions of any format as native ones.
@Suite(.serialized) struct TrimTests {
    private let folder: Scratch

    init() throws { folder = try Scratch() }

    private struct Report: Decodable {
        var format: String
        var frames: Int
        var frames_in: Int
        var not_nth: Int
        var above_rate: Int
        var pictures: Int
        var depth: Int
        var imu_samples: Int
        var has_wall_clock: Bool
    }

    @Test func aPartOfAnotherFormatIsANativeSession() async throws {
        let source = folder("walk")
        let shape = ["--duration", "2", "--fps", "10", "--size", "160x120", "--format", "stray-scanner"]
        try await Command.succeed(["sample", "-o", source] + shape)
        let output = folder("part.zip")
        let report: Report = try await Command.json(
            ["trim", source, "-o", output, "--start", "0.5", "--max-hz", "5", "--every", "2", "--json"]
        )
        #expect(report.format == "Stray Scanner")
        #expect(report.frames_in == 15 && report.frames == 4 && report.not_nth == 4 && report.above_rate == 7)
        #expect(report.pictures == 4 && report.depth == 4 && report.imu_samples > 100)
        let inspection: SessionInspection = try await Command.json(["inspect", output, "--json"])
        #expect(inspection.frames == 4 && inspection.problems.isEmpty)
        try await Command.run(["trim", source, "-o", output]).expectError(73, naming: output)
        try await Command.run(["trim", source, "-o", folder("none"), "--min-sharpness", "1e9"])
            .expectError(65, naming: "frames below --min-sharpness")
        for option in ["--max-hz", "--rate"] {
            try await Command.run(["trim", source, "-o", folder("none"), option, "0"]).expectError(
                2,
                naming: "--max-hz"
            )
        }
        // The name of before is read, and what is wrong beside it is told.
        try await Command.run(["trim", source, "--rate", "5", "--wrong"]).expectError(2, naming: "--wrong: expected")
        let old: Report = try await Command.json(["trim", source, "-o", folder("old"), "--rate=5", "--json"])
        let all: Report = try await Command.json(["trim", source, "-o", folder("all"), "--max-hz", "all", "--json"])
        #expect(old.frames == 10 && old.above_rate == 10 && all.frames == 20)
        #expect(!FileManager.default.fileExists(atPath: folder("none")))
    }
}
