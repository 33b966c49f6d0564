import Messages

/// The checks of the messages of one type; found once for each topic.
struct ContentRule: Sendable {
    /// Takes a problem, with its severity in anyone's bag; in a bag of ours a warning is an error too.
    typealias Report = (BagFinding.Severity, BagFindingKind, _ expected: String, _ found: String) -> Void

    let check: @Sendable (any AnyMessage, BagCheckOptions, Report) -> Void

    /// nil for types of which nothing can be said.
    init?(typeName: String) {
        guard let rule = Self.rules[typeName] else { return nil }
        self = rule
    }

    private init<M: Message>(
        _ type: M.Type,
        _ check: @escaping @Sendable (M, BagCheckOptions, Report) -> Void
    ) {
        self.check = { message, options, report in
            if let message = message as? M { check(message, options, report) }
        }
    }

    private static let rules: [String: ContentRule] = [
        PointCloud2.typeName: ContentRule(PointCloud2.self) { cloud, _, report in CloudRules.check(cloud, report) },
        Image.typeName: ContentRule(Image.self) { image, _, report in ImageRules.check(image, report) },
        CompressedImage.typeName: ContentRule(CompressedImage.self, CompressedImageRules.check),
        CameraInfo.typeName: ContentRule(CameraInfo.self) { camera, _, report in CameraInfoRules.check(camera, report)
        },
        TFMessage.typeName: ContentRule(TFMessage.self) { message, _, report in
            for transform in message.transforms { PoseRules.check(transform, report) }
        },
        TransformStamped.typeName: ContentRule(TransformStamped.self) { message, _, report in
            PoseRules.check(message, report)
        },
        PoseStamped.typeName: ContentRule(PoseStamped.self) { message, _, report in
            PoseRules.check(message.pose, report)
        },
        Odometry.typeName: ContentRule(Odometry.self) { message, _, report in
            PoseRules.check(message.pose.pose, report)
        },
        PoseWithCovarianceStamped.typeName: ContentRule(PoseWithCovarianceStamped.self) { message, _, report in
            PoseRules.check(message.pose.pose, report)
        },
        PoseArray.typeName: ContentRule(PoseArray.self) { message, _, report in
            for pose in message.poses { PoseRules.check(pose, report) }
        },
        Path.typeName: ContentRule(Path.self) { message, _, report in
            for stamped in message.poses { PoseRules.check(stamped.pose, report) }
        },
        Imu.typeName: ContentRule(Imu.self) { message, _, report in
            // A covariance that begins with -1 says that there is no orientation.
            if message.orientationCovariance[0] != -1 { PoseRules.check(message.orientation, report) }
        },
    ]
}

/// Holds the fields of messages of well-known types to each other.
final class ContentCheck: MessageCheck {
    func examine(_ message: ExaminedMessage, _ context: CheckContext) {
        guard let rule = message.topic.contentRule, let value = message.content else { return }
        rule.check(value, context.options) { context.at(message).add(foreign: $0, $1, $2, $3) }
    }
}
