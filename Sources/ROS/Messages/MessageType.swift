package import Text

/// The type of a topic's messages: one that is compiled in, or one that a text describes.
package protocol MessageType: Sendable {
    /// The full name, such as `sensor_msgs/msg/Imu`.
    var typeName: String { get }
    /// The hash by REP 2016.
    var typeHash: String { get }
    /// The definition with every type it depends on, as bags store it under `ros2msg`.
    var definitionText: String { get }

    /// The keys that a JSON object of it may have: its fields, and their other names; none for std_msgs/msg/Empty.
    var jsonKeys: [String] { get }

    /// Reads CDR of either byte order, with its header; throws what says where it is no such message.
    func payload(cdr bytes: UnsafeRawBufferPointer) throws -> any AnyMessage

    /// Reads the same from an array, which a message that keeps its CDR shares instead of copying it.
    func payload(cdr bytes: [UInt8]) throws -> any AnyMessage

    /// Reads the rosbridge object that comes next; missing fields keep their defaults, unknown ones are collected.
    func payload(
        json scanner: inout JSONScanner,
        unknown: inout UnknownFields
    ) throws(JSONMismatch) -> any AnyMessage
}

extension MessageType {
    package func payload(cdr bytes: [UInt8]) throws -> any AnyMessage {
        try bytes.withUnsafeBytes { try payload(cdr: $0) }
    }
}

package struct CompiledKind<M: Message>: MessageType {
    package init() {}

    package var typeName: String { M.typeName }
    package var typeHash: String { M.typeHash }
    package var definitionText: String { M.definitionText }
    package var jsonKeys: [String] { M.jsonKeys }

    package func payload(cdr bytes: UnsafeRawBufferPointer) throws -> any AnyMessage {
        try M.decoding(cdr: bytes)
    }

    package func payload(
        json scanner: inout JSONScanner,
        unknown: inout UnknownFields
    ) throws(JSONMismatch) -> any AnyMessage {
        try M.decoding(json: &scanner, unknown: &unknown)
    }
}

extension Message {
    /// The keys that a JSON object of the type may have: its fields, and their other names.
    package static var jsonKeys: [String] {
        CompiledDefinition(of: self).fieldNames + jsonAliases.map(\.alias)
    }

    package static var kind: any MessageType { CompiledKind<Self>() }
}

/// A message as sinks see it: something that has a size, a time and an encoding.
///
/// A ``Message`` is one; so is a message whose type is known from a text only.
package protocol AnyMessage: Sendable {
    /// The size as CDR with its 4-byte header, without encoding where that is possible.
    var encodedCDRSize: Int { get }

    /// Appends the 4-byte header and the little-endian CDR body; alignment counts from after the header.
    func appendCDR(to bytes: inout [UInt8])

    /// Appends the message as rosbridge takes it: one JSON object, keys in the order of the .msg file.
    func appendJSON(to bytes: inout [UInt8]) throws(JSONEncodingError)

    /// The time that the first field leads to: that of the header, of the first transform, of the clock.
    var headerStampNanoseconds: Int64? { get }

    /// The frame_id of the header, or of the first transform; `nil` where the message has neither.
    var headerFrameID: String? { get }

    /// The message with other times in its header or, where it holds a sequence of stamped messages, in theirs.
    func mappingHeaderStamps(_ transform: (_ nanoseconds: Int64) -> Int64) -> any AnyMessage

    /// The message as a compiled type; `nil` where it is of another one.
    func compiled<M: Message>(as type: M.Type) -> M?
}

extension AnyMessage {
    /// The message with one time in all its headers.
    package func stamped(nanoseconds: Int64) -> any AnyMessage {
        mappingHeaderStamps { _ in nanoseconds }
    }

    package func compiled<M: Message>(as type: M.Type) -> M? { self as? M }
}

extension Message {
    package func mappingHeaderStamps(_ transform: (Int64) -> Int64) -> any AnyMessage {
        withoutActuallyEscaping(transform) { transform in
            var copy = self
            var stamper = HeaderStamper(transform: transform)
            copy.visit(&stamper)
            return copy
        }
    }
}

package enum MessageTypes {
    /// Every type, by package.
    package static let all: [any Message.Type] = standard + sensors + visual + own

    private static let standard: [any Message.Type] = [
        Time.self, DurationMessage.self, Header.self, StringMessage.self, EmptyMessage.self, ColorRGBA.self, Point.self,
        Point32.self, Vector3.self, Quaternion.self, Pose.self, PoseStamped.self, PoseArray.self,
        PoseWithCovariance.self, PoseWithCovarianceStamped.self, Transform.self, TransformStamped.self, Twist.self,
        TwistWithCovariance.self,
    ]

    private static let sensors: [any Message.Type] = [
        Image.self, CompressedImage.self, CameraInfo.self, RegionOfInterest.self, PointField.self, PointCloud2.self,
        Imu.self, NavSatStatus.self, NavSatFix.self, Odometry.self, Path.self, OccupancyGrid.self, MapMetaData.self,
        TFMessage.self,
    ]

    private static let visual: [any Message.Type] = [
        KeyValue.self, DiagnosticStatus.self, DiagnosticArray.self, ClockMessage.self,
        UVCoordinate.self, MeshFile.self, Marker.self, MarkerArray.self, CompressedVideo.self,
        AprilTagPoint.self, AprilTagDetection.self, AprilTagDetectionArray.self,
    ]

    private static let own: [any Message.Type] = [
        PublisherStats.self, MappingSession.self, DepthAnythingCalibration.self, MeshSnapshot.self,
        GPSMetadata.self, IndoorLocalization.self, GeoTileInfo.self, GeoRasterTile.self, RadioObservation.self,
    ]

    private static let byName = Dictionary(uniqueKeysWithValues: all.map { ($0.typeName, $0) })

    /// The type of a name in either form: `sensor_msgs/msg/Imu` or `sensor_msgs/Imu`.
    package static func type(named name: String) -> (any Message.Type)? {
        let parts = name.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2 else { return byName[name] }
        return byName["\(parts[0])/msg/\(parts[1])"]
    }
}
