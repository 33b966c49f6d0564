/// The message types that are compiled in.
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
        Imu.self, NavSatStatus.self, NavSatFix.self, Odometry.self, Path.self, TFMessage.self,
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
