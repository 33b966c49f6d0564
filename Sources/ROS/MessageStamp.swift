/// Finds the time that the first field of a message leads to.
private struct StampFinder: FieldVisitor {
    private(set) var nanoseconds: Int64?
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
            isDone = true
        } else {
            value.visit(&self)
        }
        isDone = true
    }

    mutating func field<M: Message>(_ name: StaticString, _ values: inout [M]) {
        guard !isDone else { return }
        nanoseconds = values.first?.headerStampNanoseconds
        isDone = true
    }

    mutating func field<let count: Int, M: Message>(_ name: StaticString, _ values: inout [count of M]) {
        isDone = true
    }
}

extension Message {
    package var headerStampNanoseconds: Int64? {
        var message = self
        var finder = StampFinder()
        message.visit(&finder)
        return finder.nanoseconds
    }
}
