package import Messages
package import Recording

/// Every topic that can be published from a recording.
///
/// The raw value is the name in the catalogue, before any remapping.
package enum TopicKind: String, CaseIterable, Sendable, Hashable {
    case transforms = "/tf"
    case staticTransforms = "/tf_static"
    case session = "/mapping/session"
    case status = "/mapping/status"
    case pose = "/mapping/pose"
    case odometry = "/mapping/odom"
    case imu = "/mapping/imu"
    case locationFix = "/mapping/gps/fix"
    case locationMetadata = "/mapping/gps/metadata"
    case locationOdometry = "/mapping/gps/odometry"
    case cameraImage = "/mapping/camera/image/compressed"
    case cameraInfo = "/mapping/camera/camera_info"
    case depthImage = "/mapping/depth/image_raw"
    case compressedDepth = "/mapping/depth/image_raw/compressedDepth"
    case depthConfidence = "/mapping/depth/confidence"
    case depthCameraInfo = "/mapping/depth/camera_info"
    case lidarCloud = "/mapping/pointcloud/lidar"
    case relativeCloud = "/mapping/pointcloud/depth_anything"
    case relativeCalibration = "/mapping/depth_anything/calibration"
    case satelliteImage = "/mapping/satellite/image/compressed"
    case satelliteTileInfo = "/mapping/satellite/tile_info"
    case elevationTile = "/mapping/dem/tile"
    case meshMarkers = "/mapping/map"
    case meshSnapshot = "/mapping/mesh_snapshot"
    case surfels = "/mapping/surfels"
    case tags = "/mapping/tags"
    case radio = "/mapping/radio"
    case indoorLocalization = "/mapping/indoor_localization"
    case clock = "/clock"
}

extension TopicKind {
    /// The topics that are made of the fused map.
    static let ofMap: Set<TopicKind> = [.meshMarkers, .meshSnapshot, .surfels]
}

/// The data from which a topic is published.
package enum TopicNeed: String, Sendable {
    case pose
    case image
    case depth
    case confidence
    case relativeDepth = "relative depth"
    case motion = "IMU samples"
    case location = "GPS fixes"
    case placedLocation = "GPS fixes and the map's place on the Earth"
    case satelliteTiles = "satellite tiles"
    case elevationTiles = "elevation tiles"
    case radioSamples = "radio samples"
    case indoorSamples = "indoor samples"
    case nothing
}

/// A row of the catalogue.
package struct CatalogueEntry: Sendable {
    package var kind: TopicKind
    package var type: any Message.Type
    /// The ceiling in hertz; `nil` where the topic follows others or has no rate.
    package var rateHertz: Double?
    package var rateText: String
    package var isInRecord: Bool
    package var isInApp: Bool
    package var need: TopicNeed
    /// The frame_id under `--frames ros`.
    package var frame: String

    package var name: String { kind.rawValue }
}

/// Where the names of frames are spelt.
package enum FrameName {
    package static let earth = "earth"
    package static let map = "map"
    package static let odom = "odom"
    package static let base = "base_link"
    package static let camera = "iphone_camera"
    package static let optical = "iphone_camera_optical_frame"
    package static let imu = "imu_link"
    package static let gps = "gps_link"
}

extension FrameName {
    /// The optical frame of an image that is stored turned against the sensor.
    ///
    /// The sensor's own is ``optical``.
    package static func optical(_ orientation: ImageOrientation) -> String {
        switch orientation {
        case .landscapeRight: optical
        case .landscapeLeft: "iphone_camera_landscape_left_optical_frame"
        case .portrait: "iphone_camera_portrait_optical_frame"
        case .portraitUpsideDown: "iphone_camera_portrait_upside_down_optical_frame"
        }
    }
}
