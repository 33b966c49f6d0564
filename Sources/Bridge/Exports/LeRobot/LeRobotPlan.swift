package import Perception
package import Recording
import Sessions
package import Translation

/// How recordings become a LeRobot data set; independent of the command line.
package struct LeRobotPlan: Sendable {
    /// The content of `action`.
    package enum Action: String, Sendable, Hashable, CaseIterable {
        /// The motion to the next step: metres and a rotation vector, in the body's axes.
        case relative
        /// The pose of the next step.
        case absolute
        case none
    }

    /// The data set's rate where none is asked for, if the recordings are as fast.
    package static let usualFramesPerSecond = 30
    package static let usualTask = "Walk through the place and look around."

    /// The task of every episode, in words.
    package var task = usualTask
    /// The rate of the steps; `nil` for 30 a second, or the recordings' own where that is lower.
    package var framesPerSecond: Int?
    package var action = Action.relative
    /// Images are not larger than this; they keep their proportions.
    package var imageSize: GridSize? = GridSize(width: 640, height: 480)
    /// Which depth pixels count.
    package var depth = CloudParameters()
    package var leavesOutDepth = false
    package var keepsLimitedTracking = false
    package var span = SpanRequest()
    package var jobs = 1
    package var toolVersion = ""

    package init() {}

    /// The frames that count.
    var rule: FrameRule {
        var rule = FrameRule()
        rule.keepsLimitedTracking = keepsLimitedTracking
        rule.needsNewTime = true
        return rule
    }

    /// The size of the data set's images of a sensor: even, as the video's chroma has half of it.
    func size(of sensor: GridSize) -> GridSize {
        let most = imageSize ?? sensor
        let scale = min(
            1,
            Double(most.width) / Double(max(1, sensor.width)),
            Double(most.height) / Double(max(1, sensor.height))
        )
        func side(_ pixels: Int) -> Int { max(2, Int((Double(pixels) * scale / 2).rounded()) * 2) }
        return GridSize(width: side(sensor.width), height: side(sensor.height))
    }
}

/// Why there is no data set; nothing has been written.
package enum LeRobotError: Error, Sendable, CustomStringConvertible {
    /// The data sets, or the data set and the recordings, do not go together.
    case unlike(path: String, field: String, expected: String, found: String)
    case noEpisode(reasons: String)
    case missingProgram(name: String)
    /// ffmpeg cannot do what is asked of it.
    case encoder(what: String, found: String)
    /// A file of the data set is not as it was written.
    case readBack(file: String, expected: String, found: String)

    package var description: String {
        switch self {
        case .unlike(let path, let field, let expected, let found):
            "\(path): \(field): expected \(expected), found \(found)"
        case .noEpisode(let reasons): "--to lerobot: expected two steps or more in a row, found none: \(reasons)"
        case .missingProgram(let name): "--to lerobot: expected \(name) in PATH, found none"
        case .encoder(let what, let found): "--to lerobot: ffmpeg: expected \(what), found: \(found)"
        case .readBack(let file, let expected, let found): "self-test: \(file): expected \(expected), found \(found)"
        }
    }

    /// True where another ffmpeg would do.
    package var isOfSystem: Bool {
        switch self {
        case .missingProgram, .encoder: true
        case .unlike, .noEpisode, .readBack: false
        }
    }

    /// What helps.
    package var advice: String? {
        switch self {
        case .missingProgram: "apt install ffmpeg"
        case .encoder(let what, _) where what.contains("12-bit"):
            "install an ffmpeg with libx265 for 12 bits (Debian's has it), or leave depth out: --no-depth-video"
        case .encoder: "install an ffmpeg with libx264 (Debian's has it)"
        case .unlike, .noEpisode, .readBack: nil
        }
    }
}

extension Product {
    static let leRobot = Product("lerobot", .episodes).with {
        $0.options = [.times, .oneSize, .learning, .workers, .depthSource, .depthPixels, .maximumDepth]
        $0.standsFor = ["hdf5", "rlds", "huggingface"]
    }
}
