/// A picture as rows of pixels.
package struct Image: Message {
    package static var typeName: String { "sensor_msgs/msg/Image" }

    package var header = Header()
    package var height: UInt32 = 0
    package var width: UInt32 = 0
    /// The pixel format, such as `rgb8`, `mono8` or `32FC1`.
    package var encoding: String = ""
    package var isBigEndian: UInt8 = 0
    /// The length of a row in bytes.
    package var step: UInt32 = 0
    package var data: [UInt8] = []

    package init() {}

    package mutating func visit<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
        try visitor.field("header", &header)
        try visitor.field("height", &height)
        try visitor.field("width", &width)
        try visitor.field("encoding", &encoding)
        try visitor.field("is_bigendian", &isBigEndian)
        try visitor.field("step", &step)
        try visitor.field("data", &data)
    }
}

/// A picture as the bytes of an image file.
package struct CompressedImage: Message {
    package static var typeName: String { "sensor_msgs/msg/CompressedImage" }

    package var header = Header()
    /// The pixel format and the codec, as image_transport parses them.
    package var format: String = ""
    package var data: [UInt8] = []

    package init() {}

    package mutating func visit<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
        try visitor.field("header", &header)
        try visitor.field("format", &format)
        try visitor.field("data", &data)
    }
}

/// The calibration of a camera: intrinsics, distortion, rectification.
package struct CameraInfo: Message {
    package static var typeName: String { "sensor_msgs/msg/CameraInfo" }

    package var header = Header()
    package var height: UInt32 = 0
    package var width: UInt32 = 0
    package var distortionModel: String = ""
    /// The distortion, by the model; for `plumb_bob` k1, k2, t1, t2, k3.
    package var d: [Double] = []
    /// The intrinsics of the unrectified image, 3 x 3 row by row, in pixels.
    package var k: [9 of Double] = .init(repeating: 0)
    /// The rectifying rotation, 3 x 3 row by row.
    package var r: [9 of Double] = .init(repeating: 0)
    /// The projection of the rectified image, 3 x 4 row by row.
    package var p: [12 of Double] = .init(repeating: 0)
    package var binningX: UInt32 = 0
    package var binningY: UInt32 = 0
    package var roi = RegionOfInterest()

    package init() {}

    package mutating func visit<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
        try visitor.field("header", &header)
        try visitor.field("height", &height)
        try visitor.field("width", &width)
        try visitor.field("distortion_model", &distortionModel)
        try visitor.field("d", &d)
        try visitor.field("k", &k)
        try visitor.field("r", &r)
        try visitor.field("p", &p)
        try visitor.field("binning_x", &binningX)
        try visitor.field("binning_y", &binningY)
        try visitor.field("roi", &roi)
    }
}

/// A part of an image, in pixels; all zeros mean the whole.
package struct RegionOfInterest: Message {
    package static var typeName: String { "sensor_msgs/msg/RegionOfInterest" }

    package var xOffset: UInt32 = 0
    package var yOffset: UInt32 = 0
    package var height: UInt32 = 0
    package var width: UInt32 = 0
    package var doRectify: Bool = false

    package init() {}

    package mutating func visit<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
        try visitor.field("x_offset", &xOffset)
        try visitor.field("y_offset", &yOffset)
        try visitor.field("height", &height)
        try visitor.field("width", &width)
        try visitor.field("do_rectify", &doRectify)
    }
}

/// Where one channel of a point cloud is in each point's bytes.
package struct PointField: Message {
    package static var typeName: String { "sensor_msgs/msg/PointField" }
    package static var constants: [MessageConstant] {
        [
            MessageConstant("uint8", "INT8", "1"),
            MessageConstant("uint8", "UINT8", "2"),
            MessageConstant("uint8", "INT16", "3"),
            MessageConstant("uint8", "UINT16", "4"),
            MessageConstant("uint8", "INT32", "5"),
            MessageConstant("uint8", "UINT32", "6"),
            MessageConstant("uint8", "FLOAT32", "7"),
            MessageConstant("uint8", "FLOAT64", "8"),
        ]
    }

    package var name: String = ""
    /// In bytes from the start of the point.
    package var offset: UInt32 = 0
    package var datatype: UInt8 = 0
    package var count: UInt32 = 0

    package init() {}

    package mutating func visit<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
        try visitor.field("name", &name)
        try visitor.field("offset", &offset)
        try visitor.field("datatype", &datatype)
        try visitor.field("count", &count)
    }

    package init(name: String, offset: UInt32, datatype: UInt8, count: UInt32) {
        self.name = name
        self.offset = offset
        self.datatype = datatype
        self.count = count
    }
}

/// Points as records of bytes, laid out as the fields say.
package struct PointCloud2: Message {
    package static var typeName: String { "sensor_msgs/msg/PointCloud2" }

    package var header = Header()
    /// 1 if the points have no order in rows.
    package var height: UInt32 = 0
    package var width: UInt32 = 0
    package var fields: [PointField] = []
    package var isBigEndian: Bool = false
    /// The length of a point in bytes.
    package var pointStep: UInt32 = 0
    /// The length of a row in bytes.
    package var rowStep: UInt32 = 0
    package var data: [UInt8] = []
    /// True if every point is finite.
    package var isDense: Bool = false

    package init() {}

    package mutating func visit<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
        try visitor.field("header", &header)
        try visitor.field("height", &height)
        try visitor.field("width", &width)
        try visitor.field("fields", &fields)
        try visitor.field("is_bigendian", &isBigEndian)
        try visitor.field("point_step", &pointStep)
        try visitor.field("row_step", &rowStep)
        try visitor.field("data", &data)
        try visitor.field("is_dense", &isDense)
    }
}

extension PointField {
    package static let int8: UInt8 = 1
    package static let uint8: UInt8 = 2
    package static let int16: UInt8 = 3
    package static let uint16: UInt8 = 4
    package static let int32: UInt8 = 5
    package static let uint32: UInt8 = 6
    package static let float32: UInt8 = 7
    package static let float64: UInt8 = 8
}
