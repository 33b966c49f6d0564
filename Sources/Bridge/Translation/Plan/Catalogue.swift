package import Messages
package import Recording
import Sessions

/// Every topic, and the source that makes it.
///
/// A new topic is a case in ``TopicKind``, a row and a line here, and a file in Topics/; profiles, `topics`, the recorder's tool and
/// docs/topics.md follow the row. If its data is not prepared yet, it also takes a flag in ``PayloadNeeds``, a field in
/// ``PreparedItem``, a step in ``FramePreparer`` and a condition in `FrameReference.has`.
package enum Catalogue {
    package static let entries: [CatalogueEntry] = [
        row(.transforms, TFMessage.self, nil, "each frame", .record, .pose, "odom → base_link"),
        row(.staticTransforms, TFMessage.self, nil, "once, latched", .record, .nothing, "the whole tree"),
        row(.session, MappingSession.self, nil, "start and stop, latched", .data, .nothing, "map"),
        row(.status, DiagnosticArray.self, 1, "1 Hz", .full, .nothing, "-"),
        row(.pose, PoseStamped.self, 10, "10 Hz", .app, .pose, FrameName.map),
        row(
            .poseWithCovariance,
            PoseWithCovarianceStamped.self,
            10,
            "10 Hz",
            .data,
            .poseCovariance,
            FrameName.map
        ),
        row(.odometry, Odometry.self, 30, "30 Hz", .data, .pose, "odom, child base_link"),
        row(.imu, Imu.self, 100, "up to 100 Hz", .data, .motion, FrameName.imu),
        row(.cameraImage, CompressedImage.self, 2, "2 Hz", .app, .image, FrameName.optical),
        row(.cameraInfo, CameraInfo.self, 2, "with each image", .app, .image, FrameName.optical),
        row(.depthImage, Image.self, 5, "5 Hz", .data, .depth, FrameName.optical),
        row(.compressedDepth, CompressedImage.self, 5, "5 Hz", .full, .depth, FrameName.optical),
        row(.depthConfidence, Image.self, 5, "5 Hz", .data, .confidence, FrameName.optical),
        row(.depthCameraInfo, CameraInfo.self, 5, "with each depth image", .data, .depth, FrameName.optical),
        row(.denseDepthImage, Image.self, 5, "5 Hz", .full, .denseDepth, FrameName.optical),
        row(.compressedDenseDepth, CompressedImage.self, 5, "5 Hz", .full, .denseDepth, FrameName.optical),
        row(.denseDepthConfidence, Image.self, 5, "5 Hz", .full, .denseDepth, FrameName.optical),
        row(
            .denseDepthCameraInfo,
            CameraInfo.self,
            5,
            "with each depth image",
            .full,
            .denseDepth,
            FrameName.optical
        ),
        row(.lidarCloud, PointCloud2.self, 5, "5 Hz", .app, .depth, "map; data: \(FrameName.optical)"),
        row(
            .relativeCalibration,
            DepthAnythingCalibration.self,
            5,
            "with each cloud",
            .app,
            .relativeDepth,
            FrameName.camera
        ),
        row(.relativeCloud, PointCloud2.self, 5, "5 Hz", .app, .relativeDepth, FrameName.camera),
        row(.locationFix, NavSatFix.self, 1, "1 Hz", .app, .location, FrameName.gps),
        row(.locationMetadata, GPSMetadata.self, 1, "with each fix", .app, .location, FrameName.gps),
        row(
            .locationOdometry,
            Odometry.self,
            1,
            "with each fix",
            .data,
            .placedLocation,
            "map, child gps_link"
        ),
        row(.satelliteImage, CompressedImage.self, 1.0 / 60, "1/min", .app, .satelliteTiles, FrameName.earth),
        row(.satelliteTileInfo, GeoTileInfo.self, 1.0 / 60, "with each image", .app, .satelliteTiles, FrameName.earth),
        row(.elevationTile, GeoRasterTile.self, 1.0 / 60, "1/min", .app, .elevationTiles, FrameName.earth),
        row(.meshMarkers, MarkerArray.self, 0.5, "0.5 Hz", .full, .depth, FrameName.map),
        row(.meshSnapshot, MeshSnapshot.self, 0.5, "0.5 Hz", .full, .depth, FrameName.map),
        row(.surfels, PointCloud2.self, 1, "1 Hz", .full, .depth, FrameName.map),
        row(.occupancy, OccupancyGrid.self, 0.5, "0.5 Hz, latched", .full, .depth, FrameName.map),
        row(.tags, AprilTagDetectionArray.self, 5, "5 Hz", .asked, .image, FrameName.optical),
        row(.radio, RadioObservation.self, 2, "up to 2 Hz", .data, .radioSamples, FrameName.map),
        row(.indoorLocalization, IndoorLocalization.self, 1, "1 Hz", .data, .indoorSamples, FrameName.gps),
        row(.clock, ClockMessage.self, 40, "--clock [HZ]", .asked, .nothing, "-"),
    ]

    package static func entry(_ kind: TopicKind) -> CatalogueEntry {
        // Every kind has a row; a test holds it to that.
        entries.first { $0.kind == kind } ?? entries[0]
    }

    /// The sources in the order in which their messages of one stamp are written: transforms before what needs them.
    static func sources(_ context: SourceContext) -> [any TopicSource] {
        let map = LiveMap(context)
        let candidates: [(any TopicSource)?] = [
            StaticTransformTopic(context),
            SessionTopic(context),
            TransformTopic(context),
            PoseTopic(context),
            PoseWithCovarianceTopic(context),
            OdometryTopic(context),
            ImuTopic(context),
            CameraTopics(context),
            DepthTopics(context, .recorded),
            DepthTopics(context, .dense),
            LidarCloudTopic(context),
            RelativeCloudTopics(context),
            LocationTopics(context),
            SatelliteTopics(context),
            ElevationTopic(context),
            MapFusion(map, context),
            MapTopic<MapMarkers>(map, context),
            MapTopic<MeshSnapshots>(map, context),
            MapTopic<SurfelCloud>(map, context),
            MapTopic<OccupancyGrids>(map, context),
            TagTopic(context),
            RadioTopic(context),
            IndoorTopic(context),
            StatusTopic(context),
        ]
        return candidates.compactMap { $0 }
    }

    private static func row(
        _ kind: TopicKind,
        _ type: any Message.Type,
        _ rateHertz: Double?,
        _ rateText: String,
        _ profile: SmallestProfile,
        _ need: TopicNeed,
        _ frame: String
    ) -> CatalogueEntry {
        CatalogueEntry(
            kind: kind,
            type: type,
            rateHertz: rateHertz,
            rateText: rateText,
            smallestProfile: profile,
            need: need,
            frame: frame
        )
    }
}

