import Messages

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

/// The checks of the messages of one type; found once for each topic.
struct ContentRule: Sendable {
    private let problems: @Sendable (any AnyMessage, BagCheckOptions) -> [ContentProblem]

    /// nil for types of which nothing can be said.
    init?(typeName: String) {
        guard let rule = Self.rules[typeName] else { return nil }
        self = rule
    }

    private init<M: Message>(
        _ type: M.Type,
        _ problems: @escaping @Sendable (M, BagCheckOptions) -> [ContentProblem]
    ) {
        self.problems = { message, options in (message as? M).map { problems($0, options) } ?? [] }
    }

    func problems(of message: any AnyMessage, _ options: BagCheckOptions) -> [ContentProblem] {
        problems(message, options)
    }

    private static let rules: [String: ContentRule] = [
        PointCloud2.typeName: ContentRule(PointCloud2.self) { cloud, _ in CloudRules.problems(of: cloud) },
        Image.typeName: ContentRule(Image.self) { image, _ in ImageRules.problems(of: image) },
        CompressedImage.typeName: ContentRule(CompressedImage.self, CompressedImageRules.problems),
        CameraInfo.typeName: ContentRule(CameraInfo.self) { camera, _ in CameraInfoRules.problems(of: camera) },
        TFMessage.typeName: ContentRule(TFMessage.self) { message, _ in
            message.transforms.flatMap { PoseRules.problems(of: $0) }
        },
        TransformStamped.typeName: ContentRule(TransformStamped.self) { message, _ in
            PoseRules.problems(of: message)
        },
        PoseStamped.typeName: ContentRule(PoseStamped.self) { message, _ in PoseRules.problems(of: message.pose) },
        Odometry.typeName: ContentRule(Odometry.self) { message, _ in PoseRules.problems(of: message.pose.pose) },
        PoseWithCovarianceStamped.typeName: ContentRule(PoseWithCovarianceStamped.self) { message, _ in
            PoseRules.problems(of: message.pose.pose)
        },
        PoseArray.typeName: ContentRule(PoseArray.self) { message, _ in
            message.poses.flatMap { PoseRules.problems(of: $0) }
        },
        Path.typeName: ContentRule(Path.self) { message, _ in
            message.poses.flatMap { PoseRules.problems(of: $0.pose) }
        },
        Imu.typeName: ContentRule(Imu.self) { message, _ in PoseRules.problems(of: message) },
    ]
}

/// Holds the fields of messages of well-known types to each other.
final class ContentCheck: MessageCheck {
    func examine(_ message: ExaminedMessage, _ context: CheckContext) {
        guard let rule = message.topic.contentRule, let value = message.content else { return }
        for problem in rule.problems(of: value, context.options) {
            context.at(message).add(foreign: problem.severity, problem.kind, problem.expected, problem.found)
        }
    }
}
