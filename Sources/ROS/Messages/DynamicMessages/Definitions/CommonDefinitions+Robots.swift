/// Packages beyond ROS's own that are in many bags, as Humble has them: later recorders store definitions themselves.
///
/// An action has only its feedback here, which is the part of it that is a topic.
extension CommonDefinitions {
    /// The same names and fields as those of std_msgs.
    static let exampleInterfaces = """
        Empty
        String
          string data

        """ + stdMsgs

    static let exampleInterfacesActions = """
        Fibonacci
          int32[] sequence
        """

    static let turtlesim = """
        Color
          uint8 r, g, b
        Pose
          float32 x, y, theta, linear_velocity, angular_velocity
        """

    static let turtlesimActions = """
        RotateAbsolute
          float32 remaining
        """

    static let ackermannMsgs = """
        AckermannDrive
          float32 steering_angle, steering_angle_velocity, speed, acceleration, jerk
        AckermannDriveStamped
          std_msgs/Header header
          AckermannDrive drive
        """

    static let plansys2Msgs = """
        ActionExecution
          int16 REQUEST=1, RESPONSE=2, CONFIRM=3, REJECT=4, FEEDBACK=5, FINISH=6, CANCEL=7
          int16 type
          string node_id, action
          string[] arguments
          bool success
          float32 completion
          string status
        ActionExecutionInfo
          int8 NOT_EXECUTED=1, EXECUTING=2, FAILED=3, SUCCEEDED=4, CANCELLED=5
          int8 status
          builtin_interfaces/Time start_stamp, status_stamp
          string action_full_name, action
          string[] arguments
          builtin_interfaces/Duration duration
          float32 completion
          string message_status
        ActionPerformerStatus
          int8 NOT_READY=0, READY=1, RUNNING=2, FAILURE=4
          builtin_interfaces/Time status_stamp
          int8 state
          string action
          string[] specialized_arguments
          string node_name
        Knowledge
          string[] instances, predicates, functions
          string goal
        Plan
          PlanItem[] items
        PlanItem
          float32 time
          string action
          float32 duration
        """

    static let plansys2Actions = """
        ExecutePlan
          ActionExecutionInfo[] action_execution_status
        """

    static let controlMsgs = """
        DynamicJointState
          std_msgs/Header header
          string[] joint_names
          InterfaceValue[] interface_values
        GripperCommand
          float64 position, max_effort
        InterfaceValue
          string[] interface_names
          float64[] values
        JointControllerState
          std_msgs/Header header
          float64 set_point, process_value, process_value_dot, error, time_step, command, p, i, d, i_clamp
          bool antiwindup
        JointJog
          std_msgs/Header header
          string[] joint_names
          float64[] displacements, velocities
          float64 duration
        JointTolerance
          string name
          float64 position, velocity, acceleration
        JointTrajectoryControllerState
          std_msgs/Header header
          string[] joint_names
          trajectory_msgs/JointTrajectoryPoint desired, actual, error
        PidState
          std_msgs/Header header
          builtin_interfaces/Duration timestep
          float64 error, error_dot, p_error, i_error, d_error, p_term, i_term, d_term, i_max, i_min, output
        """

    static let controlActions = """
        FollowJointTrajectory
          std_msgs/Header header
          string[] joint_names
          trajectory_msgs/JointTrajectoryPoint desired, actual, error
          string[] multi_dof_joint_names
          trajectory_msgs/MultiDOFJointTrajectoryPoint multi_dof_desired, multi_dof_actual, multi_dof_error
        GripperCommand
          float64 position, effort
          bool stalled, reached_goal
        PointHead
          float64 pointing_angle_error
        """

    static let nav2Msgs = """
        BehaviorTreeLog
          builtin_interfaces/Time timestamp
          BehaviorTreeStatusChange[] event_log
        BehaviorTreeStatusChange
          builtin_interfaces/Time timestamp
          string node_name, previous_status, current_status
        CollisionDetectorState
          string[] polygons
          bool[] detections
        CollisionMonitorState
          uint8 action_type
          string polygon_name
        Costmap
          std_msgs/Header header
          CostmapMetaData metadata
          uint8[] data
        CostmapFilterInfo
          std_msgs/Header header
          uint8 type
          string filter_mask_topic
          float32 base, multiplier
        CostmapMetaData
          builtin_interfaces/Time map_load_time, update_time
          string layer
          float32 resolution
          uint32 size_x, size_y
          geometry_msgs/Pose origin
        Particle
          geometry_msgs/Pose pose
          float64 weight
        ParticleCloud
          std_msgs/Header header
          Particle[] particles
        SpeedLimit
          std_msgs/Header header
          bool percentage
          float64 speed_limit
        VoxelGrid
          std_msgs/Header header
          uint32[] data
          geometry_msgs/Point32 origin
          geometry_msgs/Vector3 resolutions
          uint32 size_x, size_y, size_z
        """

    static let nav2Actions = """
        AssistedTeleop
          builtin_interfaces/Duration current_teleop_duration
        BackUp
          float32 distance_traveled
        DriveOnHeading
          float32 distance_traveled
        FollowPath
          float32 distance_to_goal, speed
        FollowWaypoints
          uint32 current_waypoint
        NavigateThroughPoses
          geometry_msgs/PoseStamped current_pose
          builtin_interfaces/Duration navigation_time, estimated_time_remaining
          int16 number_of_recoveries
          float32 distance_remaining
          int16 number_of_poses_remaining
        NavigateToPose
          geometry_msgs/PoseStamped current_pose
          builtin_interfaces/Duration navigation_time, estimated_time_remaining
          int16 number_of_recoveries
          float32 distance_remaining
        Spin
          float32 angular_distance_traveled
        Wait
          builtin_interfaces/Duration time_left
        """
}
