/// Finds the frame_id that the first field of a message leads to.
private struct FrameFinder: FieldVisitor {
    private(set) var frameID: String?
    private var isDone = false

    mutating func field<P: Primitive>(_ name: StaticString, _ value: inout P) { isDone = true }
    mutating func field<P: Primitive>(_ name: StaticString, _ values: inout [P]) { isDone = true }
    mutating func field<let count: Int, P: Primitive>(_ name: StaticString, _ values: inout [count of P]) {
        isDone = true
    }

    mutating func field<M: Message>(_ name: StaticString, _ value: inout M) {
        guard !isDone else { return }
        if let header = value as? Header { frameID = header.frameID }
        isDone = true
    }

    mutating func field<M: Message>(_ name: StaticString, _ values: inout [M]) {
        guard !isDone else { return }
        frameID = values.first?.headerFrameID
        isDone = true
    }

    mutating func field<let count: Int, M: Message>(_ name: StaticString, _ values: inout [count of M]) {
        isDone = true
    }
}

extension Message {
    /// The frame_id of the header, or of the first transform; `nil` where the message has neither.
    package var headerFrameID: String? {
        var message = self
        var finder = FrameFinder()
        message.visit(&finder)
        return finder.frameID
    }
}
