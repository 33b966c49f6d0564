extension CommonDefinitions {
    static let geometryMsgs = """
        Accel
          Vector3 linear, angular
        AccelStamped
          std_msgs/Header header
          Accel accel
        AccelWithCovariance
          Accel accel
          float64[36] covariance
        AccelWithCovarianceStamped
          std_msgs/Header header
          AccelWithCovariance accel
        Inertia
          float64 m
          Vector3 com
          float64 ixx, ixy, ixz, iyy, iyz, izz
        InertiaStamped
          std_msgs/Header header
          Inertia inertia
        PointStamped
          std_msgs/Header header
          Point point
        Polygon
          Point32[] points
        PolygonInstance
          Polygon polygon
          int64 id
        PolygonInstanceStamped
          std_msgs/Header header
          PolygonInstance polygon
        PolygonStamped
          std_msgs/Header header
          Polygon polygon
        Pose2D
          float64 x, y, theta
        QuaternionStamped
          std_msgs/Header header
          Quaternion quaternion
        TwistStamped
          std_msgs/Header header
          Twist twist
        TwistWithCovarianceStamped
          std_msgs/Header header
          TwistWithCovariance twist
        Vector3Stamped
          std_msgs/Header header
          Vector3 vector
        VelocityStamped
          std_msgs/Header header
          string body_frame_id, reference_frame_id
          Twist velocity
        Wrench
          Vector3 force, torque
        WrenchStamped
          std_msgs/Header header
          Wrench wrench
        """

    static let shapeMsgs = """
        Mesh
          MeshTriangle[] triangles
          geometry_msgs/Point[] vertices
        MeshTriangle
          uint32[3] vertex_indices
        Plane
          float64[4] coef
        SolidPrimitive
          uint8 BOX=1, SPHERE=2, CYLINDER=3, CONE=4, PRISM=5, BOX_X=0, BOX_Y=1, BOX_Z=2, SPHERE_RADIUS=0
          uint8 CYLINDER_HEIGHT=0, CYLINDER_RADIUS=1, CONE_HEIGHT=0, CONE_RADIUS=1, PRISM_HEIGHT=0
          uint8 type
          float64[<=3] dimensions
          geometry_msgs/Polygon polygon
        """

    static let trajectoryMsgs = """
        JointTrajectory
          std_msgs/Header header
          string[] joint_names
          JointTrajectoryPoint[] points
        JointTrajectoryPoint
          float64[] positions, velocities, accelerations, effort
          builtin_interfaces/Duration time_from_start
        MultiDOFJointTrajectory
          std_msgs/Header header
          string[] joint_names
          MultiDOFJointTrajectoryPoint[] points
        MultiDOFJointTrajectoryPoint
          geometry_msgs/Transform[] transforms
          geometry_msgs/Twist[] velocities, accelerations
          builtin_interfaces/Duration time_from_start
        """
}
