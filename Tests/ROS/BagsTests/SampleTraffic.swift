import Bags
import Messages
import SystemPackage

/// A small deterministic recording: latched and moving transforms, IMU, clouds, images and plain texts.
struct SampleTraffic {
    static let start: Int64 = 1_700_000_000_123_456_789

    static let transforms = Topic(name: "/tf", type: TFMessage.self, qos: .reliable(depth: 100))
    static let fixedTransforms = Topic(name: "/tf_static", type: TFMessage.self, qos: .latched, delivery: .control)
    static let session = Topic(name: "/mapping/session", type: MappingSession.self, qos: .latched, delivery: .control)
    static let imu = Topic(name: "/imu", type: Imu.self)
    static let cloud = Topic(name: "/points", type: PointCloud2.self, delivery: .latest)
    static let image = Topic(name: "/camera/image", type: Image.self, delivery: .latest)
    static let note = Topic(name: "/note", type: StringMessage.self)
    static let silent = Topic(name: "/never/used", type: PoseStamped.self)

    static let topics = [transforms, fixedTransforms, session, imu, cloud, image, note, silent]

    /// `ticks` steps of 10 ms; clouds of `points` points every fifth.
    static func messages(ticks: Int = 120, points: Int = 2_000) -> [StampedMessage] {
        var messages = [
            fixedTransform(of: "camera", at: start),
            fixedTransform(of: "gps", at: start),
            stamped(session, start) { (message: inout MappingSession, header) in
                message.header = header
                message.event = "started"
                message.enabledStreams = ["camera", "imu"]
            },
        ]
        for tick in 0..<ticks {
            let time = start + Int64(tick) * 10_000_000
            messages.append(movingTransform(tick, time))
            messages.append(
                stamped(imu, time) { (message: inout Imu, header) in
                    message.header = header
                    message.orientation.w = 1
                    message.linearAcceleration.z = 9.81 + Double(tick) / 7
                }
            )
            if tick.isMultiple(of: 5) { messages.append(cloudMessage(points, tick, time)) }
            if tick.isMultiple(of: 10) { messages.append(imageMessage(tick, time)) }
            if tick.isMultiple(of: 7) {
                messages.append(
                    stamped(note, time) { (message: inout StringMessage, _) in
                        message.data = "tick \(tick) \"é\"\n"
                    }
                )
            }
        }
        return messages
    }

    /// How many of the messages are of each topic.
    static func counts(_ messages: [StampedMessage]) -> [String: Int] {
        var counts: [String: Int] = [:]
        for message in messages { counts[message.topic.name, default: 0] += 1 }
        return counts
    }

    static func stamped<M: Message>(
        _ topic: Topic,
        _ time: Int64,
        _ fill: (inout M, Header) -> Void
    ) -> StampedMessage {
        var message = M()
        fill(&message, Header(stampNanoseconds: time, frameID: "map"))
        return StampedMessage(topic: topic, timeNanoseconds: time, message: message)
    }

    static func fixedTransform(of child: String, at time: Int64) -> StampedMessage {
        stamped(fixedTransforms, time) { (message: inout TFMessage, header) in
            var transform = TransformStamped()
            transform.header = header
            transform.childFrameID = child
            transform.transform.rotation.w = 1
            message.transforms = [transform]
        }
    }

    private static func movingTransform(_ tick: Int, _ time: Int64) -> StampedMessage {
        stamped(transforms, time) { (message: inout TFMessage, header) in
            var transform = TransformStamped()
            transform.header = header
            transform.childFrameID = "phone"
            transform.transform.translation.x = Double(tick) / 100
            transform.transform.rotation.w = 1
            message.transforms = [transform]
        }
    }

    private static func cloudMessage(_ points: Int, _ tick: Int, _ time: Int64) -> StampedMessage {
        stamped(cloud, time) { (message: inout PointCloud2, header) in
            message.header = header
            message.height = 1
            message.width = UInt32(points)
            message.fields = ["x", "y", "z"].enumerated().map { index, name in
                var field = PointField()
                field.name = name
                field.offset = UInt32(4 * index)
                field.datatype = 7
                field.count = 1
                return field
            }
            message.pointStep = 12
            message.rowStep = UInt32(12 * points)
            message.isDense = true
            let coordinates = (0..<3 * points).map { Float($0 % 97 + tick) }
            message.data = coordinates.withUnsafeBytes { Array($0) }
        }
    }

    private static func imageMessage(_ tick: Int, _ time: Int64) -> StampedMessage {
        stamped(image, time) { (message: inout Image, header) in
            message.header = header
            message.width = 64
            message.height = 48
            message.step = 64
            message.encoding = "mono8"
            message.data = (0..<64 * 48).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ tick) }
        }
    }
}

extension BagSink {
    /// Opens with all sample topics, writes, and finishes.
    func record(_ messages: [StampedMessage]) throws -> SinkReport {
        try open(SampleTraffic.topics)
        for message in messages { try write(message) }
        return try finish()
    }
}
