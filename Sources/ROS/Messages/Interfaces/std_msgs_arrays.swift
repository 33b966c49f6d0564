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