/// Every topic that can be published from a recording.
///
/// The raw value is the name in the catalogue, before any remapping.
package enum TopicKind: String, CaseIterable, Sendable, Hashable {
    case transforms = "/tf"
    case staticTransforms = "/tf_static"
    case session = "/mapping/session"
    case status = "/mapping/status"
    case pose = "/mapping/pose"
    case poseWithCovariance = "/mapping/pose_with_covariance"
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
    case denseDepthImage = "/mapping/depth_dense/image_raw"
    case compressedDenseDepth = "/mapping/depth_dense/image_raw/compressedDepth"
    case denseDepthConfidence = "/mapping/depth_dense/confidence"
    case denseDepthCameraInfo = "/mapping/depth_dense/camera_info"
    case lidarCloud = "/mapping/pointcloud/lidar"
    case relativeCloud = "/mapping/pointcloud/depth_anything"
    case relativeCalibration = "/mapping/depth_anything/calibration"
    case satelliteImage = "/mapping/satellite/image/compressed"
    case satelliteTileInfo = "/mapping/satellite/tile_info"
    case elevationTile = "/mapping/dem/tile"
    case meshMarkers = "/mapping/map"
    case meshSnapshot = "/mapping/mesh_snapshot"
    case surfels = "/mapping/surfels"
    case occupancy = "/map"
    case tags = "/mapping/tags"
    case radio = "/mapping/radio"
    case indoorLocalization = "/mapping/indoor_localization"
    case clock = "/clock"
}

extension TopicKind {
    /// The topics that are made of the fused surface.
    static let ofSurface: Set<TopicKind> = [.meshMarkers, .meshSnapshot, .surfels]
    /// The topics that are made of key-frames together.
    static let ofMap = ofSurface.union([.occupancy])
    /// The topics of depth as fine as the image.
    static let ofDenseDepth: Set<TopicKind> = [
        .denseDepthImage, .compressedDenseDepth, .denseDepthConfidence, .denseDepthCameraInfo,
    ]
}

/// The data from which a topic is published.
package enum TopicNeed: String, Sendable {
    case pose
    case poseCovariance = "refined poses"
    case image
    case depth
    case confidence
    case denseDepth = "dense depth"
    case relativeDepth = "relative depth"
    case motion = "IMU samples"
    case location = "GPS fixes"
    case placedLocation = "GPS fixes and the map's place on the Earth"
    case satelliteTiles = "satellite tiles"
    case elevationTiles = "elevation tiles"
    case radioSamples = "radio samples"
    case indoorSamples = "indoor samples"
    case nothing

    /// The stream beside the frames whose records it is made of.
    var stream: RecordStream? {
        switch self {
        case .motion: .motion
        case .location, .placedLocation, .satelliteTiles, .elevationTiles: .location
        case .radioSamples: .radio
        case .indoorSamples: .indoor
        default: nil
        }
    }

    /// The part of a recording that has it; `nil` for what each recording has.
    var part: RecordedPart? {
        switch self {
        case .pose, .poseCovariance, .nothing: nil
        case .image: .images
        case .depth, .denseDepth: .depth
        case .confidence: .confidence
        case .relativeDepth: .relativeDepth
        case .motion: .motion
        case .location, .placedLocation: .location
        case .satelliteTiles: .satelliteTiles
        case .elevationTiles: .elevationTiles
        case .radioSamples: .radioSamples
        case .indoorSamples: .indoorSamples
        }
    }
}

/// A row of the catalogue.
package struct CatalogueEntry: Sendable {
    package var kind: TopicKind
    package var type: any Message.Type
    /// The ceiling in hertz; `nil` where the topic follows others or has no rate.
    package var rateHertz: Double?
    package var rateText: String
    package var smallestProfile: SmallestProfile
    package var need: TopicNeed
    /// The frame_id under `--frames ros`.
    package var frame: String

    package var name: String { kind.rawValue }

    package func isIn(_ profile: SmallestProfile) -> Bool { smallestProfile <= profile }
}

/// The first of the named profiles that has a topic: each has all topics of those before it.
///
/// Every row of the catalogue says it, so that no topic gets into a profile by being forgotten.
package enum SmallestProfile: Int, Comparable, Sendable {
    case app, record, data, full
    /// In none of them: published where it is asked for by its name or by an option.
    case asked

    package static func < (one: SmallestProfile, other: SmallestProfile) -> Bool { one.rawValue < other.rawValue }
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
