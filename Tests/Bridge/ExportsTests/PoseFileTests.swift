import Exports
import Maps
import Platform
import Recording
import Sessions
import Synthetic
import SystemPackage
import TestSupport
import Testing
import Translation

/// Files of poses that we write, read back for the recording that they are of, in every layout.
@Suite struct PoseFileTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func sample(_ format: SampleFormat, _ name: String = "walk", seed: UInt64 = 1) async throws -> FilePath {
        var options = SampleOptions()
        (options.format, options.seed) = (format, seed)
        (options.durationSeconds, options.framesPerSecond) = (1.2, 5)
        options.imageSize = format == .arkitScenes ? GridSize(width: 256, height: 192) : GridSize(width: 64, height: 48)
        options.drift = .percent(seed == 1 ? 0 : 2)
        options.imuRateHertz = 0
        let path = directory.appending(name + (format == .r3d ? ".r3d" : ""))
        try await SyntheticSession.write(to: path, options: options)
        return path
    }

    /// The lines of `export --to tum`.
    private func lines(_ recording: OpenedRecording) async throws -> [String] {
        var plan = ExportPlan(format: .tum)
        plan.rule.keepsLimitedTracking = true
        let folder = try OutputFolder(creating: directory.appending("export"))
        _ = try await SessionExport(recording, plan).run(into: folder, surface: { SurfaceMesh() })
        let bytes = try OutputFile.contents(of: folder.file(SessionExport.fileName))
        folder.discard()
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map { String($0) }
    }

    private func posed(_ recording: OpenedRecording, by file: FilePath) throws -> OpenedRecording {
        let match = try PoseMatch(
            PoseList(path: file.string),
            onto: PoseMatch.Target(recording.session, unixNanoseconds: recording.clock.offsetNanoseconds),
            axes: PoseMatch.Axes(
                worldFromListWorld: Coordinates.mapFromWorld.inverse,
                listCameraFromCamera: Coordinates.opticalFromCamera
            ),
            name: "poses.txt"
        )
        return recording.with(RefinedSession(recording.session, match.correction))
    }

    /// Each pose comes back at its frame, whatever clock the recording is given, and those of another recording are refused.
    @Test(arguments: SampleFormat.allCases) func comeBack(of format: SampleFormat) async throws {
        let path = try await sample(format)
        let moved = try await lines(OpenedRecording.open(path.string)).enumerated().map { index, line in
            guard !line.hasPrefix("#") else { return line }
            var words = line.split(separator: " ").map { String($0) }
            words[1] = "\(try #require(Double(words[1])) + Double(index) / 1000)"
            return words.joined(separator: " ")
        }
        let file = directory.appending("poses.txt")
        try OutputFile.write(Array((moved.joined(separator: "\n") + "\n").utf8), to: file)
        var dated = OpenOptions()
        dated.clock = ClockRequest(.firstFrame(unixNanoseconds: 1_600_000_000_000_000_000))
        for options in [OpenOptions(), dated] {
            let back = try await lines(posed(OpenedRecording.open(path.string, options), by: file))
            try #require(back.count == moved.count && back.count > 5)
            for (one, other) in zip(moved, back) where !one.hasPrefix("#") {
                let (one, other) = (one.split(separator: " "), other.split(separator: " "))
                for column in 1..<8 {
                    let (a, b) = (try #require(Double(one[column])), try #require(Double(other[column])))
                    #expect(abs(a - b) < 1e-12, "\(column)")
                }
            }
        }
        let other = try await sample(format, "other", seed: 2)
        #expect(throws: PoseMatch.Mismatch.self) { try posed(OpenedRecording.open(other.string), by: file) }
    }

    /// No layout has a clock that depends on when it is opened.
    @Test(arguments: SampleFormat.allCases) func clocksDoNotDependOnTheRun(of format: SampleFormat) async throws {
        let path = try await sample(format)
        let clocks = try [Int64(1), 2].map { now in
            var options = OpenOptions()
            options.clock.nowNanoseconds = { now * 1_000_000_000_000_000_000 }
            return try OpenedRecording.open(path.string, options).clock
        }
        #expect(clocks[0] == clocks[1] && clocks[0].source != .now)
    }
}
