import Foundation
import Platform
import Recording
import Synthetic
import SystemPackage
import TestSupport
import Testing

@Suite struct SampleFilesTests {
    @Test func sameBytesForAnyNumberOfWorkers() async throws {
        var options = WrittenSample.smallOptions()
        options.hasNoise = true
        options.hasRelativeDepth = true
        options.hasGPS = true
        options.orientation = .mixed
        options.framesPerSecond = 5
        options.imageSize = GridSize(width: 161, height: 122)
        let one = try await WrittenSample(options).everything()
        options.jobs = 2
        let two = try await WrittenSample(options).everything()
        #expect(one.count == 25)
        #expect(one.keys == two.keys)
        for (path, bytes) in one { #expect(two[path] == bytes, "\(path)") }
        options.seed = 2
        let other = try await WrittenSample(options).everything()
        for path in ["rgb/000000.jpg", "depth/000000.bin", "relative_depth/000000.bin", "gps.jsonl"] {
            #expect(other[path] != one[path], "\(path)")
        }
        #expect(other["imu.jsonl"] == one["imu.jsonl"])
    }

    @Test func newestGenerationHasItsKeys() async throws {
        let sample = try await WrittenSample(WrittenSample.smallOptions())
        let keys = [
            "frame_index", "timestamp", "camera_transform", "camera_intrinsics", "camera_resolution",
            "camera_euler_angles",
            "tracking_state", "device_orientation", "exposure_duration", "exposure_offset", "has_depth",
            "frame_sharpness",
            "depth_resolution", "feature_point_count", "ambient_intensity", "ambient_color_temperature",
            "imu_timestamp",
            "user_acceleration", "rotation_rate", "gravity", "attitude_euler", "attitude_quaternion", "magnetic_field",
        ]
        let lines = try sample.lines("frames.jsonl")
        #expect(lines.count == 3)
        for (index, line) in lines.enumerated() {
            #expect(Set(line.values.keys) == Set(keys))
            #expect(try line.number("frame_index") == Double(index))
            #expect(abs(try line.number("timestamp") - 4321.3 - Double(index) / 3) < 1e-8)
        }
        let metadata = try sample.object("metadata.json")
        #expect(try metadata.text("sessionID") == "session")
        #expect(try metadata.number("frameCount") == 3)
        #expect(try metadata.numbers("rgbResolution") == [320, 240])
        #expect(try metadata.numbers("depthResolution") == [256, 192])
        #expect(try metadata.text("startUnixTime") == "1767268800.000000000")
        #expect(try metadata.number("endTimestamp") > lines[2].number("timestamp"))
    }

    @Test func whatIsSwitchedOffIsAbsent() async throws {
        var options = WrittenSample.smallOptions()
        options.hasLidar = false
        options.imuRateHertz = 0
        options.orientation = .unrecorded
        let sample = try await WrittenSample(options)
        let line = try sample.lines("frames.jsonl")[0]
        for key in ["depth_resolution", "imu_timestamp", "gravity", "device_orientation", "frame_sharpness"] {
            #expect(!line.has(key))
        }
        #expect(try line.number("has_depth") == 0)
        #expect(!sample.exists("imu.jsonl") && !sample.exists("gps.jsonl") && !sample.exists("depth/000000.bin"))
        #expect(!(try sample.object("metadata.json").has("depthResolution")))
    }

    @Test func existingDirectoryIsRefusedUnlessForced() async throws {
        var options = WrittenSample.smallOptions()
        let sample = try await WrittenSample(options)
        let path = FilePath(sample.root.path)
        let before = try sample.everything()
        await #expect(throws: OutputRefusal.self) { try await SyntheticSession.write(to: path, options: options) }
        #expect(try sample.everything() == before)
        try Data("mine".utf8).write(to: sample.root.appendingPathComponent("notes.txt"))
        options.isForced = true
        options.framesPerSecond = 1
        try await SyntheticSession.write(to: path, options: options)
        #expect(try sample.lines("frames.jsonl").count == 1)
        #expect(!sample.exists("rgb/000001.jpg"))
        #expect(sample.exists("notes.txt"))
    }

    /// A recording is no sample, whatever it is called: only the truth in it says so.
    @Test(arguments: [SampleFormat.native, .r3d])
    func recordingsAreNotReplaced(format: SampleFormat) async throws {
        var options = WrittenSample.smallOptions()
        options.format = format
        if !format.hasMotion { options.imuRateHertz = 0 }
        let directory = try TemporaryDirectory()
        let path = directory.appending("recording")
        try await SyntheticSession.write(to: path, options: options)
        let truth = directory.appending(format.isFile ? "recording.truth.json" : "recording/truth.json").string
        let begin = try Data(contentsOf: URL(fileURLWithPath: truth)).prefix(20)
        for text in [nil, "{\"format\":2,\"other\":1}"] as [String?] {
            try FileManager.default.removeItem(atPath: truth)
            if let text { try Data(text.utf8).write(to: URL(fileURLWithPath: truth)) }
            let before = try FileTreeContent(directory.path).files
            options.isForced = true
            await #expect(throws: OutputRefusal.self) { try await SyntheticSession.write(to: path, options: options) }
            #expect(try FileTreeContent(directory.path).files == before)
            if text == nil { try Data().write(to: URL(fileURLWithPath: truth)) }
        }
        // What a killed run left is replaced, and a folder of someone who likes the name is not.
        try begin.write(to: URL(fileURLWithPath: truth))
        guard !format.isFile else { return }
        let beside = path.string + ".partial"
        try FileManager.default.createDirectory(atPath: beside, withIntermediateDirectories: false)
        try Data("precious".utf8).write(to: URL(fileURLWithPath: beside + "/notes.txt"))
        await #expect(throws: OutputRefusal.self) { try await SyntheticSession.write(to: path, options: options) }
        try FileManager.default.moveItem(atPath: beside + "/notes.txt", toPath: beside + "/.unfinished-mapeverything")
        try await SyntheticSession.write(to: path, options: options)
        #expect(!FileManager.default.fileExists(atPath: beside))
    }

    @Test func problemsOfTheSystemAreNamed() async throws {
        let options = WrittenSample.smallOptions()
        let path = FilePath("/proc/nothing/session")
        let error = await #expect(throws: OutputRefusal.self) {
            try await SyntheticSession.write(to: path, options: options)
        }
        #expect("\(try #require(error))".contains(path.string))
    }

