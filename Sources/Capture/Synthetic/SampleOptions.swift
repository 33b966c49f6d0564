package import Recording
package import SystemPackage

/// The options of `mapeverything sample`.
package struct SampleOptions: Hashable, Sendable {
    /// How the phone is held, and so how its JPEGs are turned.
    package enum Orientation: Hashable, Sendable {
        case fixed(ImageOrientation)
        /// Another orientation every second.
        case mixed
        /// The app's first generation: never turned, and not recorded.
        case unrecorded

        /// From the word of the command line: an orientation's name, `mixed` or `none`.
        package init?(_ word: String) {
            switch word {
            case "mixed": self = .mixed
            case "none": self = .unrecorded
            default:
                guard let orientation = ImageOrientation(rawValue: word) else { return nil }
                self = .fixed(orientation)
            }
        }
    }

    /// In whose layout it is written.
    package var format = SampleFormat.native
    package var durationSeconds: Double = 10
    package var framesPerSecond: Double = 30
    package var imageSize = GridSize(width: 1920, height: 1440)
    package var orientation = Orientation.fixed(.landscapeRight)
    /// Depth noise, flying pixels and invalid pixels; outliers in the relative depth.
    package var hasNoise = false
    /// Each LiDAR pixel is the mean of what it covers, and so mixes surfaces at their edges.
    package var mixesLidar = false
    /// Exact depth of the size of the image beside the frames.
    package var hasTruthDepth = false
    package var hasLidar = true
    package var hasRelativeDepth = false
    /// 0 for no IMU at all.
    package var imuRateHertz: Double = 100
    package var hasGPS = false
    /// Readings of the compass, radios and indoor positions.
    package var hasObservations = false
    /// Map tiles around the GPS origin; needs `hasGPS`.
    package var hasTiles = false
    /// AprilTags on the walls.
    package var hasTags = false
    /// A thin plate, a pole of 3 cm, and a fabric that the LiDAR looks through in 18 of 100 images.
    package var hasThinThings = false
    /// A person walks through the room in the first five seconds.
    package var hasWalker = false
    /// How far the recorded poses go wrong; the truth has the true ones.
    package enum Drift: Hashable, Sendable {
        /// Of the way walked, about; 0 for none.
        case percent(Double)
        /// As measured on phones: 3 to 10 mm and about 0.05 degrees a metre.
        case phone
    }

    package var drift = Drift.percent(0)
    /// How many times the recorded poses jump, spread over the session; the truth has no jumps.
    package var jumpCount = 0
    package var walk = SampleWalk.room
    package var seed: UInt64 = 1
    /// Renders this many images and repeats them forth and back; `nil` renders each frame.
    package var imageCount: Int?
    /// The most frames that are rendered at a time.
    package var jobs = 1
    /// Writes into a directory that exists, after removing what an earlier sample left there.
    package var isForced = false
    package var jpegQuality = 90

    package init() {}

    var room: Room {
        Room(seed: seed, walk: walk, hasTags: hasTags, hasThinThings: hasThinThings, hasWalker: hasWalker)
    }

    /// The number of frames: those of the first `durationSeconds`, at least one.
    package var frameCount: Int { max(1, Int((durationSeconds * framesPerSecond).rounded())) }

    func validate() throws(SyntheticError) {
        func require(_ condition: Bool, _ option: String, _ expected: String) throws(SyntheticError) {
            guard condition else { throw .option(name: option, expected: expected) }
        }
        try require(
            durationSeconds > 0 && durationSeconds <= 86_400,
            "duration",
            "more than 0 and at most 86400 seconds"
        )
        try require(framesPerSecond >= 0.1 && framesPerSecond <= 240, "fps", "0.1 to 240")
        try require(frameCount <= 1_000_000, "duration", "at most 1000000 frames")
        try require(
            (16...8192).contains(imageSize.width) && (16...8192).contains(imageSize.height),
            "size",
            "16 to 8192 pixels a side"
        )
        try require(imuRateHertz == 0 || (1...1000).contains(imuRateHertz), "imu-rate", "0, or 1 to 1000 Hz")
        try require(hasGPS || !hasTiles, "tiles", "GPS fixes with them")
        try require((imageCount ?? 1) >= 1, "images", "at least 1")
        try require(
            !hasTruthDepth || format == .native && imageCount == nil,
            "truth-depth",
            "the native format, and no --images"
        )
        if case .percent(let percent) = drift { try require((0...20).contains(percent), "drift", "0 to 20 percent") }
        try require((0...1000).contains(jumpCount), "jumps", "0 to 1000")
        let hasRoom = walk == .room || walk == .loop
        try require(hasRoom || !(hasTags || hasThinThings || hasWalker), "walk", "room or loop, where things are added")
        try require((1...256).contains(jobs), "jobs", "1 to 256")
        try require((1...100).contains(jpegQuality), "quality", "1 to 100")
        if let refusal = format.refusal(of: self) {
            throw .option(name: refusal.option, expected: refusal.expected)
        }
    }
}

/// Why a synthetic session could not be written.
package enum SyntheticError: Error, Hashable, Sendable, CustomStringConvertible {
    case option(name: String, expected: String)
    /// A system call failed.
    case system(operation: String, path: FilePath, errno: Errno)

    package var description: String {
        switch self {
        case .option(let name, let expected): "option --\(name): expected \(expected)"
        case .system(let operation, let path, let errno):
            "sample: \(path): expected to \(operation) it, found: \(errno)"
        }
    }
}
