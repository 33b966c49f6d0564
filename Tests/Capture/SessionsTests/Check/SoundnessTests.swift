import Foundation
import Recording
import Sessions
import Synthetic
import SystemPackage
import TestSupport
import Testing

/// Sessions of the generator, sound and broken in one way: whether what would be published is sound.
@Suite struct SoundnessTests {
    /// Twenty frames in four seconds, images small, depth as a phone has it.
    private static func options(_ change: (inout SampleOptions) -> Void = { _ in }) -> SampleOptions {
        var options = SampleOptions()
        options.durationSeconds = 4
        options.framesPerSecond = 5
        options.imageSize = GridSize(width: 96, height: 72)
        options.jobs = 2
        change(&options)
        return options
    }

    private func kinds(_ report: SessionCheckReport) -> [ProblemKind: Int] {
        Dictionary(uniqueKeysWithValues: report.findings.map { ($0.kind, $0.count) })
    }

    private func check(_ sample: EditedSample) async throws -> SessionCheckReport {
        try await SessionCheck(path: sample.path.string, jobs: 2).run()
    }

    @Test(arguments: [
        "landscapeRight", "landscapeLeft", "portrait", "portraitUpsideDown", "mixed", "none", "noise", "no-lidar",
        "60 fps",
    ])
    func samplesRaiseNoFalseAlarm(kind: String) async throws {
        let sample = try await EditedSample(
            Self.options { options in
                switch kind {
                case "noise": options.hasNoise = true
                case "no-lidar": options.hasLidar = false
                case "60 fps": (options.durationSeconds, options.framesPerSecond) = (1, 60)
                default: options.orientation = SampleOptions.Orientation(kind) ?? .unrecorded
                }
            }
        )
        let report = try await check(sample)
        let expected: [ProblemKind: Int] = kind == "mixed" ? [.mixedOrientations: 1] : [:]
        #expect(report.isSound && kinds(report) == expected, "\(report.findings)")
    }

    /// Repeated images, with which the camera goes forth and back within fractions of a second.
    @Test(arguments: SampleFormat.allCases)
    func samplesOfEveryLayoutAreSound(format: SampleFormat) async throws {
        var options = SampleOptions()
        options.format = format
        (options.durationSeconds, options.framesPerSecond, options.imageCount) = (2, 5, 2)
        options.imageSize =
            format == .arkitScenes ? GridSize(width: 256, height: 192) : GridSize(width: 192, height: 144)
        options.imuRateHertz = format.hasMotion ? 100 : 0
        let directory = try TemporaryDirectory()
        let path = directory.appending(format.isFile ? "walk.r3d" : "walk")
        try await SyntheticSession.write(to: path, options: options)
        let report = try await SessionCheck(path: path.string, jobs: 2).run()
        #expect(report.isSound, "\(report.findings)")
    }

    /// Few views that come again and again, of a scene whose edges say little: one of them is one witness.
    @Test(arguments: [1, 2, 3, 5, 6], [(2.0, 30.0), (1, 15)])
    func viewsThatRepeatAreNoWitnesses(images: Int, length: (seconds: Double, framesPerSecond: Double)) async throws {
        var options = SampleOptions()
        (options.durationSeconds, options.framesPerSecond) = length
        (options.imageCount, options.jobs) = (images, 2)
        let report = try await check(try await EditedSample(options))
        #expect(report.isSound, "\(report.findings)")
    }

