import Messages
import Text
package import Translation

/// How messages become those of Arvos.
package struct ArvosOptions: Sendable {
    /// The axes and signs that the messages have.
    package var input = FramePolicy.ros
    /// Keeps the axes and signs of ROS, instead of those of ARKit and CoreMotion.
    package var keepsROSAxes = false
    package var streams = Set(ArvosStream.allCases)
    /// Unix time minus the phone's own clock; 0 sends Unix time.
    package var epochOffsetNanoseconds: Int64 = 0
    package var deviceName = "mapeverything"
    package var deviceModel = "recording"
    package var osVersion = ""
    package var appVersion = ""

    package init() {}
}

/// A command of a receiver, as Arvos has them.
package enum ArvosCommand: Sendable, Hashable {
    case startRecording
    case stopRecording
    case changeMode(String)

    init?(_ message: ArvosMessage) {
        guard message.type == "command", let name = message["command"]?.string else { return nil }
        switch name {
        case "start_recording": self = .startRecording
        case "stop_recording": self = .stopRecording
        case "change_mode": self = .changeMode(message["mode"]?.string ?? "")
        default: return nil
        }
    }
}

/// Which topic each part of Arvos is made of: the first of its type, with a name of the phone app's before others.
struct ArvosRoles {
    enum Role: Hashable {
        case pose, imu, fix, metadata, image, info, cloud
    }

    private(set) var topics: [Role: String] = [:]
    private(set) var ignored: [String] = []
    /// The topic of poses where clouds are sent without them: it places clouds in the camera's frame.
    private(set) var placing: String?
    private var roles: [String: Role] = [:]

    init(_ all: [Topic], _ streams: Set<ArvosStream>) {
        func take(_ role: Role, _ stream: ArvosStream, _ type: String, _ suffix: String) {
            let fitting = all.filter { $0.typeName == type }
            guard streams.contains(stream),
                let topic = fitting.first(where: { $0.name.hasSuffix(suffix) }) ?? fitting.first
            else { return }
            topics[role] = topic.name
            roles[topic.name] = role
        }
        take(.pose, .pose, PoseStamped.typeName, "/mapping/pose")
        take(.imu, .imu, Imu.typeName, "/mapping/imu")
        take(.fix, .gps, NavSatFix.typeName, "/mapping/gps/fix")
        take(.metadata, .gps, GPSMetadata.typeName, "/mapping/gps/metadata")
        take(.image, .camera, CompressedImage.typeName, "/mapping/camera/image/compressed")
        take(.info, .camera, CameraInfo.typeName, "/mapping/camera/camera_info")
        take(.cloud, .depth, PointCloud2.typeName, "/mapping/pointcloud/lidar")
        if topics[.pose] == nil, topics[.cloud] != nil {
            let poses = all.filter { $0.typeName == PoseStamped.typeName }.map(\.name)
            placing = poses.first { $0.hasSuffix("/mapping/pose") } ?? poses.first
        }
        ignored = all.map(\.name).filter { roles[$0] == nil && $0 != placing }
    }

    func role(of topic: String) -> Role? { roles[topic] }
}
