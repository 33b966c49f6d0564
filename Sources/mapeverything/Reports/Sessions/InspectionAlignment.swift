import JSONText
import Replay

/// How even the streams of a session are, how they fit together, and what the camera's calibration is.
struct InspectionAlignment {
    private let alignment: StreamAlignment

    init(_ alignment: StreamAlignment) { self.alignment = alignment }

    var facts: [Fact] {
        [
            Fact("intrinsics", intrinsics, "intrinsics", intrinsicsJSON),
            Fact("missing", missing),
            .json("missing_frames", .integer(alignment.frames.missingCount)),
            .json("missing_imu_samples", .integer(alignment.motion.missingCount)),
            Fact("alignment", distance),
            .json("frame_to_imu_median_s", .number(alignment.frameToMotion.medianSeconds)),
            .json("frame_to_imu_largest_s", .number(alignment.frameToMotion.largestSeconds)),
        ]
    }

    /// By the gaps in their times.
    private var missing: String {
        var text = "\(alignment.frames.missingCount) frames"
        if alignment.motion.count > 0 { text += ", \(alignment.motion.missingCount) IMU samples" }
        return text + " by the gaps in their times"
    }

    private var distance: String {
        guard let median = alignment.frameToMotion.medianSeconds, let largest = alignment.frameToMotion.largestSeconds
        else { return "" }
        let texts = [median, largest].map { Format.number(1000 * $0, decimals: 1) }
        return "frame to nearest IMU sample: median \(texts[0]) ms, largest \(texts[1]) ms"
    }

    private var intrinsics: String {
        guard let (low, high) = alignment.intrinsics else { return "" }
        let texts = zip(["fx", "fy", "cx", "cy"], zip(low, high)).map { name, range in
            let values = [range.0, range.1].map { Format.number($0, decimals: 1) }
            return "\(name) \(values[0] == values[1] ? values[0] : "\(values[0]) to \(values[1])")"
        }
        return texts.joined(separator: ", ") + " pixels"
    }

    private var intrinsicsJSON: JSONValue {
        guard let (low, high) = alignment.intrinsics else { return .null }
        return .object(
            zip(["fx", "fy", "cx", "cy"], zip(low, high)).map { ($0, .array([.number($1.0), .number($1.1)])) }
        )
    }
}
