/// One dimension of an array: its name, its length, and the elements below it.
package struct MultiArrayDimension: Message {
    package static var typeName: String { "std_msgs/msg/MultiArrayDimension" }

    package var label: String = ""
    package var size: UInt32 = 0
    package var stride: UInt32 = 0

    package init() {}

    package mutating func visit<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
        try visitor.field("label", &label)
        try visitor.field("size", &size)
        try visitor.field("stride", &stride)
    }
}

/// How a flat array is to be read, outermost dimension first.
package struct MultiArrayLayout: Message {
    package static var typeName: String { "std_msgs/msg/MultiArrayLayout" }

    package var dim: [MultiArrayDimension] = []
    package var dataOffset: UInt32 = 0

    package init() {}

    package mutating func visit<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
        try visitor.field("dim", &dim)
        try visitor.field("data_offset", &dataOffset)
    }
}

/// An array of `byte` in any number of dimensions.
package struct ByteMultiArray: Message {
    package static var typeName: String { "std_msgs/msg/ByteMultiArray" }

    package var layout = MultiArrayLayout()
    package var data: [ROSByte] = []

    package init() {}

    package mutating func visit<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
        try visitor.field("layout", &layout)
        try visitor.field("data", &data)
    }
}

/// An array of `float32` in any number of dimensions.
package struct Float32MultiArray: Message {
    package static var typeName: String { "std_msgs/msg/Float32MultiArray" }
    package static var nonFiniteFields: [String] { ["data"] }

    package var layout = MultiArrayLayout()
    package var data: [Float] = []

    package init() {}

    package mutating func visit<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
        try visitor.field("layout", &layout)
        try visitor.field("data", &data)
    }
}

/// An array of `float64` in any number of dimensions.
package struct Float64MultiArray: Message {
    package static var typeName: String { "std_msgs/msg/Float64MultiArray" }
    package static var nonFiniteFields: [String] { ["data"] }

    package var layout = MultiArrayLayout()
    package var data: [Double] = []

    package init() {}

    package mutating func visit<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
        try visitor.field("layout", &layout)
        try visitor.field("data", &data)
    }
}

/// An array of `int8` in any number of dimensions.
package struct Int8MultiArray: Message {
    package static var typeName: String { "std_msgs/msg/Int8MultiArray" }

    package var layout = MultiArrayLayout()
    package var data: [Int8] = []

    package init() {}

    package mutating func visit<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
        try visitor.field("layout", &layout)
        try visitor.field("data", &data)
    }
}

/// An array of `int16` in any number of dimensions.
package struct Int16MultiArray: Message {
    package static var typeName: String { "std_msgs/msg/Int16MultiArray" }

    package var layout = MultiArrayLayout()
    package var data: [Int16] = []

    package init() {}

    package mutating func visit<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
        try visitor.field("layout", &layout)
        try visitor.field("data", &data)
    }
}

/// An array of `int32` in any number of dimensions.
package struct Int32MultiArray: Message {
    package static var typeName: String { "std_msgs/msg/Int32MultiArray" }

    package var layout = MultiArrayLayout()
    package var data: [Int32] = []

    package init() {}

    package mutating func visit<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
        try visitor.field("layout", &layout)
        try visitor.field("data", &data)
    }
}

/// An array of `int64` in any number of dimensions.
package struct Int64MultiArray: Message {
    package static var typeName: String { "std_msgs/msg/Int64MultiArray" }

    package var layout = MultiArrayLayout()
    package var data: [Int64] = []

    package init() {}

    package mutating func visit<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
        try visitor.field("layout", &layout)
        try visitor.field("data", &data)
    }
}

/// An array of `uint8` in any number of dimensions.
package struct UInt8MultiArray: Message {
    package static var typeName: String { "std_msgs/msg/UInt8MultiArray" }

    package var layout = MultiArrayLayout()
    package var data: [UInt8] = []

    package init() {}

    package mutating func visit<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
        try visitor.field("layout", &layout)
        try visitor.field("data", &data)
    }
}

/// An array of `uint16` in any number of dimensions.
package struct UInt16MultiArray: Message {
    package static var typeName: String { "std_msgs/msg/UInt16MultiArray" }

    package var layout = MultiArrayLayout()
    package var data: [UInt16] = []

    package init() {}

    package mutating func visit<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
        try visitor.field("layout", &layout)
        try visitor.field("data", &data)
    }
}

/// An array of `uint32` in any number of dimensions.
package struct UInt32MultiArray: Message {
    package static var typeName: String { "std_msgs/msg/UInt32MultiArray" }

    package var layout = MultiArrayLayout()
    package var data: [UInt32] = []

    package init() {}

    package mutating func visit<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
        try visitor.field("layout", &layout)
        try visitor.field("data", &data)
    }
}

/// An array of `uint64` in any number of dimensions.
package struct UInt64MultiArray: Message {
    package static var typeName: String { "std_msgs/msg/UInt64MultiArray" }

    package var layout = MultiArrayLayout()
    package var data: [UInt64] = []

    package init() {}

    package mutating func visit<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
        try visitor.field("layout", &layout)
        try visitor.field("data", &data)
    }
}
