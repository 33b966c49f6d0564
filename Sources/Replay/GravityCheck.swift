package import Capture
package import Sessions

/// Compares gravity as the IMU has it with gravity as the camera's pose has it: wrong axes show at once.
package struct GravityCheck: Sendable {
    /// More than this is reported.
    package static let limitDegrees = 3.0
    /// A sample is compared with the frame before it if it is not older than this.
    private static let maximumDistanceSeconds = 0.05
    private static let binDegrees = 0.25

    private var bins = [Int](repeating: 0, count: 721)
    package private(set) var count = 0
    private var lastFrame: FrameReference?

    package init() {}

    package mutating func add(_ record: Record) {
        switch record {
        case .frame(let frame): lastFrame = frame.tracking.isNormal ? frame : nil
        case .location: break
        case .motion(let sample):
            guard let frame = lastFrame, sample.time.seconds(since: frame.time) <= Self.maximumDistanceSeconds,
                let degrees = Coordinates.gravityDisagreementDegrees(sample, frame.worldFromCamera), degrees.isFinite
            else { return }
            bins[Int(degrees / Self.binDegrees)] += 1
            count += 1
        }
    }

    /// The median angle, to a quarter of a degree; `nil` where nothing could be compared.
    package var medianDegrees: Double? {
        var seen = 0
        for (index, inBin) in bins.enumerated() where count > 0 {
            seen += inBin
            if 2 * seen > count { return Double(index) * Self.binDegrees }
        }
        return nil
    }

    /// The problem to report where the two disagree.
    package var problem: Problem? {
        guard let degrees = medianDegrees, degrees > Self.limitDegrees else { return nil }
        return Problem(
            .gravityDisagrees,
            file: "imu samples",
            field: "gravity",
            expected: "at most \(Self.limitDegrees) degrees from the camera's pose",
            found: "a median of \(degrees) degrees over \(count) samples"
        )
    }
}
