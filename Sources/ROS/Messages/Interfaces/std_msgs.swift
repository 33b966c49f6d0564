/// When and in which frame the data of a message were true.
package struct Header: Message {
    package static var typeName: String { "std_msgs/msg/Header" }

    package var stamp = Time()
    /// The frame to whose axes the data refer; no leading slash.
    package var frameID: String = ""

    package init() {}

    package mutating func visit<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
        try visitor.field("stamp", &stamp)
        try visitor.field("frame_id", &frameID)
    }
}

/// A text; `String` is the standard library's.
package struct StringMessage: Message {
    package static var typeName: String { "std_msgs/msg/String" }

    package var data: String = ""

    package init() {}

    package mutating func visit<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
        try visitor.field("data", &data)
    }

    package init(data: String) {
        self.data = data
    }
}

/// No data at all, only that something happened.
package struct EmptyMessage: Message {
    package static var typeName: String { "std_msgs/msg/Empty" }

    package init() {}

    package mutating func visit<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {}
}

/// A colour and its opacity, each from 0 to 1.
package struct ColorRGBA: Message {
    package static var typeName: String { "std_msgs/msg/ColorRGBA" }

    package var r: Float = 0
    package var g: Float = 0
    package var b: Float = 0
    package var a: Float = 0

    package init() {}

    package mutating func visit<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
        try visitor.field("r", &r)
        try visitor.field("g", &g)
        try visitor.field("b", &b)
        try visitor.field("a", &a)
    }
}

extension Header {
    package init(stampNanoseconds: Int64, frameID: String) {
        stamp = Time(nanosecondsSinceEpoch: stampNanoseconds)
        self.frameID = frameID
    }

    package init(stamp: Time, frameID: String) {
        self.stamp = stamp
        self.frameID = frameID
    }

    /// Reads a header that other fields follow; here, where the visit is compiled for this one type.
    package init(from decoder: inout CDRDecoder) throws(CDRError) {
        self.init()
        try visit(&decoder)
    }
}
