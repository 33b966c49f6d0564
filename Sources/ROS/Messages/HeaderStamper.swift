/// Replaces the times that the first field of a message leads to; other fields stay.
///
/// That field may be the time itself, a header, or a sequence of messages that begin with a header (a TFMessage).
struct HeaderStamper: FieldVisitor {
    let transform: (Int64) -> Int64
    private var isDone = false

    init(transform: @escaping (Int64) -> Int64) {
        self.transform = transform
    }

    mutating func field<M: Message>(_ name: StaticString, _ value: inout M) {
        guard !isDone else { return }
        if let time = value as? Time {
            if let new = Time(nanosecondsSinceEpoch: transform(time.nanosecondsSinceEpoch)) as? M { value = new }
        } else {
            value.visit(&self)
        }
        isDone = true
    }

    mutating func field<M: Message>(_ name: StaticString, _ values: inout [M]) {
        guard !isDone else { return }
        for index in values.indices {
            var stamper = HeaderStamper(transform: transform)
            values[index].visit(&stamper)
        }
        isDone = true
    }

    mutating func field<P: Primitive>(_ name: StaticString, _ value: inout P) { isDone = true }
    mutating func field<P: Primitive>(_ name: StaticString, _ values: inout [P]) { isDone = true }
    mutating func field<let count: Int, P: Primitive>(_ name: StaticString, _ values: inout [count of P]) {
        isDone = true
    }

    mutating func field<let count: Int, M: Message>(_ name: StaticString, _ values: inout [count of M]) {
        isDone = true
    }
}
