import Recording

/// Compares `camera_euler_angles` with `camera_transform`: the app writes both of one pose, so that a transform that was
/// changed, turned or moved to another line afterwards shows.
struct EulerAngleCheck {
    /// Both were written in single precision.
    private static let mostDegrees = 0.1
    private static let fewestFrames = 3
    private static let leastShare = 0.9

    private struct Tally {
        var count = 0
        var agreeing = 0
    }

    private var asRecorded = Tally()
    private var variants: [RecordingVariant: Tally] = [:]
    /// The last frames: the rotation of the transform, and that of the angles.
    private var recent: [(transform: Quaternion, angles: Quaternion)] = []
    private var first: FrameReference?

    /// - Parameter angles: pitch, yaw and roll in radians: yaw about y first, then pitch about x, then roll about z.
    mutating func add(_ frame: FrameReference, angles: [Double]) {
        let rotation = frame.worldFromCamera.rotation
        let expected =
            Quaternion(angleRadians: angles[1], axis: Vector3(0, 1, 0))
            * Quaternion(angleRadians: angles[0], axis: Vector3(1, 0, 0))
            * Quaternion(angleRadians: angles[2], axis: Vector3(0, 0, 1))
        if first == nil { first = frame }
        Self.count(rotation, expected, in: &asRecorded)
        for (variant, reading) in RecordingVariant.rotations(rotation) {
            Self.count(reading, expected, in: &variants[variant, default: Tally()])
        }
        for (index, earlier) in recent.reversed().enumerated() {
            Self.count(rotation, earlier.angles, in: &variants[.posesLate(frames: index + 1), default: Tally()])
            Self.count(earlier.transform, expected, in: &variants[.posesLate(frames: -index - 1), default: Tally()])
        }
        recent.append((rotation, expected))
        if recent.count > NeighbourPairs.lag { recent.removeFirst() }
    }

    private static func count(_ one: Quaternion, _ other: Quaternion, in tally: inout Tally) {
        tally.count += 1
        let degrees = (one.inverse * other).angleRadians * 180 / .pi
        if degrees <= mostDegrees { tally.agreeing += 1 }
    }

    /// The problem where most frames disagree, and one mistake explains nearly all of them.
    func problem(_ names: FrameNames) -> Problem? {
        guard let first, asRecorded.count >= Self.fewestFrames, 2 * asRecorded.agreeing < asRecorded.count else {
            return nil
        }
        let cause = RecordingVariant.all.first { variant in
            guard let tally = variants[variant] else { return false }
            return Double(tally.agreeing) >= Self.leastShare * Double(tally.count)
        }
        // Angles that nothing explains were never those of the poses.
        guard let cause else { return nil }
        return names.problem(
            .anglesContradictPose,
            first,
            \.transform,
            expected: "the rotation of camera_euler_angles",
            found:
                "another one in \(asRecorded.count - asRecorded.agreeing) of \(asRecorded.count) frames; \(cause.cause): read so, they agree"
        )
    }
}
