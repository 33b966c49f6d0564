import Foundation
import TestSupport
import Testing

/// Depth that contradicts the poses is left out, unless it is trusted.
struct DoubtfulDepthTests {
    private let folder: Scratch

    init() throws { folder = try Scratch() }

    /// A folder of Stray Scanner whose poses have other camera axes than those of the app: half a turn about x.
    private func session() async throws -> String {
        let path = folder("walk")
        let shape = ["--duration", "3", "--fps", "10", "--size", "160x120"]
        try await Command.succeed(["sample", "-o", path, "--format", "stray-scanner"] + shape)
        let table = path + "/odometry.csv"
        let lines = try String(contentsOfFile: table, encoding: .utf8).split(separator: "\n")
        let turned = lines.enumerated().map { place, line in
            var cells = line.split(separator: ",").map { $0.trimmingCharacters(in: .whitespaces) }
            guard place > 0 else { return String(line) }
            let q = cells[5...8].compactMap { Double($0) }
            cells.replaceSubrange(5...8, with: [q[3], q[2], -q[1], -q[0]].map { "\($0)" })
            return cells.joined(separator: ", ")
        }
        try Data(turned.joined(separator: "\n").utf8).write(to: URL(fileURLWithPath: table))
        return path
    }

    @Test func onlyTrustedDepthIsUsed() async throws {
        let session = try await session()
        let left = try await Command.run(["inspect", session])
        let said = "depth and poses contradict"
        #expect(left.everything.contains(said) && !left.everything.contains("sensor_msgs/msg/PointCloud2"), "\(left)")
        let trusted = try await Command.run(["inspect", session, "--trust-depth"])
        #expect(!trusted.everything.contains(said), "\(trusted.everything)")
        #expect(trusted.everything.contains("sensor_msgs/msg/PointCloud2"), "\(trusted.everything)")
        for command in ["bag", "trim"] {
            let output = folder(command)
            try await Command.succeed([command, session, "-o", output, "--trust-depth"])
            #expect(FileManager.default.fileExists(atPath: output))
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder("trim") + "/depth").count == 30)
    }
}
