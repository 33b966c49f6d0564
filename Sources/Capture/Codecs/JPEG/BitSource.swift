/// Reads bits, the highest first, from memory that is readable for eight bytes beyond every place that is asked for.
struct BitSource {
    private var next: UnsafeRawPointer
    /// The bits to come, left-aligned; `count` of them are there.
    private var bits: UInt64 = 0
    private var count = 0

    @inline(__always)
    init(_ start: UnsafeRawPointer) {
        next = start
    }

    /// Makes at least 56 bits available.
    @inline(__always)
    mutating func refill() {
        bits |= next.loadUnaligned(as: UInt64.self).bigEndian &>> UInt64(truncatingIfNeeded: count)
        next += (63 &- count) &>> 3
        count |= 56
    }

    /// Makes at least 32 bits available.
    @inline(__always)
    mutating func ensure() {
        if count < 32 { refill() }
    }

    @inline(__always)
    func peek(_ length: Int) -> Int {
        Int(truncatingIfNeeded: bits &>> UInt64(truncatingIfNeeded: 64 &- length))
    }

    @inline(__always)
    mutating func consume(_ length: Int) {
        bits &<<= UInt64(truncatingIfNeeded: length)
        count &-= length
    }

    /// The next `length` bits, at least one, as the signed number that T.81, F.2.2.1 makes of them.
    @inline(__always)
    mutating func value(_ length: Int) -> Int {
        let raw = peek(length)
        consume(length)
        // A first bit of 0 means a negative number.
        let isNegative = (raw &>> (length &- 1)) ^ 1
        return raw &- (((1 &<< length) &- 1) & (0 &- isNegative))
    }

    /// The number of bits that were used, from a place on.
    @inline(__always)
    func bitsUsed(since start: UnsafeRawPointer) -> Int {
        (next - start) &* 8 &- count
    }
}
