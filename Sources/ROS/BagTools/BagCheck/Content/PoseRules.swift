import Messages

/// Rotations of length one and places that are numbers.
enum PoseRules {
    /// How far from 1 the length of a quaternion may be; tf2 takes no more.
    static let lengthTolerance = 1e-3

    static func problems(of transform: TransformStamped) -> [ContentProblem] {
        let name = "\(transform.header.frameID) -> \(transform.childFrameID)"
        let translation = transform.transform.translation
        var problems: [ContentProblem] = []
        if let length = wrongLength(of: transform.transform.rotation) {
            problems.append(
                ContentProblem(
                    .error,
                    .transformQuaternion,
                    expected: "a rotation of length 1",
                    found: "\(name) of length \(length)"
                )
            )
        }
        if !isFinite(translation.x, translation.y, translation.z) {
            problems.append(
                ContentProblem(
                    .error,
                    .transformNonFinite,
                    expected: "a finite translation",
                    found: "\(name) by \(translation.x) \(translation.y) \(translation.z)"
                )
            )
        }
        return problems
    }

    static func problems(of pose: Pose) -> [ContentProblem] {
        let position = pose.position
        var problems = problems(of: pose.orientation)
        if !isFinite(position.x, position.y, position.z) {
            problems.append(
                ContentProblem(
                    .error,
                    .poseNonFinite,
                    expected: "a finite position",
                    found: "\(position.x) \(position.y) \(position.z)"
                )
            )
        }
        return problems
    }

    /// A covariance that begins with -1 says that there is no orientation.
    static func problems(of imu: Imu) -> [ContentProblem] {
        imu.orientationCovariance[0] == -1 ? [] : problems(of: imu.orientation)
    }

    private static func problems(of orientation: Quaternion) -> [ContentProblem] {
        guard let length = wrongLength(of: orientation) else { return [] }
        return [
            ContentProblem(
                .warning,
                .poseQuaternion,
                expected: "an orientation of length 1",
                found: length == 0 ? "0 0 0 0, which was never set" : "one of length \(length)"
            )
        ]
    }

    /// The length of a quaternion that is none of a rotation.
    private static func wrongLength(of rotation: Quaternion) -> Double? {
        let square =
            rotation.x * rotation.x + rotation.y * rotation.y + rotation.z * rotation.z + rotation.w * rotation.w
        let length = square.squareRoot()
        return abs(length - 1) < lengthTolerance ? nil : length
    }

    private static func isFinite(_ x: Double, _ y: Double, _ z: Double) -> Bool {
        x.isFinite && y.isFinite && z.isFinite
    }
}
