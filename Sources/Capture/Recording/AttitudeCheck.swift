import Platform

/// Compares the recorded attitudes of a whole session with its recorded gravity.
///
/// Writers disagree about the direction of CoreMotion's quaternion; the one that explains gravity is taken, once for all
/// samples. Memory does not grow with their number.
package struct AttitudeCheck: Sendable {
    /// Which rotation the recorded quaternions are.
    package enum Direction: String, Sendable {
        case referenceFromDevice = "reference from device"
        case deviceFromReference = "device from reference"
    }

    /// A sample whose gravity and attitude differ by more, in g, contradicts itself.
    package static let limit = 0.01
    /// A larger share of such samples is reported.
    package static let maximumShare = 0.05
    private static let binWidth = 0.000_5
    /// Two unit vectors are at most 2 apart; what is farther (gravity of another length) goes into the last bin.
    private static let binCount = 4096

    /// Samples that have an attitude.
    package private(set) var count = 0
    private var forward = Tally()
    private var backward = Tally()

    private struct Tally: Sendable {
        var sum = 0.0
        var residuals = BinCounts()

        mutating func add(_ residual: Double) {
            sum += min(residual, 2)
            residuals.add(toBin: min(Int(min(residual, 10) / AttitudeCheck.binWidth), AttitudeCheck.binCount - 1))
        }
    }

    package init() {}

    package mutating func add(_ sample: MotionSample) {
        guard sample.separatesGravity, let attitude = sample.attitude else { return }
        // Down in the reference frame, seen from the device, is what the sample calls gravity.
        let down = Vector3(0, 0, -1)
        let residuals = (
            (attitude.inverse.rotating(down) - sample.gravity).length,
            (attitude.rotating(down) - sample.gravity).length
        )
        guard residuals.0.isFinite, residuals.1.isFinite else { return }
        forward.add(residuals.0)
        backward.add(residuals.1)
        count += 1
    }

    /// The direction that fits gravity better; CoreMotion's own where both fit alike.
    package var direction: Direction {
        backward.sum < forward.sum ? .deviceFromReference : .referenceFromDevice
    }

    /// The length of the difference between gravity as recorded and as the attitude has it, in g, that a share of the
    /// samples does not exceed.
    ///
    /// The middle of a bin of 0.0005; `nil` without any attitude.
    package func largestResidual(ofShare share: Double) -> Double? {
        residuals.bin(ofQuantile: share, .lower).map { (Double($0) + 0.5) * Self.binWidth }
    }

    /// The median of the differences.
    package var residual: Double? { largestResidual(ofShare: 0.5) }

    /// The share of samples that contradict themselves: 0 up to 1.
    package var contradictingShare: Double {
        residuals.share(fromBin: Int((Self.limit / Self.binWidth).rounded()))
    }

    /// True if nearly all attitudes are those of their gravity.
    package var agrees: Bool { contradictingShare <= Self.maximumShare }

    private var residuals: BinCounts { (direction == .referenceFromDevice ? forward : backward).residuals }
}

/// How the axes of the phone's motion sensors and of its camera are related.
package enum DeviceAxes {
    /// CoreMotion device axes (portrait: x right, y to the top, z out of the screen) to the ARKit camera:
    /// x_c = -y_d, y_c = x_d, z_c = z_d.
    package static let cameraFromDevice = Transform(
        rotation: Quaternion(columns: Vector3(0, 1, 0), Vector3(-1, 0, 0), Vector3(0, 0, 1))
    )

    /// The angle in degrees between gravity as the IMU has it and as the camera's pose has it, 0 to 180.
    ///
    /// `nil` where the sample's gravity is too short, or too long, to be a direction.
    package static func gravityDisagreementDegrees(_ sample: MotionSample, _ worldFromCamera: Transform) -> Double? {
        let measured = cameraFromDevice.rotation.rotating(sample.gravity)
        let length = measured.length
        guard length > 0.5 else { return nil }
        let expected = worldFromCamera.rotation.inverse.rotating(Vector3(0, -1, 0))
        let sine = cross(measured, expected).length / length
        let cosine = dot(measured, expected) / length
        let degrees = arcTangent(sine, cosine) * 180 / .pi
        return degrees.isFinite ? degrees : nil
    }
}
