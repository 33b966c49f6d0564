/// A place in an image, in pixels.
package struct AprilTagPoint: Message {
    package static var typeName: String { "apriltag_msgs/msg/Point" }

    package var x: Double = 0
    package var y: Double = 0

    package init() {}

    package init(x: Double, y: Double) {
        self.x = x
        self.y = y
    }

    package mutating func visit<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
        try visitor.field("x", &x)
        try visitor.field("y", &y)
    }
}

/// A tag in an image.
package struct AprilTagDetection: Message {
    package static var typeName: String { "apriltag_msgs/msg/AprilTagDetection" }

    package var family: String = ""
    package var id: Int32 = 0
    package var hamming: Int32 = 0
    package var goodness: Float = 0
    package var decisionMargin: Float = 0
    package var centre = AprilTagPoint()
    /// Bottom left, bottom right, top right, top left of the upright tag.
    package var corners: [4 of AprilTagPoint] = .init(repeating: AprilTagPoint())
    /// The homography by rows: from the tag, whose corners are (-1, 1), (1, 1), (1, -1), (-1, -1), to pixels.
    package var homography: [9 of Double] = .init(repeating: 0)

    package init() {}

    package mutating func visit<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
        try visitor.field("family", &family)
        try visitor.field("id", &id)
        try visitor.field("hamming", &hamming)
        try visitor.field("goodness", &goodness)
        try visitor.field("decision_margin", &decisionMargin)
        try visitor.field("centre", &centre)
        try visitor.field("corners", &corners)
        try visitor.field("homography", &homography)
    }
}

/// All tags of an image.
package struct AprilTagDetectionArray: Message {
    package static var typeName: String { "apriltag_msgs/msg/AprilTagDetectionArray" }

    package var header = Header()
    package var detections: [AprilTagDetection] = []

    package init() {}

    package mutating func visit<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
        try visitor.field("header", &header)
        try visitor.field("detections", &detections)
    }
}
