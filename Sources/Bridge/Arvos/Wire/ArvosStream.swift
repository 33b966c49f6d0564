package import Replay

/// The streams of Arvos that a recording has something for.
package enum ArvosStream: String, Sendable, CaseIterable {
    case camera
    case depth
    case pose
    case imu
    case gps

    /// The parts of a recording that the app's presets send.
    package enum Preset: String, Sendable, CaseIterable {
        case rgbd
        case vi
        case lidar
        case imu
        case full
        case mapping

        package var streams: Set<ArvosStream> {
            switch self {
            case .rgbd: [.camera, .depth]
            case .vi: [.camera, .imu]
            // The app's own texts name pose and IMU for it.
            case .lidar: [.depth, .pose, .imu]
            case .imu: [.imu]
            case .full: Set(ArvosStream.allCases)
            case .mapping: [.pose, .imu]
            }
        }

        /// Finds a mode by the name that a client's `change_mode` gives, such as "RGBD Camera" or "full".
        package init?(mode: String) {
            let plain = mode.lowercased().filter { $0.isLetter }
            switch plain {
            case "rgbd", "rgbdcamera": self = .rgbd
            case "vi", "visualinertial": self = .vi
            case "lidar", "lidarscanner": self = .lidar
            case "imu", "imuonly": self = .imu
            case "full", "fullsensor": self = .full
            case "mapping": self = .mapping
            default: return nil
            }
        }
    }
}

extension ArvosStream {
    /// The topics of a session that it is made of.
    package var kinds: Set<TopicKind> {
        switch self {
        case .camera: [.cameraImage, .cameraInfo]
        case .depth: [.lidarCloud]
        case .pose: [.pose]
        case .imu: [.imu]
        case .gps: [.locationFix, .locationMetadata]
        }
    }
}
