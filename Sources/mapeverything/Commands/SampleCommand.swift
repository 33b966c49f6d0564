import ArgumentParser
import Recording
import Synthetic
import SystemPackage

struct SampleCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sample",
        abstract: "Write a synthetic session of a known room, with its exact ground truth in truth.json."
    )

    @Option(name: .shortAndLong, help: "The session folder to create.")
    var output: String

    @Option(help: "Length in seconds.")
    var duration: Double = 10

    @Option(help: "Frames a second.")
    var fps: Double = 30

    @Option(help: "Image size, WIDTHxHEIGHT.")
    var size = "1920x1440"

    @Option(help: "portrait, portraitUpsideDown, landscapeLeft, landscapeRight, mixed, or none (the older layout).")
    var orientation = "landscapeRight"

    @Flag(help: "Depth with noise, flying pixels and invalid pixels, as phones give it.")
    var noise = false

    @Flag(help: "No LiDAR: no depth, no confidence.")
    var noLidar = false

    @Flag(help: "A relative inverse depth map for each frame, of known scale and shift.")
    var relativeDepth = false

    @Option(help: "IMU samples a second, 0 for none.")
    var imuRate: Double = 100

    @Flag(help: "A GPS fix each second.")
    var gps = false

    @Flag(help: "Map tiles around the place, satellite images and elevations; implies --gps.")
    var tiles = false

    @Option(help: "The same seed gives the same session.")
    var seed: UInt64 = 1

    @Option(help: "Render this many images and repeat them, for long sessions.")
    var images: Int?

    @Option(help: "Quality of the JPEGs.")
    var jpegQuality = 90

    @Option(name: [.customShort("j", allowingJoined: true), .long], help: "Workers. Default: one for each core.")
    var jobs: Int?

    @Flag(help: "Replace a sample that is already there.")
    var force = false

    func run() async throws {
        let options = try sampleOptions()
        let output = FilePath(output)
        let summary = try await SyntheticSession.write(to: output, options: options) { progress in
            guard Terminal.isErrorInteractive else { return }
            Terminal.showProgress("image \(progress.imagesDone) of \(progress.imageCount)")
        }
        if Terminal.isErrorInteractive { Terminal.showProgress("") }
        var line = "\(summary.frameCount) frames"
        if summary.imageCount < summary.frameCount { line += " of \(summary.imageCount) images" }
        if summary.motionSampleCount > 0 { line += ", \(summary.motionSampleCount) IMU samples" }
        if summary.locationCount > 0 { line += ", \(summary.locationCount) GPS fixes" }
        Terminal.print("\(output): \(line); ground truth in truth.json")
    }

    private func sampleOptions() throws -> SampleOptions {
        var options = SampleOptions()
        guard duration > 0, duration <= 86_400 else {
            throw UsageError("--duration", expected: "seconds from 0 to 86400", found: "\(duration)")
        }
        guard fps >= 0.1, fps <= 240 else { throw UsageError("--fps", expected: "0.1 to 240", found: "\(fps)") }
        options.durationSeconds = duration
        options.framesPerSecond = fps
        guard imuRate == 0 || (1...1000).contains(imuRate) else {
            throw UsageError("--imu-rate", expected: "0, or 1 to 1000 Hz", found: "\(imuRate)")
        }
        try require("--images", images ?? 1, in: 1...1_000_000)
        try require("--jpeg-quality", jpegQuality, in: 1...100)
        try require("-j", jobs ?? 1, in: 1...256)
        options.imageSize = try parsedSize()
        guard let orientation = SampleOptions.Orientation(orientation) else {
            throw UsageError(
                "--orientation",
                expected: "portrait, portraitUpsideDown, landscapeLeft, landscapeRight, mixed or none",
                found: orientation
            )
        }
        options.orientation = orientation
        options.hasNoise = noise
        options.hasLidar = !noLidar
        options.hasRelativeDepth = relativeDepth
        options.imuRateHertz = imuRate
        options.hasGPS = gps || tiles
        options.hasTiles = tiles
        options.seed = seed
        options.imageCount = images
        options.jpegQuality = jpegQuality
        options.jobs = jobs ?? Machine.coreCount
        options.isForced = force
        return options
    }

    private func require(_ option: String, _ value: Int, in range: ClosedRange<Int>) throws {
        guard range.contains(value) else {
            throw UsageError(option, expected: "\(range.lowerBound) to \(range.upperBound)", found: "\(value)")
        }
    }

    private func parsedSize() throws -> GridSize {
        let parts = size.split(separator: "x").compactMap { Int($0) }
        guard parts.count == 2, parts.allSatisfy({ (16...8192).contains($0) }) else {
            throw UsageError("--size", expected: "WIDTHxHEIGHT from 16 to 8192", found: size)
        }
        return GridSize(width: parts[0], height: parts[1])
    }
}
