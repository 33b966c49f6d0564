import ArgumentParser
import Recording
import Synthetic
import SystemPackage
import Text

struct SampleCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sample",
        abstract: "Write a synthetic session of a known room, with its exact ground truth in truth.json.",
        discussion: """
            Examples:
              mapeverything sample -o room
              mapeverything sample -o room --gps --relative-depth --noise --images 60
              mapeverything sample -o room --everything
              mapeverything sample -o stray --format stray-scanner
              mapeverything sample -o room.r3d --format r3d --orientation portrait

            Formats of other apps hold the same room, way and times as the native one, as far as they can. Stray \
            Scanner's video is written as rgb/NNNNNN.jpg, ios_logger's is left out.
            """
    )

    @Option(
        name: .shortAndLong,
        help: .value("path", "Session folder to create, or file for r3d."),
        completion: .file()
    ) var output: String

    @Option(help: .value("format", "In the layout of which recording format.")) var format = SampleFormat.native

    @Option(
        help: .value("seconds", "Length: 90, 1:30, 2m. Default: 10."),
        transform: Seconds.option("--duration", .aboveZeroToDay)
    )
    var duration: Double = 10

    @Option(help: .value("hz", "Frames per second.")) var fps: Double = 30

    @Option(
        help: .value(
            "widthxheight",
            "Image size, WIDTHxHEIGHT. Default: 1920x1440; polycam: 1024x768, arkitscenes: 256x192."
        )
    )
    var size: String?

    @Option(
        help: .rare(
            "Orientation: portrait, portraitUpsideDown, landscapeLeft, landscapeRight, mixed, none (older).",
            "orientation"
        )
    )
    var orientation = "landscapeRight"

    @Flag(help: .rare("Let each LiDAR pixel be the mean of what it covers. Default: what its centre sees."))
    var mixLidar = false

    @Flag(help: .rare("Also write exact depth at the image's size: truth_depth/NNNNNN.bin, Float32 metres."))
    var truthDepth = false

    @Flag(help: "Add noise, flying pixels and invalid pixels to the depth. Default: exact depth.") var noise = false

    @Flag(help: .rare("Leave out depth and confidence. Default: write them.")) var noLidar = false

    @Flag(help: "Add a relative inverse depth map of known scale and shift to each frame.") var relativeDepth = false

    @Option(help: .rare("IMU samples per second; 0: no IMU. Default: 100 where the format has an IMU.", "hz"))
    var imuRate: Double?

    @Flag(help: "Add a GPS fix each second.") var gps = false

    @Flag(help: "Add map tiles (satellite images and elevations) around the place; implies --gps.") var tiles = false

    @Flag(help: "Hang AprilTags (36h11) on walls and furniture; where they are is in truth.json and tags_truth.txt.")
    var tags = false

    @Flag(help: .rare("Add what is hard to map: a thin plate, a pole of 3 cm, a fabric that is partly seen through."))
    var thinThings = false

    @Flag(help: .rare("Let a person walk through the room in the first 4.8 seconds; truth.json says where."))
    var walker = false

    @Option(
        help: .rare(
            "Let the recorded poses drift by about this part of the way walked, in percent; alone: as phones do, by 3 to "
                + "10 mm and 0.05 degrees a metre. The truth does not.",
            "percent"
        )
    )
    var drift: String?

    @Option(
        help: .rare("Let the recorded poses jump so often, as after relocalisations; truth.json says when.", "count")
    )
    var jumps = 0

    @Option(help: .rare("Where it is walked.", "place")) var walk = SampleWalk.room

    @Flag(help: "Add all that the format has: relative depth, GPS, tiles, compass, radio, indoor, AprilTags.")
    var everything = false

    @Option(help: .rare("Seed of the random numbers; the same seed gives the same session.", "number")) var seed:
        UInt64 = 1

    @Option(
        help: .value(
            "count",
            "Render only this many images and repeat them, for long sessions. Default: one for each frame."
        )
    )
    var images: Int?

    @Option(help: .rare("JPEG quality, 1 to 100.", "1-100")) var jpegQuality = 90

    @OptionGroup var workers: WorkerOptions
    @OptionGroup var force: ForceOptions
    @OptionGroup var progress: ProgressOptions

    func run() async throws {
        let options = try sampleOptions()
        let output = FilePath(output)
        let summary = try await progress.run("sample") { tell in
            try await SyntheticSession.write(to: output, options: options, progress: tell)
        }
        var line = "\(output): \(summary.frameCount) frames"
        if summary.imageCount < summary.frameCount { line += " of \(summary.imageCount) images" }
        if summary.motionSampleCount > 0 { line += ", \(summary.motionSampleCount) IMU samples" }
        if summary.locationCount > 0 { line += ", \(summary.locationCount) GPS fixes" }
        if summary.observationCount > 0 { line += ", \(summary.observationCount) observations" }
        let truth = options.format.isFile ? "\(output).truth.json" : "truth.json"
        let absences = options.format.absences
        var report = Report()
        report.say("\(line); ground truth in \(truth)")
        if !absences.isEmpty {
            report.note = "No \(absences.joined(separator: ", no ")) in recordings of \(options.format.title)."
        }
        try report.finish()
    }

    private func sampleOptions() throws -> SampleOptions {
        var options = SampleOptions()
        options.format = format
        try UsageError.require(fps >= 0.1 && fps <= 240, "--fps", "0.1 to 240", fps)
        if drift == "phone" {
            options.drift = .phone
        } else if let drift {
            guard let percent = Double(drift), (0...20).contains(percent) else {
                throw UsageError("--drift", expected: "0 to 20, or nothing behind it", found: drift)
            }
            options.drift = .percent(percent)
        }
        options.durationSeconds = duration
        options.framesPerSecond = fps
        let imuRate = imuRate ?? (format.hasMotion ? 100 : 0)
        let isRate = imuRate == 0 || (1...1000).contains(imuRate)
        try UsageError.require(isRate, "--imu-rate", "0, or 1 to 1000 Hz", imuRate)
        _ = try UsageError.count("--images", images ?? 1, from: 1, to: 1_000_000)
        _ = try UsageError.count("--jpeg-quality", jpegQuality, from: 1, to: 100)
        options.imageSize = try parsedSize()
        let words = ImageOrientation.allCases.map(\.rawValue) + ["mixed", "none"]
        guard let word = Spelling.match(orientation, among: words), let held = SampleOptions.Orientation(word) else {
            let expected = "a word that `mapeverything sample --help-all` lists"
            let hint = CommandHints.hint(orientation, among: words)
            throw UsageError("--orientation", expected: expected, found: orientation + hint)
        }
        options.orientation = held
        options.hasNoise = noise
        (options.mixesLidar, options.hasTruthDepth) = (mixLidar, truthDepth)
        options.hasLidar = !noLidar
        options.hasRelativeDepth = relativeDepth || everything && format == .native
        options.imuRateHertz = imuRate
        options.hasGPS = gps || tiles || everything && format.hasLocation
        options.hasTiles = tiles || everything && format == .native
        options.hasObservations = everything && format == .native
        options.hasTags = tags || everything && format == .native
        options.hasThinThings = thinThings
        options.hasWalker = walker
        options.jumpCount = try UsageError.count("--jumps", jumps, from: 0, to: 1000)
        options.walk = walk
        options.seed = seed
        options.imageCount = images
        options.jpegQuality = jpegQuality
        options.jobs = try workers.count()
        options.isForced = force.isGiven
        if let refusal = format.refusal(of: options) {
            throw UsageError("--\(refusal.option)", expected: refusal.expected, found: "--format \(format.rawValue)")
        }
        return options
    }

    private func parsedSize() throws -> GridSize {
        guard let size else { return format.imageSize }
        let parts = size.split(separator: "x").compactMap { Int($0) }
        guard parts.count == 2, parts.allSatisfy({ (16...8192).contains($0) }) else {
            throw UsageError("--size", expected: "WIDTHxHEIGHT from 16 to 8192", found: size)
        }
        return GridSize(width: parts[0], height: parts[1])
    }
}

extension SampleWalk: Choice {}
