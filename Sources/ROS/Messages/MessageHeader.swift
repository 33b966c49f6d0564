/// Finds the time and the frame that the first field of a message leads to.
private struct HeaderFinder: FieldVisitor {
    private(set) var nanoseconds: Int64?
    private(set) var frameID: String?
    private var isDone = false

    mutating func field<P: Primitive>(_ name: StaticString, _ value: inout P) { isDone = true }
    mutating func field<P: Primitive>(_ name: StaticString, _ values: inout [P]) { isDone = true }
    mutating func field<let count: Int, P: Primitive>(_ name: StaticString, _ values: inout [count of P]) {
        isDone = true
    }

    mutating func field<M: Message>(_ name: StaticString, _ value: inout M) {
        guard !isDone else { return }
        if let time = value as? Time {
            nanoseconds = time.nanosecondsSinceEpoch
        } else {
            frameID = (value as? Header)?.frameID
            value.visit(&self)
        }
        isDone = true
    }

    mutating func field<M: Message>(_ name: StaticString, _ values: inout [M]) {
        guard !isDone else { return }
        nanoseconds = values.first?.headerStampNanoseconds
        frameID = values.first?.headerFrameID
        isDone = true
    }

    mutating func field<let count: Int, M: Message>(_ name: StaticString, _ values: inout [count of M]) {
        isDone = true
    }
}

extension Message {
    package var headerStampNanoseconds: Int64? { findHeader().nanoseconds }

    /// The frame_id of the header, or of the first transform; `nil` where the message has neither.
    package var headerFrameID: String? { findHeader().frameID }

    private func findHeader() -> HeaderFinder {
        var message = self
        var finder = HeaderFinder()
        message.visit(&finder)
        return finder
    }
}
