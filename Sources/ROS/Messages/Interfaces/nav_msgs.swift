/// Where a body is in the header's frame, and its velocity in its own.
package struct Odometry: Message {
    package static var typeName: String { "nav_msgs/msg/Odometry" }

    package var header = Header()
    package var childFrameID: String = ""
    package var pose = PoseWithCovariance()
    package var twist = TwistWithCovariance()

    package init() {}

    package mutating func visit<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
        try visitor.field("header", &header)
        try visitor.field("child_frame_id", &childFrameID)
        try visitor.field("pose", &pose)
        try visitor.field("twist", &twist)
    }
}

/// Poses in the order in which they are passed.
package struct Path: Message {
    package static var typeName: String { "nav_msgs/msg/Path" }

    package var header = Header()
    package var poses: [PoseStamped] = []

    package init() {}

    package mutating func visit<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
        try visitor.field("header", &header)
        try visitor.field("poses", &poses)
    }
}

/// A map of the ground: probabilities that cells are occupied, row by row.
package struct OccupancyGrid: Message {
    package static var typeName: String { "nav_msgs/msg/OccupancyGrid" }

    package var header = Header()
    package var info = MapMetaData()
    /// From the cell at the origin, x first: 0 to 100, -1 where nothing is known.
    package var data: [Int8] = []

    package init() {}

    package mutating func visit<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
        try visitor.field("header", &header)
        try visitor.field("info", &info)
        try visitor.field("data", &data)
    }
}

/// The place and the size of the cells of a map.
package struct MapMetaData: Message {
    package static var typeName: String { "nav_msgs/msg/MapMetaData" }

    package var mapLoadTime = Time()
    /// The edge of a cell in metres.
    package var resolution: Float = 0
    package var width: UInt32 = 0
    package var height: UInt32 = 0
    /// Where cell (0, 0) begins, in the header's frame.
    package var origin = Pose()

    package init() {}

    package mutating func visit<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
        try visitor.field("map_load_time", &mapLoadTime)
        try visitor.field("resolution", &resolution)
        try visitor.field("width", &width)
        try visitor.field("height", &height)
        try visitor.field("origin", &origin)
    }
}
