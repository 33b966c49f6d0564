import ROS

/// Something wrong with what a message holds.
struct ContentProblem {
    /// In anyone's bag; in a bag of ours a warning is an error too.
    var severity: BagFinding.Severity
    var kind: BagFindingKind
    var expected: String
    var found: String

    init(_ severity: BagFinding.Severity, _ kind: BagFindingKind, expected: String, found: String) {
        self.severity = severity
        self.kind = kind
        self.expected = expected
        self.found = found
    }
}

/// Holds the fields of messages of well-known types to each other.
final class ContentCheck: MessageCheck {
    func examine(_ message: ExaminedMessage, _ context: CheckContext) {
        guard case .compiled(let value)? = message.content else { return }
        for problem in problems(of: value, context) {
            context.findings.add(
                max(problem.severity, context.findings.severity(foreign: problem.severity)),
                problem.kind,
                topic: message.topic.name,
                at: message.spot,
                expected: problem.expected,
                found: problem.found
            )
        }
    }

    private func problems(of message: any Message, _ context: CheckContext) -> [ContentProblem] {
        switch message {
        case let cloud as PointCloud2: CloudRules.problems(of: cloud)
        case let image as Image: ImageRules.problems(of: image)
        case let image as CompressedImage: CompressedImageRules.problems(of: image, context.options)
        case let camera as CameraInfo: CameraInfoRules.problems(of: camera)
        case let message as TFMessage: message.transforms.flatMap { PoseRules.problems(of: $0) }
        case let transform as TransformStamped: PoseRules.problems(of: transform)
        case let pose as PoseStamped: PoseRules.problems(of: pose.pose)
        case let odometry as Odometry: PoseRules.problems(of: odometry.pose.pose)
        case let pose as PoseWithCovarianceStamped: PoseRules.problems(of: pose.pose.pose)
        case let poses as PoseArray: poses.poses.flatMap { PoseRules.problems(of: $0) }
        case let path as Path: path.poses.flatMap { PoseRules.problems(of: $0.pose) }
        case let imu as Imu: PoseRules.problems(of: imu)
        default: []
        }
    }
}
