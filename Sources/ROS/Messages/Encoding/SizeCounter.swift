/// Adds up the CDR size of a message, gaps included, without encoding it.
package struct SizeCounter: FieldVisitor {
    /// The bytes so far, not counting the header.
    package private(set) var size = 0

    package init() {}

    package mutating func field<P: Primitive>(_ name: StaticString, _ value: inout P) {
        value.addSize(to: &self)
    }

    package mutating func field<P: Primitive>(_ name: StaticString, _ values: inout [P]) {
        add(size: 4, alignment: 4)
        values.withUnsafeBufferPointer { P.addSize(of: $0, to: &self) }
    }

    package mutating func field<let count: Int, P: Primitive>(_ name: StaticString, _ values: inout [count of P]) {
        values.span.withUnsafeBufferPointer { P.addSize(of: $0, to: &self) }
    }

    package mutating func field<M: Message>(_ name: StaticString, _ value: inout M) {
        add(&value)
    }

    package mutating func field<M: Message>(_ name: StaticString, _ values: inout [M]) {
        add(size: 4, alignment: 4)
        for value in values {
            var value = value
            add(&value)
        }
    }

    package mutating func field<let count: Int, M: Message>(_ name: StaticString, _ values: inout [count of M]) {
        for index in 0..<count { add(&values[index]) }
    }

    mutating func add<M: Message>(_ message: inout M) {
        let start = size
        message.visit(&self)
        // A message without fields is one byte.
        if size == start { size += 1 }
    }

    package mutating func add(size bytes: Int, alignment: Int) {
        size = (size &+ alignment &- 1) & ~(alignment &- 1)
        size &+= bytes
    }
}

/// Adds up the fewest bytes that a message takes in CDR, to judge a sequence's announced length.
struct MinimumSizeCounter: FieldVisitor {
    private(set) var size = 0

    static func minimumSize<M: Message>(of type: M.Type) -> Int {
        var counter = MinimumSizeCounter()
        var message = M()
        message.visit(&counter)
        return max(counter.size, 1)
    }

    mutating func field<P: Primitive>(_ name: StaticString, _ value: inout P) { size += P.minimumSize }
    mutating func field<P: Primitive>(_ name: StaticString, _ values: inout [P]) { size += 4 }
    mutating func field<let count: Int, P: Primitive>(_ name: StaticString, _ values: inout [count of P]) {
        size += count * P.minimumSize
    }
    mutating func field<M: Message>(_ name: StaticString, _ value: inout M) { size += Self.minimumSize(of: M.self) }
    mutating func field<M: Message>(_ name: StaticString, _ values: inout [M]) { size += 4 }
    mutating func field<let count: Int, M: Message>(_ name: StaticString, _ values: inout [count of M]) {
        size += count * Self.minimumSize(of: M.self)
    }
}