    @Test(arguments: ["duration", "fps", "size", "imu-rate", "images", "jobs"])
    func optionsAreChecked(name: String) async throws {
        var options = WrittenSample.smallOptions()
        switch name {
        case "duration": options.durationSeconds = .nan
        case "fps": options.framesPerSecond = 0
        case "size": options.imageSize = GridSize(width: 100_000, height: 100)
        case "imu-rate": options.imuRateHertz = -1
        case "images": options.imageCount = 0
        default: options.jobs = 0
        }
        let directory = try TemporaryDirectory()
        let path = directory.appending("session")
        let error = await #expect(throws: SyntheticError.self) {
            try await SyntheticSession.write(to: path, options: options)
        }
        guard case .option(name, _) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(!FileManager.default.fileExists(atPath: path.string))
    }

    @Test func progressCountsEveryImage() async throws {
        let directory = try TemporaryDirectory()
        var options = WrittenSample.smallOptions()
        options.jobs = 2
        let (stream, continuation) = AsyncStream.makeStream(of: WorkProgress.self)
        try await SyntheticSession.write(to: directory.appending("s"), options: options) { continuation.yield($0) }
        continuation.finish()
        var seen: [WorkProgress] = []
        for await progress in stream where progress.stage == "rendering" { seen.append(progress) }
        #expect(seen == (1...3).map { WorkProgress("rendering", $0, of: 3, .images) })
    }
}
