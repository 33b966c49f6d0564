import Messages
import Rosbridge
import Translation

/// Valid messages of the right type and size, with noise for data: what a server does with them does not depend on it.
enum ThroughputMessages {
    static func sample(of profile: ThroughputProfile) -> any StampableMessage {
        let size = profile.payloadBytes
        switch profile.kind {
        case .cameraImage, .satelliteImage: return image(size)
        case .cameraInfo: return cameraInfo
        case .lidarCloud, .relativeCloud: return LoadPayload.cloud(byteCount: size, stampNanoseconds: 0)
        case .relativeCalibration: return calibration(size)
        case .locationFix: return fix
        case .locationMetadata: return metadata
        case .meshSnapshot: return mesh(size)
        case .satelliteTileInfo: return tileInfo
        case .elevationTile: return elevation(size)
        default: return pose
        }
    }

    private static var pose: PoseStamped {
        var pose = PoseStamped()
        pose.pose.orientation.w = 1
        return pose
    }

    private static var metadata: GPSMetadata {
        var metadata = GPSMetadata()
        metadata.position.service = "core_location"
        metadata.position.latitude = 48.137161
        metadata.position.longitude = 11.575495
        return metadata
    }

    private static func image(_ size: Int) -> CompressedImage {
        var image = CompressedImage()
        image.format = "jpeg"
        image.data = LoadPayload.noise(byteCount: size)
        return image
    }

    private static var cameraInfo: CameraInfo {
        var info = CameraInfo()
        info.width = 1920
        info.height = 1440
        info.distortionModel = "plumb_bob"
        info.d = [0, 0, 0, 0, 0]
        info.k = [1335, 0, 959.5, 0, 1335, 719.5, 0, 0, 1]
        info.r = [1, 0, 0, 0, 1, 0, 0, 0, 1]
        info.p = [1335, 0, 959.5, 0, 0, 1335, 719.5, 0, 0, 0, 1, 0]
        return info
    }

    /// As long a text as the size says.
    private static func calibration(_ size: Int) -> DepthAnythingCalibration {
        var message = DepthAnythingCalibration()
        message.schemaVersion = 1
        message.relativeDepthWidth = 518
        message.relativeDepthHeight = 392
        message.imageWidth = 1920
        message.imageHeight = 1440
        message.scale = 1.5
        message.equation = "metric_depth_m = scale * relative_depth + offset"
        message.metadataJSON = #"{"note":"\#(String(repeating: "x", count: max(0, size - 11)))"}"#
        return message
    }

    private static var fix: NavSatFix {
        var fix = NavSatFix()
        fix.status.service = NavSatStatus.serviceGPS
        fix.latitude = 48.137161
        fix.longitude = 11.575495
        fix.altitude = 520
        fix.positionCovariance = [25, 0, 0, 0, 25, 0, 0, 0, 100]
        fix.positionCovarianceType = NavSatFix.covarianceDiagonalKnown
        return fix
    }

    /// Half vertices and half indices, each a whole number of triples.
    private static func mesh(_ size: Int) -> MeshSnapshot {
        let vertices = size / 24 * 12
        var mesh = MeshSnapshot()
        mesh.schemaVersion = 2
        mesh.vertexCount = UInt32(clamping: vertices / 12)
        mesh.triangleCount = UInt32(clamping: (size - vertices) / 12)
        mesh.compression = "mesh_snapshot_binary_base64"
        mesh.vertexEncoding = "float32_xyz_le_base64"
        mesh.vertexStrideBytes = 12
        mesh.vertexData = LoadPayload.noise(byteCount: vertices)
        mesh.indexEncoding = "uint32_le_base64"
        mesh.indexStrideBytes = 4
        mesh.indexData = [UInt8](repeating: 0, count: size - vertices)
        return mesh
    }

    private static var tileInfo: GeoTileInfo {
        var tile = GeoTileInfo()
        tile.crs = "EPSG:3857"
        tile.zoom = 12
        tile.tileWidth = 256
        tile.tileHeight = 256
        tile.format = "jpeg"
        return tile
    }

    private static func elevation(_ size: Int) -> GeoRasterTile {
        var tile = GeoRasterTile()
        tile.info = tileInfo
        tile.info.format = "png"
        tile.encoding = "terrarium_png"
        tile.data = String(decoding: Base64.encode(LoadPayload.noise(byteCount: size)), as: UTF8.self)
        return tile
    }
}

/// A message whose header takes the time of sending.
protocol StampableMessage: Message {
    var header: Header { get set }
}

extension StampableMessage {
    func stamped(_ nanoseconds: Int64) -> any Message {
        var message = self
        message.header = Header(stampNanoseconds: nanoseconds, frameID: FrameName.map)
        return message
    }
}

extension PoseStamped: StampableMessage {}
extension CompressedImage: StampableMessage {}
extension CameraInfo: StampableMessage {}
extension PointCloud2: StampableMessage {}
extension DepthAnythingCalibration: StampableMessage {}
extension NavSatFix: StampableMessage {}
extension GPSMetadata: StampableMessage {}
extension MeshSnapshot: StampableMessage {}
extension GeoTileInfo: StampableMessage {}
extension GeoRasterTile: StampableMessage {
    var header: Header {
        get { info.header }
        set { info.header = newValue }
    }
}
