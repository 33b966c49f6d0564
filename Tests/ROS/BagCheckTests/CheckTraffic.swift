import Bags
import Messages
import SystemPackage
import TestSupport

/// A small recording with one topic of each kind that the check looks into; nothing is wrong with it.
struct CheckTraffic {
    static let start: Int64 = 1_700_000_000_250_000_000
    static let period: Int64 = 50_000_000

    static let transforms = Topic(name: "/tf", type: TFMessage.self, qos: .reliable(depth: 100))
    static let fixed = Topic(name: "/tf_static", type: TFMessage.self, qos: .latched, delivery: .control)
    static let imu = Topic(name: "/imu", type: Imu.self)
    static let pose = Topic(name: "/pose", type: PoseStamped.self)
    static let odometry = Topic(name: "/odom", type: Odometry.self)
    static let cloud = Topic(name: "/points", type: PointCloud2.self)
    static let image = Topic(name: "/camera/image_raw", type: Image.self)
    static let compressed = Topic(name: "/camera/image_raw/compressed", type: CompressedImage.self)
    static let info = Topic(name: "/camera/camera_info", type: CameraInfo.self)
    static let note = Topic(name: "/note", type: StringMessage.self)
    static let topics = [transforms, fixed, imu, pose, odometry, cloud, image, compressed, info, note]

    /// Provenance as a bag of a session has it.
    static let provenance = ["mapeverything.version": "1.0", "mapeverything.session": "test"]

    static let width = 64
    static let height = 48

    static func messages(ticks: Int = 40) throws -> [StampedMessage] {
        let jpeg = try SessionBuilder.jpeg(width: width, height: height)
        var messages = [
            stamped(fixed, start) { (message: inout TFMessage, header) in
                message.transforms = [transform(header, from: "phone", to: "camera", x: 0.1)]
            }
        ]
        for tick in 0..<ticks {
            let time = start + Int64(tick) * period
            messages += moving(tick, time)
            if tick.isMultiple(of: 4) { messages += pictures(tick, time, jpeg) }
            if tick.isMultiple(of: 8) {
                messages.append(
                    stamped(note, time) { (message: inout StringMessage, _) in message.data = "tick \(tick)" }
                )
            }
        }
        return messages
    }

    /// Writes the recording as a bag of the form that the options ask for.
    static func write(to path: FilePath, _ options: BagOptions, messages: [StampedMessage]? = nil) async throws {
        let sink = BagSink(path, options: options)
        try await sink.record(messages ?? CheckTraffic.messages())
    }

    static func stamped<M: Message>(
        _ topic: Topic,
        _ time: Int64,
        frame: String = "map",
        _ fill: (inout M, Header) -> Void
    ) -> StampedMessage {
        var message = M()
        fill(&message, Header(stampNanoseconds: time, frameID: frame))
        return StampedMessage(topic: topic, timeNanoseconds: time, message: message)
    }

    static func transform(_ header: Header, from parent: String, to child: String, x: Double) -> TransformStamped {
        var transform = TransformStamped()
        transform.header = header
        transform.header.frameID = parent
        transform.childFrameID = child
        transform.transform.translation.x = x
        return transform
    }

    private static func moving(_ tick: Int, _ time: Int64) -> [StampedMessage] {
        let x = Double(tick) / 10
        return [
            stamped(transforms, time) { (message: inout TFMessage, header) in
                message.transforms = [transform(header, from: "map", to: "phone", x: x)]
            },
            stamped(imu, time, frame: "phone") { (message: inout Imu, header) in
                message.header = header
                message.linearAcceleration.z = 9.81 + x
            },
            stamped(pose, time) { (message: inout PoseStamped, header) in
                message.header = header
                message.pose.position.x = x
            },
            stamped(odometry, time) { (message: inout Odometry, header) in
                message.header = header
                message.childFrameID = "phone"
                message.pose.pose.position.x = x
            },
        ]
    }

    private static func pictures(_ tick: Int, _ time: Int64, _ jpeg: [UInt8]) -> [StampedMessage] {
        [
            stamped(info, time, frame: "camera") { (message: inout CameraInfo, header) in
                message.header = header
                (message.width, message.height) = (UInt32(width), UInt32(height))
                message.distortionModel = "plumb_bob"
                message.d = [0, 0, 0, 0, 0]
                for (index, value) in [(0, 50.0), (2, 32.5), (4, 51.0), (5, 23.5), (8, 1.0)] {
                    message.k[index] = value
                }
                for index in [0, 4, 8] { message.r[index] = 1 }
                for (index, value) in [(0, 50.0), (2, 32.5), (5, 51.0), (6, 23.5), (10, 1.0)] {
                    message.p[index] = value
                }
            },
            stamped(image, time, frame: "camera") { (message: inout Image, header) in
                message.header = header
                (message.width, message.height) = (UInt32(width), UInt32(height))
                message.encoding = "mono8"
                message.step = UInt32(width)
                message.data = (0..<width * height).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ tick) }
            },
            stamped(compressed, time, frame: "camera") { (message: inout CompressedImage, header) in
                message.header = header
                message.format = "jpeg"
                message.data = jpeg
            },
            stamped(cloud, time, frame: "camera") { (message: inout PointCloud2, header) in
                message.header = header
                (message.height, message.width) = (1, 100)
                message.fields = ["x", "y", "z"].enumerated().map {
                    PointField(name: $1, offset: UInt32(4 * $0), datatype: 7, count: 1)
                }
                (message.pointStep, message.rowStep, message.isDense) = (16, 1600, true)
                message.data = (0..<400).flatMap { index in
                    withUnsafeBytes(of: Float(index % 97 + tick).bitPattern.littleEndian) { [UInt8]($0) }
                }
            },
        ]
    }
}

extension BagSink {
    func record(_ messages: [StampedMessage]) throws {
        try open(CheckTraffic.topics)
        for message in messages { try write(message) }
        _ = try finish()
    }
}
