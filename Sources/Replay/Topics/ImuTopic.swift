import Capture
import ROS

/// `/mapping/imu`: specific force and turn rate in device axes (REP-145).
///
/// CoreMotion reports the negative of specific force; at rest the axis that points up must read +9.80665 m/s².
struct ImuTopic: TopicSource {
    let topics: [Topic]
    let trigger = Trigger.motion
    let rateHertz: Double?
    private let frames: FramePolicy

    private static let standardGravity = 9.80665

    init?(_ context: SourceContext) {
        guard let topic = context.topic(.imu, qos: .reliable(depth: 100)) else { return nil }
        topics = [topic]
        rateHertz = context.rateHertz(.imu)
        frames = context.frames
    }

    mutating func messages(for item: PreparedItem, stamp: Int64, into batch: inout [StampedMessage]) {
        guard case .motion(let sample) = item.record else { return }
        var message = Imu()
        let isROS = frames == .ros
        message.header = Header(stampNanoseconds: stamp, frameID: isROS ? FrameName.imu : FrameName.camera)
        if let attitude = sample.attitude.map({ Self.orientation($0, gravity: sample.gravity) }) {
            message.orientation = quaternion(attitude)
        } else {
            // Not reported: -1 in the first element (Imu.msg).
            message.orientation = quaternion(.identity)
            message.orientationCovariance[0] = -1
        }
        message.angularVelocity = vector(sample.rotationRate)
        let force = sample.userAcceleration + sample.gravity
        // The app's own sign and constant under its own frames.
        message.linearAcceleration = vector(isROS ? -Self.standardGravity * force : 9.81 * force)
        batch.append(StampedMessage(topic: topics[0], timeNanoseconds: stamp, message: message))
    }

    /// The attitude as the rotation from device axes to a frame with z up.
    ///
    /// Writers disagree about the direction of CoreMotion's quaternion; gravity tells which one this is.
    private static func orientation(_ attitude: Capture.Quaternion, gravity: Capture.Vector3) -> Capture.Quaternion {
        let down = Capture.Vector3(0, 0, -1)
        let asIs = (attitude.inverse.rotating(down) - gravity).length
        let inverted = (attitude.rotating(down) - gravity).length
        return inverted < asIs ? attitude.inverse : attitude
    }
}
