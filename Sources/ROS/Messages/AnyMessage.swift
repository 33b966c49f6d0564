/// A message as sinks see it: something that has a size, a time and an encoding.
///
/// A ``Message`` is one; so is a message whose type is known from a text only.
package protocol AnyMessage: Sendable {
    /// The size as CDR with its 4-byte header, without encoding where that is possible.
    var encodedCDRSize: Int { get }

    /// Appends the 4-byte header and the little-endian CDR body; alignment counts from after the header.
    func appendCDR(to bytes: inout [UInt8])

    /// Appends the message as rosbridge takes it: one JSON object, keys in the order of the .msg file.
    func appendJSON(to bytes: inout [UInt8]) throws(JSONEncodingError)

    /// The time that the first field leads to: that of the header, of the first transform, of the clock.
    var headerStampNanoseconds: Int64? { get }

    /// The frame_id of the header, or of the first transform; `nil` where the message has neither.
    var headerFrameID: String? { get }

    /// The message with other times in its header or, where it holds a sequence of stamped messages, in theirs.
    func mappingHeaderStamps(_ transform: (_ nanoseconds: Int64) -> Int64) -> any AnyMessage

    /// The message as a compiled type; `nil` where it is of another one.
    func compiled<M: Message>(as type: M.Type) -> M?
}

extension AnyMessage {
    /// The message with one time in all its headers.
    package func stamped(nanoseconds: Int64) -> any AnyMessage {
        mappingHeaderStamps { _ in nanoseconds }
    }

    package func compiled<M: Message>(as type: M.Type) -> M? { self as? M }
}

extension Message {
    package func mappingHeaderStamps(_ transform: (Int64) -> Int64) -> any AnyMessage {
        withoutActuallyEscaping(transform) { transform in
            var copy = self
            var stamper = HeaderStamper(transform: transform)
            copy.visit(&stamper)
            return copy
        }
    }
}
