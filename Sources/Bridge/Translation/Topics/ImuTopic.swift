import Messages
import Recording

/// `/mapping/imu`: specific force and turn rate in device axes (REP-145).
///
/// CoreMotion reports the negative of specific force; at rest the axis that points up must read +9.80665 m/s².
struct ImuTopic: TopicSource {
    let topics: [Topic]
    let trigger = Trigger.samples(.motion)
    let rateHertz: Double?
    private let conventions: Conventions
    private let direction: AttitudeCheck.Direction
    /// The variance of roll and pitch, in rad².
    private let tiltVariance: Double

    private static let leastTiltVariance = 1e-4
    /// The heading refers to wherever the phone pointed when it was started.
    private static let headingVariance = 1e6

    init?(_ context: SourceContext) {
        guard let topic = context.topic(.imu, qos: .reliable(depth: 100)) else { return nil }
        topics = [topic]
        rateHertz = context.rateHertz(.imu)
        conventions = context.conventions
        direction = context.attitude.direction
        // The attitude's error is taken to be the angle by which gravity contradicts it, for all samples of the session
        // even if only a part of them is contradicted.
        let attitude = context.attitude
        let residual = attitude.agrees ? nil : attitude.largestResidual(ofShare: 1 - AttitudeCheck.maximumShare)
        tiltVariance = residual.map { $0 * $0 } ?? Self.leastTiltVariance
    }

    mutating func messages(for item: PreparedItem, stamp: Int64, into batch: inout [StampedMessage]) {
        guard case .motion(let sample) = item.record else { return }
        var message = Imu()
        message.angularVelocity = vector(sample.rotationRate)
        setOrientation(sample.attitude, of: &message)
        let force = sample.userAcceleration + sample.gravity
        switch conventions.imu {
        case .ros: message.linearAcceleration = vector(-MotionSample.standardGravity * force)
        case .app: message.linearAcceleration = vector(9.81 * force)
        }
        message.header = Header(stampNanoseconds: stamp, frameID: frameID)
        batch.append(StampedMessage(topic: topics[0], timeNanoseconds: stamp, message: message))
    }

    /// The values are in device axes whatever the frame is called; the app calls them those of the camera.
    private var frameID: String {
        conventions.imu == .app && conventions.axes == .app ? FrameName.camera : FrameName.imu
    }

    private func setOrientation(_ attitude: Recording.Quaternion?, of message: inout Imu) {
        guard let attitude else {
            // Not reported: -1 in the first element (Imu.msg).
            message.orientation = quaternion(.identity)
            message.orientationCovariance[0] = -1
            return
        }
        let referenceFromDevice = direction == .referenceFromDevice ? attitude : attitude.inverse
        message.orientation = quaternion(referenceFromDevice)
        guard conventions.imu == .ros else { return }
        message.orientationCovariance[0] = tiltVariance
        message.orientationCovariance[4] = tiltVariance
        message.orientationCovariance[8] = Self.headingVariance
    }
}
