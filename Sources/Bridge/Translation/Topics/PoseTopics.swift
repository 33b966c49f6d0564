import Messages
import Recording
import Sessions

/// `/mapping/odom`: pose in `odom`, velocity in `base_link` from the pose of the frame before, on the capture's own times.
struct OdometryTopic: TopicSource {
    let topics: [Topic]
    let trigger = Trigger.frame([])
    let rateHertz: Double?
    private let axes: FramePolicy
    private let correction: PoseCorrection?

    /// Neighbours farther apart than this say nothing about a velocity.
    private static let maximumIntervalSeconds = 0.5
    // Standard deviations: 5 cm and 1.1 degrees of drift for the pose, 0.2 m/s and 0.1 rad/s for differences of poses.
    private static let positionVariance = 0.0025
    private static let rotationVariance = 0.0004
    private static let velocityVariance = 0.04
    private static let turnRateVariance = 0.01
    /// Where no velocity is known.
    private static let unknownVariance = 1e6

    init?(_ context: SourceContext) {
        guard let topic = context.topic(.odometry) else { return nil }
        topics = [topic]
        rateHertz = context.rateHertz(.odometry)
        axes = context.axes
        correction = context.correction
    }

    mutating func messages(for item: PreparedItem, stamp: Int64, into batch: inout [StampedMessage]) {
        guard let frame = item.frame else { return }
        let odomFromBase = Coordinates.mapFromBase(frame.recordedWorldFromCamera, policy: axes)
        var message = Odometry()
        message.header = Header(stampNanoseconds: stamp, frameID: FrameName.odom)
        message.childFrameID = FrameName.base
        message.pose.pose = pose(odomFromBase)
        if let known = correction?.knot(nearestTo: frame.time)?.recordedCovariance {
            message.pose.covariance = covariance(known, odomFromBase * axes.baseFromCamera)
        } else {
            setDiagonal(&message.pose.covariance, Self.positionVariance, Self.rotationVariance)
        }
        if let twist = twist(item.previousFrame, frame, odomFromBase) {
            message.twist.twist.linear = vector(twist.linear)
            message.twist.twist.angular = vector(twist.angular)
            setDiagonal(&message.twist.covariance, Self.velocityVariance, Self.turnRateVariance)
        } else {
            setDiagonal(&message.twist.covariance, Self.unknownVariance, Self.unknownVariance)
        }
        batch.append(StampedMessage(topic: topics[0], timeNanoseconds: stamp, message: message))
    }

    private func twist(
        _ previous: FrameReference?,
        _ frame: FrameReference,
        _ odomFromBase: Recording.Transform
    ) -> (linear: Recording.Vector3, angular: Recording.Vector3)? {
        guard let previous else { return nil }
        let seconds = frame.time.seconds(since: previous.time)
        guard seconds > 1e-4, seconds <= Self.maximumIntervalSeconds else { return nil }
        let odomFromPrevious = Coordinates.mapFromBase(previous.recordedWorldFromCamera, policy: axes)
        let moved = (odomFromBase.translation - odomFromPrevious.translation) / seconds
        let turned = (odomFromPrevious.rotation.inverse * odomFromBase.rotation).rotationVector / seconds
        return (odomFromBase.rotation.inverse.rotating(moved), turned)
    }

    private func setDiagonal(_ covariance: inout [36 of Double], _ linear: Double, _ angular: Double) {
        for axis in 0..<6 { covariance[axis * 7] = axis < 3 ? linear : angular }
    }
}

/// `/mapping/pose`: the pose of the body in the map.
struct PoseTopic: TopicSource {
    let topics: [Topic]
    let trigger = Trigger.frame([])
    let rateHertz: Double?
    private let axes: FramePolicy

    init?(_ context: SourceContext) {
        guard let topic = context.topic(.pose) else { return nil }
        topics = [topic]
        rateHertz = context.rateHertz(.pose)
        axes = context.axes
    }

    mutating func messages(for item: PreparedItem, stamp: Int64, into batch: inout [StampedMessage]) {
        guard let frame = item.frame else { return }
        var message = PoseStamped()
        message.header = Header(stampNanoseconds: stamp, frameID: FrameName.map)
        message.pose = pose(Coordinates.mapFromBase(frame.worldFromCamera, policy: axes))
        batch.append(StampedMessage(topic: topics[0], timeNanoseconds: stamp, message: message))
    }
}

/// `/mapping/pose_with_covariance`: the same, and how sure it is, where that is known.
struct PoseWithCovarianceTopic: TopicSource {
    let topics: [Topic]
    let trigger = Trigger.frame([])
    let rateHertz: Double?
    private let axes: FramePolicy
    private let correction: PoseCorrection

    init?(_ context: SourceContext) {
        guard let topic = context.topic(.poseWithCovariance), let correction = context.correction else { return nil }
        topics = [topic]
        rateHertz = context.rateHertz(.poseWithCovariance)
        axes = context.axes
        self.correction = correction
    }

    mutating func messages(for item: PreparedItem, stamp: Int64, into batch: inout [StampedMessage]) {
        guard let frame = item.frame, let known = correction.knot(nearestTo: frame.time)?.covariance else { return }
        let mapFromBase = Coordinates.mapFromBase(frame.worldFromCamera, policy: axes)
        var message = PoseWithCovarianceStamped()
        message.header = Header(stampNanoseconds: stamp, frameID: FrameName.map)
        message.pose.pose = pose(mapFromBase)
        message.pose.covariance = covariance(known, mapFromBase * axes.baseFromCamera)
        batch.append(StampedMessage(topic: topics[0], timeNanoseconds: stamp, message: message))
    }
}

/// A covariance in the camera's axes as a message has it: about the fixed axes of the frame that the pose is in.
///
/// Where the poses count from it is zeros, which filters take for unknown or cannot invert: no pose is surer than 1 mm and
/// 0.5 mrad.
private func covariance(_ ofCamera: Matrix6, _ fixedFromCamera: Recording.Transform) -> [36 of Double] {
    let turn = Matrix3(fixedFromCamera.rotation)
    func turned(_ part: Matrix3) -> Matrix3 { turn * part * turn.transposed }
    let fixed = Matrix6(
        tt: turned(ofCamera.tt),
        tr: turned(ofCamera.tr),
        rt: turned(ofCamera.rt),
        rr: turned(ofCamera.rr)
    )
    var values: [36 of Double] = .init(repeating: 0)
    for (row, columns) in fixed.rows.enumerated() {
        for (column, value) in columns.enumerated() { values[row * 6 + column] = value }
        values[row * 7] = max(values[row * 7], row < 3 ? 1e-6 : 2.5e-7)
    }
    return values
}
