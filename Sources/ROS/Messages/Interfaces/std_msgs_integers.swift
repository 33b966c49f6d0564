/// A signed integer of 8 bits.
package struct Int8Message: Message {
    package static var typeName: String { "std_msgs/msg/Int8" }

    package var data: Int8 = 0

    package init() {}

    package mutating func visit<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
        try visitor.field("data", &data)
    }
}

/// A signed integer of 32 bits.
package struct Int32Message: Message {
    package static var typeName: String { "std_msgs/msg/Int32" }

    package var data: Int32 = 0

    package init() {}

    package mutating func visit<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
        try visitor.field("data", &data)
    }
}

/// A signed integer of 64 bits.
package struct Int64Message: Message {
    package static var typeName: String { "std_msgs/msg/Int64" }

    package var data: Int64 = 0

    package init() {}

    package mutating func visit<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
        try visitor.field("data", &data)
    }
}

/// An unsigned integer of 8 bits.
package struct UInt8Message: Message {
    package static var typeName: String { "std_msgs/msg/UInt8" }

    package var data: UInt8 = 0

    package init() {}

    package mutating func visit<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
        try visitor.field("data", &data)
    }
}

/// An unsigned integer of 32 bits.
package struct UInt32Message: Message {
    package static var typeName: String { "std_msgs/msg/UInt32" }

    package var data: UInt32 = 0

    package init() {}

    package mutating func visit<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
        try visitor.field("data", &data)
    }
}

/// An unsigned integer of 64 bits.
package struct UInt64Message: Message {
    package static var typeName: String { "std_msgs/msg/UInt64" }

    package var data: UInt64 = 0

    package init() {}

    package mutating func visit<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
        try visitor.field("data", &data)
    }
}
