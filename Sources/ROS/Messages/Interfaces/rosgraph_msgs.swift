/// The time that nodes with simulated time go by; `Clock` is the standard library's.
package struct ClockMessage: Message {
    package static var typeName: String { "rosgraph_msgs/msg/Clock" }

    package var clock = Time()

    package init() {}

    package mutating func visit<V: FieldVisitor>(_ visitor: inout V) throws(V.Failure) {
        try visitor.field("clock", &clock)
    }
}
