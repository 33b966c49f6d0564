import Foundation
import TestSupport
import Testing

/// Rerun's own reader takes our .mcap files: every message, and the values that it draws.
@Suite(.enabled(if: Peer.isAvailable, Comment(rawValue: Peer.absence)))
struct RerunTests {
    private struct Topic: Decodable {
        var type: String
        var messages: Int
        var rows: Int
        var components: [String]
        /// How many messages were compared with rosbags' reading, and the largest difference of a number.
        var compared: Int
        var difference: Double
    }

    /// What Rerun makes of each type; all others become columns of numbers and texts.
    private static let drawn = [
        "sensor_msgs/msg/PointCloud2": "Points3D:positions", "sensor_msgs/msg/CompressedImage": "EncodedImage:blob",
        "sensor_msgs/msg/CameraInfo": "Pinhole:image_from_camera", "sensor_msgs/msg/Image": "DepthImage:buffer",
        "geometry_msgs/msg/PoseStamped": "InstancePoses3D:translations",
        "sensor_msgs/msg/NavSatFix": "GeoPoints:positions",
        "tf2_msgs/msg/TFMessage": "Transform3D:translation", "sensor_msgs/msg/Imu": "Scalars:scalars",
    ]

    @Test("every topic of every kind", arguments: ["none", "zstd"])
    func reads(compression: String) async throws {
        let folder = try Scratch()
        let session = folder("room")
        try await Command.succeed(
            ["sample", "-o", session, "--duration", "4", "--fps", "10", "--size", "320x240", "--everything"]
        )
        let bag = folder("bag")
        try await Command.succeed(
            ["bag", session, "-o", bag, "--profile", "full", "--storage", "mcap", "--compression", compression]
        )
        let read = try await PeerPython.runAside([Repository.path("tools/peers/read_by_rerun.py"), bag])
            .outputOfSuccess()
        let topics = try JSONDecoder().decode([String: Topic].self, from: Data(read.utf8))
        let described = try await BagDescription.of(bag)
        #expect(Set(topics.keys) == Set(described.keys))
        for (name, topic) in topics {
            #expect(topic.messages == described[name]?.count && topic.rows >= topic.messages, "\(name): \(topic)")
            if let component = Self.drawn[topic.type] {
                #expect(topic.components.contains(component), "\(name): \(topic)")
            }
            // Rerun holds some numbers as 32-bit.
            #expect(topic.difference < 1e-3, "\(name): \(topic)")
        }
        for type in ["sensor_msgs/msg/PointCloud2", "sensor_msgs/msg/CameraInfo", "geometry_msgs/msg/PoseStamped"] {
            #expect(topics.values.contains { $0.type == type && $0.compared >= $0.messages }, "\(type)")
        }
    }
}