    struct Break: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var kind: ProblemKind
        var apply: @Sendable (EditedSample) throws -> Void
    }

    /// Each of these is well-formed, and was called sound before.
    static let breaks = [
        Break(testDescription: "OpenCV's camera axes", kind: .cloudsDisagree) { sample in
            try sample.editPoses { m in for index in 4..<12 { m[index] = -m[index] } }
        },
        Break(testDescription: "camera from world", kind: .cloudsDisagree) { sample in
            try sample.editPoses { m in m = try Transform(columnMajor: m).inverse.columnMajor }
        },
        Break(testDescription: "a camera rolled by a quarter", kind: .cloudsDisagree) { sample in
            try sample.editPoses { m in
                let x = Array(m[0..<4])
                m.replaceSubrange(0..<4, with: m[4..<8])
                m.replaceSubrange(4..<8, with: x.map { -$0 })
            }
        },
        Break(testDescription: "places in centimetres", kind: .poseJump) { sample in
            try sample.editPoses { m in for index in 12..<15 { m[index] *= 100 } }
        },
        Break(testDescription: "depth by columns", kind: .cloudsDisagree) { sample in
            try sample.editDepth { depth in
                depth = (0..<256).flatMap { column in (0..<192).map { row in depth[256 * row + column] } }
            }
        },
        Break(testDescription: "intrinsics of an image of half the size", kind: .intrinsicsOfAnotherSize) { sample in
            try sample.editLines { line, _ in
                let k = line["camera_intrinsics"] as? [Double] ?? []
                line["camera_intrinsics"] = k.prefix(8).map { $0 / 2 } + [1]
            }
        },
        Break(testDescription: "depth in millimetres", kind: .depthUnits) { sample in
            try sample.editDepth { depth in depth = depth.map { $0 * 1000 } }
        },
        Break(testDescription: "depth in kilometres", kind: .depthUnits) { sample in
            try sample.editDepth { depth in depth = depth.map { $0 / 1000 } }
        },
        Break(testDescription: "depth_resolution turned", kind: .depthTurned) { sample in
            try sample.editLines { line, _ in line["depth_resolution"] = [192, 256] }
        },
        Break(testDescription: "gravity negated", kind: .gravityDisagrees) { sample in
            try sample.editMotion { line in line["gravity"] = (line["gravity"] as? [Double] ?? []).map { -$0 } }
        },
        Break(testDescription: "gravity 14 degrees off", kind: .gravityDisagrees) { sample in
            try sample.editMotion { line in
                guard let g = line["gravity"] as? [Double] else { return }
                // About the z axis of the device, which is level as the generator holds it.
                let (sine, cosine) = (sin(14 * Double.pi / 180), cos(14 * Double.pi / 180))
                line["gravity"] = [g[0] * cosine - g[1] * sine, g[0] * sine + g[1] * cosine, g[2]]
            }
        },
        Break(testDescription: "no frame tracked", kind: .noTrackedFrame) { sample in
            try sample.editLines { line, _ in line["tracking_state"] = "limited_initializing" }
        },
        Break(testDescription: "all frames at one time", kind: .noDuration) { sample in
            try sample.editLines { line, _ in line["timestamp"] = 5000 }
        },
        Break(testDescription: "a jump of 50 m", kind: .poseJump) { sample in
            try sample.editLines { line, index in
                guard index >= 11, var m = line["camera_transform"] as? [Double] else { return }
                m[12] += 50
                line["camera_transform"] = m
            }
        },
    ]

    @Test(arguments: breaks)
    func whatWouldBePublishedIsJudged(broken: Break) async throws {
        let sample = try await EditedSample(Self.options())
        try broken.apply(sample)
        let report = try await check(sample)
        let finding = try #require(report.findings.first { $0.kind == broken.kind }, "\(report.findings)")
        #expect(finding.severity == .error && !report.isSound && !finding.advice.isEmpty)
        #expect(!finding.places.isEmpty && finding.places.allSatisfy { !$0.found.isEmpty })
        if broken.testDescription == "a jump of 50 m" {
            #expect(finding.count == 1 && finding.places[0].line == 12 && finding.places[0].found.hasPrefix("50"))
        }
        if broken.kind == .depthUnits { #expect(finding.count == 20) }
    }

    /// A usual mistake is named, by the pairs of frames alone: what else contradicts it is taken out of the lines.
    @Test(arguments: [
        ("OpenCV", "camera axes of OpenCV"), ("inverse", "inverse poses"), ("late", "poses 3 frames late"),
        ("early", "poses 2 frames early"), ("rows", "flipped depth (rows from bottom to top)"),
        ("focal", "half the focal length"), ("feet", "ways of the camera 0.305 times as long"),
    ])
    func causesAreNamed(mistake: String, cause: String) async throws {
        let sample = try await EditedSample(Self.options { $0.imageSize = GridSize(width: 192, height: 144) })
        var poses: [[Double]] = []
        try sample.editLines { line, _ in
            line["camera_euler_angles"] = nil
            poses.append(line["camera_transform"] as? [Double] ?? [])
        }
        try sample.editLines { line, index in
            var m = poses[index]
            switch mistake {
            case "OpenCV": for index in 4..<12 { m[index] = -m[index] }
            case "inverse": m = try Transform(columnMajor: m).inverse.columnMajor
            case "late": m = poses[max(0, index - 3)]
            case "feet": for index in 12..<15 { m[index] /= 0.3048 }
            case "early": m = poses[min(poses.count - 1, index + 2)]
            case "focal":
                var k = line["camera_intrinsics"] as? [Double] ?? []
                (k[0], k[4]) = (k[0] / 2, k[4] / 2)
                line["camera_intrinsics"] = k
            default: break
            }
            line["camera_transform"] = m
        }
        if mistake == "rows" {
            try sample.editDepth { depth in
                depth = (0..<192).reversed().flatMap { row in depth[256 * row..<256 * (row + 1)] }
            }
        }
        let report = try await check(sample)
        let finding = report.findings.first { $0.kind == .cloudsDisagree || $0.kind == .depthTurned }
        #expect(finding?.places.first?.found.contains(cause) == true, "\(report.findings)")
    }

    /// The angles that the app writes beside the transform, and the IMU, tell the same without depth or images.
    @Test(arguments: [("OpenCV", "camera axes of OpenCV"), ("late", "poses 3 frames late")])
    func anglesAndMotionTell(mistake: String, cause: String) async throws {
        let sample = try await EditedSample(
            Self.options {
                $0.hasLidar = false
                ($0.durationSeconds, $0.framesPerSecond) = (6, 10)
            }
        )
        var poses: [[Double]] = []
        try sample.editLines { line, _ in poses.append(line["camera_transform"] as? [Double] ?? []) }
        try sample.editLines { line, index in
            var m = poses[mistake == "late" ? max(0, index - 3) : index]
            if mistake == "OpenCV" { for index in 4..<12 { m[index] = -m[index] } }
            line["camera_transform"] = m
        }
        let report = try await check(sample)
        let angles = report.findings.first { $0.kind == .anglesContradictPose }
        #expect(angles?.places.first?.found.contains(cause) == true, "\(report.findings)")
        let motion = report.findings.first { $0.kind == (mistake == "late" ? .turnRatesDisagree : .gravityDisagrees) }
        #expect(motion?.severity == .error, "\(report.findings)")
        if mistake == "OpenCV" { #expect(motion?.places.first?.found.contains(cause) == true, "\(report.findings)") }
    }

    @Test func millimetresAreGuessed() async throws {
        let sample = try await EditedSample(Self.options())
        try sample.editDepth { depth in depth = depth.map { $0 * 1000 } }
        let report = try await check(sample)
        #expect(report.findings.first { $0.kind == .depthUnits }?.places[0].found.contains("millimetres") == true)
    }

    /// The outcome is the same with any number of workers, and the same again.
    @Test func measuresAreDeterministic() async throws {
        let sample = try await EditedSample(Self.options { $0.hasNoise = true })
        try sample.editPoses { m in for index in 4..<12 { m[index] = -m[index] } }
        let reports = try await [1, 2, 5].asyncMap { jobs in
            try await SessionCheck(path: sample.path.string, jobs: jobs).run()
        }
        for report in reports { #expect(report.findings.map(\.places) == reports[0].findings.map(\.places)) }
    }
}

extension Sequence {
    fileprivate func asyncMap<Result>(_ body: (Element) async throws -> Result) async rethrows -> [Result] {
        var results: [Result] = []
        for element in self { results.append(try await body(element)) }
        return results
    }
}

/// A session of the generator whose files are then changed.
final class EditedSample: Sendable {
    let directory: TemporaryDirectory
    let path: FilePath

    init(_ options: SampleOptions) async throws {
        directory = try TemporaryDirectory()
        path = directory.appending("session")
        try await SyntheticSession.write(to: path, options: options)
    }

    func editLines(in file: String = "frames.jsonl", _ change: (inout [String: Any], Int) throws -> Void) throws {
        let url = URL(fileURLWithPath: path.appending(file).string)
        let text = try String(contentsOf: url, encoding: .utf8)
        var lines: [String] = []
        for (index, line) in text.split(separator: "\n").enumerated() {
            let object = try JSONSerialization.jsonObject(with: Data(line.utf8))
            var members = try #require(object as? [String: Any])
            try change(&members, index)
            lines.append(String(decoding: try JSONSerialization.data(withJSONObject: members), as: UTF8.self))
        }
        try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: url)
    }

    func editPoses(_ change: (inout [Double]) throws -> Void) throws {
        try editLines { line, _ in
            var matrix = try #require(line["camera_transform"] as? [Double])
            try change(&matrix)
            line["camera_transform"] = matrix
        }
    }

    /// The samples at the IMU's own rate; where they are, those in the lines of frames are not used.
    func editMotion(_ change: (inout [String: Any]) -> Void) throws {
        try editLines(in: "imu.jsonl") { line, _ in change(&line) }
    }

    func editDepth(_ change: (inout [Float]) -> Void) throws {
        let folder = path.appending("depth").string
        for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
            let url = URL(fileURLWithPath: "\(folder)/\(name)")
            let data = try Data(contentsOf: url)
            var depth = data.withUnsafeBytes { Array($0.bindMemory(to: Float.self)) }
            change(&depth)
            try depth.withUnsafeBytes { Data($0) }.write(to: url)
        }
    }
}
