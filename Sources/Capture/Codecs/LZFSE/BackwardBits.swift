/// A stream of bits that was written forwards and is read from its end to its beginning.
struct BackwardBits {
    private let bytes: UnsafeRawPointer
    /// The stream's first byte, with at least 16 bytes before it: a word that begins too early is still in the input.
    private let start: Int
    /// Where the bytes end that were not yet taken up.
    private var position: Int
    private var bits: UInt64 = 0
    private var count = 0

    /// - Parameter spareBits: How many of the last byte's upper bits were not written: 0 to 7.
    init(_ input: UnsafeRawBufferPointer, _ range: Range<Int>, spareBits: Int) throws(CodecError) {
        guard let base = input.baseAddress, range.lowerBound >= 16, range.upperBound <= input.count,
            (0...7).contains(spareBits)
        else { throw CodecError(.lzfse, at: range.lowerBound, "no place for a stream of bits") }
        bytes = base
        start = range.lowerBound
        position = range.upperBound
        refill()
        count -= spareBits
        guard bits >> UInt64(count) == 0 else {
            throw CodecError(.lzfse, at: range.upperBound, "expected \(spareBits) unused bits, found some that are set")
        }
    }

    /// True if no more bits were taken than there are.
    var isSound: Bool { (position &- start) &* 8 &+ count >= 0 }

    /// Takes up whole bytes, so that there are at least 56 bits; needed before each 56 that are taken.
    @inline(__always)
    mutating func refill() {
        let added = (63 &- count) & ~7
        // Behind the first byte there is nothing to take; what is taken nevertheless shows in `isSound`.
        let place = max(position &- 8, 0)
        let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self))
        bits = bits &<< UInt64(truncatingIfNeeded: added) | (word &>> 1) &>> UInt64(truncatingIfNeeded: 63 &- added)
        position &-= added &>> 3
        count &+= added
    }

    /// The next bits as a number; at most 56 between two refills.
    @inline(__always)
    mutating func take(_ number: Int) -> Int {
        count &-= number
        let taken = bits &>> UInt64(truncatingIfNeeded: count)
        bits &= (1 &<< UInt64(truncatingIfNeeded: count)) &- 1
        return Int(truncatingIfNeeded: taken)
    }
}
