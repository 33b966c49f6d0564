package import ROS

/// Sets the stamp of a message's header; other fields stay.
///
/// A latched message that is repeated at the start of a chunk is filed under that time, and its stamp has to agree.
package struct HeaderStamper: FieldVisitor {
    private let stamp: Time

    /// The message with another stamp in its `header` or, in a TFMessage, in the headers of all transforms.
    package static func stamp(_ message: any Message, timeNanoseconds: Int64) -> any Message {
        let stamp = Time(nanosecondsSinceEpoch: timeNanoseconds)
        if var transforms = message as? TFMessage {
            for index in transforms.transforms.indices { transforms.transforms[index].header.stamp = stamp }
            return transforms
        }
        func stamped(_ message: some Message) -> any Message {
            var copy = message
            var stamper = HeaderStamper(stamp: stamp)
            copy.visit(&stamper)
            return copy
        }
        return stamped(message)
    }

    package mutating func field<M: Message>(_ name: StaticString, _ value: inout M) {
        guard var header = value as? Header else { return }
        header.stamp = stamp
        if let header = header as? M { value = header }
    }

    package mutating func field<P: Primitive>(_ name: StaticString, _ value: inout P) {}
    package mutating func field<P: Primitive>(_ name: StaticString, _ values: inout [P]) {}
    package mutating func field<let count: Int, P: Primitive>(_ name: StaticString, _ values: inout [count of P]) {}
    package mutating func field<M: Message>(_ name: StaticString, _ values: inout [M]) {}
    package mutating func field<let count: Int, M: Message>(_ name: StaticString, _ values: inout [count of M]) {}
}
