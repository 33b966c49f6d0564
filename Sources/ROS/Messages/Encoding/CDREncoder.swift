import Text

/// Writes a message as XCDR1, little endian, into memory of exactly the size that ``SizeCounter`` found.
///
/// Primitives are aligned to their size, counted from after the header; gaps are zeros. It stores into memory itself,
/// as an appended number costs a check of capacity for each field.
package struct CDREncoder: FieldVisitor {
    /// The representation header: plain CDR, little endian, no options.
    package static let header: [4 of UInt8] = [0, 1, 0, 0]

    private let body: UnsafeMutableRawBufferPointer
    package private(set) var offset = 0

    package init(body: UnsafeMutableRawBufferPointer) {
        self.body = body
    }

    package mutating func field<P: Primitive>(_ name: StaticString, _ value: inout P) {
        value.encode(to: &self)
    }

    package mutating func field<P: Primitive>(_ name: StaticString, _ values: inout [P]) {
        write(UInt32(truncatingIfNeeded: values.count))
        values.withUnsafeBufferPointer { P.encode($0, to: &self) }
    }

    package mutating func field<let count: Int, P: Primitive>(_ name: StaticString, _ values: inout [count of P]) {
        values.span.withUnsafeBufferPointer { P.encode($0, to: &self) }
    }

    package mutating func field<M: Message>(_ name: StaticString, _ value: inout M) {
        encode(&value)
    }

    package mutating func field<M: Message>(_ name: StaticString, _ values: inout [M]) {
        write(UInt32(truncatingIfNeeded: values.count))
        for value in values {
            var value = value
            encode(&value)
        }
    }

    package mutating func field<let count: Int, M: Message>(_ name: StaticString, _ values: inout [count of M]) {
        for index in 0..<count { encode(&values[index]) }
    }

    mutating func encode<M: Message>(_ message: inout M) {
        let start = offset
        message.visit(&self)
        // A message without fields is one byte, as IDL has no empty structures.
        if offset == start { write(UInt8(0)) }
    }

    /// Writes one value at its alignment.
    package mutating func write<Value: BitwiseCopyable>(_ value: Value) {
        let size = MemoryLayout<Value>.size
        align(to: size)
        precondition(body.count &- offset >= size, "a message grew while it was encoded")
        body.storeBytes(of: value, toByteOffset: offset, as: Value.self)
        offset &+= size
    }

    /// Writes bytes as they are, at the alignment of the elements they hold.
    package mutating func write(_ bytes: UnsafeRawBufferPointer, alignment: Int) {
        guard bytes.count > 0 else { return }
        align(to: alignment)
        precondition(body.count &- offset >= bytes.count, "a message grew while it was encoded")
        UnsafeMutableRawBufferPointer(rebasing: body[offset...]).copyMemory(from: bytes)
        offset &+= bytes.count
    }

    private mutating func align(to alignment: Int) {
        while offset & (alignment &- 1) != 0 {
            precondition(offset < body.count, "a message grew while it was encoded")
            body[offset] = 0
            offset &+= 1
        }
    }
}

extension AnyMessage {
    /// The message as XCDR1 with its 4-byte header.
    package func encodedCDR() -> [UInt8] {
        var bytes: [UInt8] = []
        appendCDR(to: &bytes)
        return bytes
    }
}

extension Message {
    package var encodedCDRSize: Int {
        // The visit needs a variable; arrays are shared, not copied.
        var message = self
        var counter = SizeCounter()
        counter.add(&message)
        return CDREncoder.header.count + counter.size
    }

    package func appendCDR(to bytes: inout [UInt8]) {
        var message = self
        let size = encodedCDRSize
        bytes.append(size: size) { memory in
            for index in 0..<4 { memory[index] = CDREncoder.header[index] }
            var encoder = CDREncoder(body: UnsafeMutableRawBufferPointer(rebasing: memory[4...]))
            encoder.encode(&message)
            precondition(encoder.offset + 4 == size, "a message shrank while it was encoded")
            return size
        }
    }
}

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
