/// A position in metres.
package struct Point: Message {
    package static var typeName: String { "geometry_msgs/msg/Point" }

    package var x: Double = 0
    package var y: Double = 0
    package var z: Double = 0

    package init() {}

    package mutating func visit<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
        try visitor.field("x", &x)
        try visitor.field("y", &y)
        try visitor.field("z", &z)
    }

    package init(x: Double, y: Double, z: Double) {
        self.x = x
        self.y = y
        self.z = z
    }
}

/// A position in metres, in single precision.
package struct Point32: Message {
    package static var typeName: String { "geometry_msgs/msg/Point32" }

    package var x: Float = 0
    package var y: Float = 0
    package var z: Float = 0

    package init() {}

    package mutating func visit<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
        try visitor.field("x", &x)
        try visitor.field("y", &y)
        try visitor.field("z", &z)
    }
}

/// A direction with a length, in the unit of whatever holds it; translations do not apply to it.
package struct Vector3: Message {
    package static var typeName: String { "geometry_msgs/msg/Vector3" }

    package var x: Double = 0
    package var y: Double = 0
    package var z: Double = 0

    package init() {}

    package mutating func visit<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
        try visitor.field("x", &x)
        try visitor.field("y", &y)
        try visitor.field("z", &z)
    }

    package init(x: Double, y: Double, z: Double) {
        self.x = x
        self.y = y
        self.z = z
    }
}

/// A rotation as a unit quaternion, by default none.
package struct Quaternion: Message {
    package static var typeName: String { "geometry_msgs/msg/Quaternion" }

    package var x: Double = 0
    package var y: Double = 0
    package var z: Double = 0
    package var w: Double = 1

    package init() {}

    package mutating func visit<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
        try visitor.field("x", &x)
        try visitor.field("y", &y)
        try visitor.field("z", &z)
        try visitor.field("w", &w)
    }

    package init(x: Double, y: Double, z: Double, w: Double) {
        self.x = x
        self.y = y
        self.z = z
        self.w = w
    }
}

/// A position and an orientation: the transform from the body's axes to those of the frame.
package struct Pose: Message {
    package static var typeName: String { "geometry_msgs/msg/Pose" }

    package var position = Point()
    package var orientation = Quaternion()

    package init() {}

    package mutating func visit<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
        try visitor.field("position", &position)
        try visitor.field("orientation", &orientation)
    }

    package init(position: Point, orientation: Quaternion) {
        self.position = position
        self.orientation = orientation
    }
}

/// A pose and how uncertain it is.
package struct PoseWithCovariance: Message {
    package static var typeName: String { "geometry_msgs/msg/PoseWithCovariance" }
    package static var nonFiniteFields: [String] { ["covariance"] }

    package var pose = Pose()
    /// Row by row, 6 x 6: x, y, z in metres, then rotations about the fixed axes in radians.
    package var covariance: [36 of Double] = .init(repeating: 0)

    package init() {}

    package mutating func visit<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
        try visitor.field("pose", &pose)
        try visitor.field("covariance", &covariance)
    }
}

/// A rotation followed by a translation in metres.
package struct Transform: Message {
    package static var typeName: String { "geometry_msgs/msg/Transform" }

    package var translation = Vector3()
    package var rotation = Quaternion()

    package init() {}

    package mutating func visit<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
        try visitor.field("translation", &translation)
        try visitor.field("rotation", &rotation)
    }
}

/// A velocity: metres a second, and radians a second.
package struct Twist: Message {
    package static var typeName: String { "geometry_msgs/msg/Twist" }

    package var linear = Vector3()
    package var angular = Vector3()

    package init() {}

    package mutating func visit<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
        try visitor.field("linear", &linear)
        try visitor.field("angular", &angular)
    }
}

/// A velocity and how uncertain it is.
package struct TwistWithCovariance: Message {
    package static var typeName: String { "geometry_msgs/msg/TwistWithCovariance" }
    package static var nonFiniteFields: [String] { ["covariance"] }

    package var twist = Twist()
    /// Row by row, 6 x 6: linear along x, y, z, then angular about them.
    package var covariance: [36 of Double] = .init(repeating: 0)

    package init() {}

    package mutating func visit<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
        try visitor.field("twist", &twist)
        try visitor.field("covariance", &covariance)
    }
}

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
