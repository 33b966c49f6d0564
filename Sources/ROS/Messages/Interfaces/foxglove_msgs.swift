/// A chunk of a video in a coding that is not a picture by itself, such as H.264 (Foxglove's schema).
package struct CompressedVideo: Message {
    package static var typeName: String { "foxglove_msgs/msg/CompressedVideo" }

    package var timestamp = Time()
    package var frameID: String = ""
    package var data: [UInt8] = []
    /// `h264`, `h265`, `vp9` or `av1`.
    package var format: String = ""

    package init() {}

    package mutating func visit<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
        try visitor.field("timestamp", &timestamp)
        try visitor.field("frame_id", &frameID)
        try visitor.field("data", &data)
        try visitor.field("format", &format)
    }
}
