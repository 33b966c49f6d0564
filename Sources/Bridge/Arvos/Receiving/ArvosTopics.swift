import Messages

/// The names under which received messages are recorded.
package enum ArvosNaming: String, Sendable, CaseIterable {
    /// Those of the bags.
    case mapping
    /// Those of Arvos's own bridge to ROS 2.
    case arvos
}

/// The topics of received messages.
struct ArvosTopics {
    let pose: Topic
    let imu: Topic
    let fix: Topic
    let metadata: Topic
    let image: Topic
    let info: Topic
    let video: Topic
    let cloud: Topic
    let watch: Topic
    let transforms = Topic(name: "/tf", type: TFMessage.self, qos: .reliable(depth: 100))
    let staticTransforms = Topic(name: "/tf_static", type: TFMessage.self, qos: .latched, delivery: .control)
    private let prefix: String

    init(_ naming: ArvosNaming) {
        func topic(_ mapping: String, _ arvos: String, _ type: any Message.Type) -> Topic {
            Topic(name: naming == .mapping ? mapping : arvos, type: type, qos: .reliable(depth: 10))
        }
        pose = topic("/mapping/pose", "/arvos/pose", PoseStamped.self)
        imu = topic("/mapping/imu", "/arvos/imu", Imu.self)
        fix = topic("/mapping/gps/fix", "/arvos/gps", NavSatFix.self)
        metadata = topic("/mapping/gps/metadata", "/arvos/gps/metadata", GPSMetadata.self)
        image = topic("/mapping/camera/image/compressed", "/arvos/camera/image_raw/compressed", CompressedImage.self)
        info = topic("/mapping/camera/camera_info", "/arvos/camera/info", CameraInfo.self)
        video = topic("/mapping/camera/video", "/arvos/camera/video", CompressedVideo.self)
        cloud = topic("/mapping/pointcloud/lidar", "/arvos/depth/points", PointCloud2.self)
        watch = topic("/mapping/watch/imu", "/arvos/watch/imu", Imu.self)
        prefix = naming == .mapping ? "/mapping/arvos" : "/arvos"
    }

    /// The topic of a type that has no message of its own in ROS; its content is kept as JSON.
    func text(_ type: String) -> Topic {
        Topic(name: "\(prefix)/\(type)", type: StringMessage.self, qos: .reliable(depth: 10))
    }
}
