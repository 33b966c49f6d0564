/// Packages about what is seen and where on the Earth it is, as Humble has them.
extension CommonDefinitions {
    static let visionMsgs = """
        BoundingBox2D
          Pose2D center
          float64 size_x, size_y
        BoundingBox2DArray
          std_msgs/Header header
          BoundingBox2D[] boxes
        BoundingBox3D
          geometry_msgs/Pose center
          geometry_msgs/Vector3 size
        BoundingBox3DArray
          std_msgs/Header header
          BoundingBox3D[] boxes
        Classification
          std_msgs/Header header
          ObjectHypothesis[] results
        Detection2D
          std_msgs/Header header
          ObjectHypothesisWithPose[] results
          BoundingBox2D bbox
          string id
        Detection2DArray
          std_msgs/Header header
          Detection2D[] detections
        Detection3D
          std_msgs/Header header
          ObjectHypothesisWithPose[] results
          BoundingBox3D bbox
          string id
        Detection3DArray
          std_msgs/Header header
          Detection3D[] detections
        LabelInfo
          std_msgs/Header header
          VisionClass[] class_map
          float32 threshold
        ObjectHypothesis
          string class_id
          float64 score
        ObjectHypothesisWithPose
          ObjectHypothesis hypothesis
          geometry_msgs/PoseWithCovariance pose
        Point2D
          float64 x, y
        Pose2D
          Point2D position
          float64 theta
        VisionClass
          uint16 class_id
          string class_name
        VisionInfo
          std_msgs/Header header
          string method, database_location
          int32 database_version
        """

    static let geographicMsgs = """
        BoundingBox
          GeoPoint min_pt, max_pt
        GeoPath
          std_msgs/Header header
          GeoPoseStamped[] poses
        GeoPoint
          float64 latitude, longitude, altitude
        GeoPointStamped
          std_msgs/Header header
          GeoPoint position
        GeoPose
          GeoPoint position
          geometry_msgs/Quaternion orientation
        GeoPoseStamped
          std_msgs/Header header
          GeoPose pose
        GeoPoseWithCovariance
          GeoPose pose
          float64[36] covariance
        GeoPoseWithCovarianceStamped
          std_msgs/Header header
          GeoPoseWithCovariance pose
        GeographicMap
          std_msgs/Header header
          unique_identifier_msgs/UUID id
          BoundingBox bounds
          WayPoint[] points
          MapFeature[] features
          KeyValue[] props
        GeographicMapChanges
          std_msgs/Header header
          GeographicMap diffs
          unique_identifier_msgs/UUID[] deletes
        KeyValue
          string key, value
        MapFeature
          unique_identifier_msgs/UUID id
          unique_identifier_msgs/UUID[] components
          KeyValue[] props
        RouteNetwork
          std_msgs/Header header
          unique_identifier_msgs/UUID id
          BoundingBox bounds
          WayPoint[] points
          RouteSegment[] segments
          KeyValue[] props
        RoutePath
          std_msgs/Header header
          unique_identifier_msgs/UUID network
          unique_identifier_msgs/UUID[] segments
          KeyValue[] props
        RouteSegment
          unique_identifier_msgs/UUID id, start, end
          KeyValue[] props
        WayPoint
          unique_identifier_msgs/UUID id
          GeoPoint position
          KeyValue[] props
        """
}
