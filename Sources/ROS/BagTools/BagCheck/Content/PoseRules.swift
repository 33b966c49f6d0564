import Messages

/// Rotations of length one and places that are numbers.
enum PoseRules {
    /// How far from 1 the length of a quaternion may be; tf2 takes no more.
    static let lengthTolerance = 1e-3

    static func check(_ transform: TransformStamped, _ report: ContentRule.Report) {
        let name = "\(transform.header.frameID) -> \(transform.childFrameID)"
        let translation = transform.transform.translation
        if let length = wrongLength(of: transform.transform.rotation) {
            report(.error, .transformQuaternion, "a rotation of length 1", "\(name) of length \(length)")
        }
        if !isFinite(translation.x, translation.y, translation.z) {
            let found = "\(name) by \(translation.x) \(translation.y) \(translation.z)"
            report(.error, .transformNonFinite, "a finite translation", found)
        }
    }

    static func check(_ pose: Pose, _ report: ContentRule.Report) {
        let position = pose.position
        check(pose.orientation, report)
        if !isFinite(position.x, position.y, position.z) {
            report(.error, .poseNonFinite, "a finite position", "\(position.x) \(position.y) \(position.z)")
        }
    }

    static func check(_ orientation: Quaternion, _ report: ContentRule.Report) {
        guard let length = wrongLength(of: orientation) else { return }
        let found = length == 0 ? "0 0 0 0, which was never set" : "one of length \(length)"
        report(.warning, .poseQuaternion, "an orientation of length 1", found)
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
