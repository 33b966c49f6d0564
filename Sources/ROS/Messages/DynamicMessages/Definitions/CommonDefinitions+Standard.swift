extension CommonDefinitions {
    static let stdMsgs = """
        Bool
          bool data
        Byte
          byte data
        ByteMultiArray
          MultiArrayLayout layout
          byte[] data
        Char
          char data
        Float32
          float32 data
        Float32MultiArray
          MultiArrayLayout layout
          float32[] data
        Float64
          float64 data
        Float64MultiArray
          MultiArrayLayout layout
          float64[] data
        Int16
          int16 data
        Int16MultiArray
          MultiArrayLayout layout
          int16[] data
        Int32
          int32 data
        Int32MultiArray
          MultiArrayLayout layout
          int32[] data
        Int64
          int64 data
        Int64MultiArray
          MultiArrayLayout layout
          int64[] data
        Int8
          int8 data
        Int8MultiArray
          MultiArrayLayout layout
          int8[] data
        MultiArrayDimension
          string label
          uint32 size, stride
        MultiArrayLayout
          MultiArrayDimension[] dim
          uint32 data_offset
        UInt16
          uint16 data
        UInt16MultiArray
          MultiArrayLayout layout
          uint16[] data
        UInt32
          uint32 data
        UInt32MultiArray
          MultiArrayLayout layout
          uint32[] data
        UInt64
          uint64 data
        UInt64MultiArray
          MultiArrayLayout layout
          uint64[] data
        UInt8
          uint8 data
        UInt8MultiArray
          MultiArrayLayout layout
          uint8[] data
        """

    static let tf2Msgs = """
        TF2Error
          uint8 NO_ERROR=0, LOOKUP_ERROR=1, CONNECTIVITY_ERROR=2, EXTRAPOLATION_ERROR=3, INVALID_ARGUMENT_ERROR=4
          uint8 TIMEOUT_ERROR=5, TRANSFORM_ERROR=6
          uint8 error
          string error_string
        """

    static let navMsgs = """
        Goals
          std_msgs/Header header
          geometry_msgs/PoseStamped[] goals
        GridCells
          std_msgs/Header header
          float32 cell_width, cell_height
          geometry_msgs/Point[] cells
        Trajectory
          std_msgs/Header header
          TrajectoryPoint[] points
        TrajectoryPoint
          std_msgs/Header header
          geometry_msgs/Pose pose
          geometry_msgs/Twist velocity
          geometry_msgs/Accel acceleration
          geometry_msgs/Wrench effort
        """
}
