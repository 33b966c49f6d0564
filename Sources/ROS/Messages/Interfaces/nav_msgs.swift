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
