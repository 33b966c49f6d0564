import Foundation
import Testing

/// Files of poses in each form that is written and read, given back by the commands that take `--poses`.
@Suite struct PoseFormTests {
    /// Who wrote the file.
    private enum Form: String, CaseIterable {
        /// `export --to tum`, and then each pose was moved.
        case moved
        /// `export --to tum --world arkit`.
        case arkitAxes
        case refine
        /// Another program: commas, times from the first frame, a world turned and shifted, and no heading.
        case foreign
    }

    private let folder: Scratch

    init() throws { folder = try Scratch() }

    private func sample(_ format: String, _ more: [String] = []) async throws -> String {
        let path = folder(format == "r3d" ? "walk.r3d" : "walk")
        let shape = ["--walk", "loop", "--duration", "6", "--fps", "5", "--size", "64x48"]
        try await Command.succeed(["sample", "-o", path, "--format", format] + shape + more)
        return path
    }

    private func export(_ recording: String, _ name: String, _ more: [String] = []) async throws -> String {
        let path = folder(name)
        try await Command.succeed(["export", recording, "--to", "tum", "-o", path] + more)
        return path
    }

    private func lines(_ path: String) throws -> [Substring] {
        try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
    }

    private func rows(_ path: String) throws -> [[Double]] {
        try lines(path).filter { !$0.hasPrefix("#") }.map { line in line.split(separator: " ").compactMap { Double($0) }
        }
    }

    /// A file of a form, and what has to come back of it.
    private func write(_ form: Form, of recording: String, recorded: String) async throws -> (String, [[Double]]) {
        let file = folder("\(form).txt")
        switch form {
        case .arkitAxes:
            return (try await export(recording, "\(form).txt", ["--world", "arkit"]), try rows(recorded))
        case .refine:
            try await Command.succeed(["refine", recording, "-o", file])
        case .moved:
            let moved = try lines(recorded).enumerated().map { index, line in
                guard !line.hasPrefix("#") else { return String(line) }
                var words = line.split(separator: " ").map { String($0) }
                words[1] = "\(try #require(Double(words[1])) + Double(index) / 1000)"
                return words.joined(separator: " ")
            }
            try moved.joined(separator: "\n").write(toFile: file, atomically: true, encoding: .utf8)
        case .foreign:
            let recorded = try rows(recorded)
            let start = try #require(recorded.first?[0])
            // Half a turn about the vertical: k times a quaternion is (-y, x, w, -z).
            let turned = recorded.map { row -> [Double] in
                let seconds = ((row[0] - start) * 1000).rounded() / 1000
                return [seconds, 5 - row[1], 2 - row[2], row[3], -row[5], row[4], row[7], -row[6]]
            }
            let text = turned.map { row in row.map { "\($0)" }.joined(separator: ",") }.joined(separator: "\n")
            try text.write(toFile: file, atomically: true, encoding: .utf8)
            return (file, recorded)
        }
        return (file, try rows(file))
    }

    private func expect(_ path: String, _ expected: [[Double]], columns: Range<Int>, _ label: Comment) throws {
        let found = try rows(path)
        #expect(found.count == 30 && expected.count == 30, label)
        for (a, b) in zip(found, expected) {
            try #require(a.count == 8 && b.count == 8, label)
            #expect(columns.allSatisfy { abs(a[$0] - b[$0]) < 1e-9 }, label)
        }
    }

    /// A folder and an archive, with a date, with a clock of its own and without times, with depth and without.
    @Test(arguments: ["native", "stray-scanner", "r3d", "polycam", "transforms-json", "ios-logger"])
    func comeBack(of format: String) async throws {
        let recording = try await sample(format, ["--imu-rate", "0"])
        let recorded = try await export(recording, "recorded.txt")
        for form in Form.allCases {
            let (file, expected) = try await write(form, of: recording, recorded: recorded)
            let back = try await export(recording, "back-\(form).txt", ["--poses", file])
            try expect(back, expected, columns: 1..<8, "\(format) \(form)")
            guard form == .moved else { continue }
            for command in ["trim", "bag"] {
                let copy = folder(command)
                try await Command.succeed([command, recording, "-o", copy, "--poses", file])
                // A bag has the poses of the body, which lies where its camera does and is turned.
                let columns = command == "bag" ? 1..<4 : 1..<8
                let back = try await export(copy, "back-\(command).txt")
                try expect(back, expected, columns: columns, "\(format) \(command)")
            }
        }
    }

    /// The ground truth of a folder for the TUM benchmark is such a file, that of KITTI is not.
    @Test func filesOfBenchmarks() async throws {
        let recording = try await sample("native")
        let recorded = try await rows(export(recording, "recorded.txt"))
        for format in ["tum-rgbd", "kitti"] {
            try await Command.succeed(["export", recording, "--to", format, "-o", folder(format)])
        }
        let back = try await export(recording, "back.txt", ["--poses", folder("tum-rgbd/groundtruth.txt")])
        try expect(back, recorded, columns: 0..<8, "tum-rgbd")
        let kitti = ["--poses", folder("kitti/poses/00.txt")]
        let outcome = try await Command.run(["export", recording, "--to", "tum", "-o", folder("none.txt")] + kitti)
        outcome.expectError(65, naming: "00.txt", "8 numbers: timestamp tx ty tz qx qy qz qw")
    }
}
