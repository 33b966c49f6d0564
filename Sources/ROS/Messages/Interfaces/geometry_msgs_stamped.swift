/// A pose at a time, in a frame.
package struct PoseStamped: Message {
    package static var typeName: String { "geometry_msgs/msg/PoseStamped" }

    package var header = Header()
    package var pose = Pose()

    package init() {}

    package mutating func visit<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
        try visitor.field("header", &header)
        try visitor.field("pose", &pose)
    }
}

extension PoseStamped {
    package init(header: Header, pose: Pose) {
        self.header = header
        self.pose = pose
    }
}

/// Poses at one time, in one frame.
package struct PoseArray: Message {
    package static var typeName: String { "geometry_msgs/msg/PoseArray" }

    package var header = Header()
    package var poses: [Pose] = []

    package init() {}

    package mutating func visit<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
        try visitor.field("header", &header)
        try visitor.field("poses", &poses)
    }
}

/// A pose and how uncertain it is, at a time, in a frame.
package struct PoseWithCovarianceStamped: Message {
    package static var typeName: String { "geometry_msgs/msg/PoseWithCovarianceStamped" }

    package var header = Header()
    package var pose = PoseWithCovariance()

    package init() {}

    package mutating func visit<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
        try visitor.field("header", &header)
        try visitor.field("pose", &pose)
    }
}

/// Where the child's frame is in the header's at a time: it takes the child's coordinates to the parent's.
package struct TransformStamped: Message {
    package static var typeName: String { "geometry_msgs/msg/TransformStamped" }

    package var header = Header()
    package var childFrameID: String = ""
    package var transform = Transform()

    package init() {}

    package mutating func visit<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
        try visitor.field("header", &header)
        try visitor.field("child_frame_id", &childFrameID)
        try visitor.field("transform", &transform)
    }
}

extension TransformStamped {
    package init(header: Header, childFrameID: String, transform: Transform) {
        self.header = header
        self.childFrameID = childFrameID
        self.transform = transform
    }
}
