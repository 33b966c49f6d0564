/// A table of finite-state entropy: what each state stands for, and how the next state is found.
struct EntropyTable {
    /// One state, packed: how many bits to take (8), how many of them belong to the value (8), what the rest is added to
    /// for the next state (16), and the least value (32).
    typealias Entry = UInt64

    private let entries: UnsafeMutablePointer<Entry>
    /// A power of two.
    let stateCount: Int

    init(_ entries: UnsafeMutablePointer<Entry>, stateCount: Int) {
        self.entries = entries
        self.stateCount = stateCount
    }

    /// Gives each symbol as many states as its frequency says, in the order of the symbols.
    ///
    /// A symbol of frequency f gets to its next state by k or k - 1 bits, where 2^k is the largest power with
    /// f * 2^k < 2 * states: its first states take one bit more, and together they reach each state once.
    ///
    /// - Parameter alphabet: For each symbol the least value that it stands for, and how many more bits the value has.
    /// - Returns: True if the frequencies add up to the number of states.
    func fill(_ frequencies: ArraySlice<UInt16>, _ alphabet: [EntropyAlphabet.Symbol]) -> Bool {
        guard frequencies.reduce(0, { $0 + Int($1) }) == stateCount else { return false }
        var state = 0
        for (frequency, symbol) in zip(frequencies, alphabet) where frequency > 0 {
            let frequency = Int(frequency)
            let shift = frequency.leadingZeroBitCount - stateCount.leadingZeroBitCount
            let longer = ((2 * stateCount) >> shift) - frequency
            for place in 0..<frequency {
                let isLonger = place < longer
                let bits = isLonger ? shift : shift - 1
                let origin = isLonger ? ((frequency + place) << shift) - stateCount : (place - longer) << bits
                entries[state] = Self.entry(bits: bits, next: origin, symbol)
                state += 1
            }
        }
        return true
    }

    private static func entry(bits: Int, next: Int, _ symbol: EntropyAlphabet.Symbol) -> Entry {
        UInt64(bits + symbol.extraBits) | UInt64(symbol.extraBits) << 8 | UInt64(next) << 16
            | UInt64(symbol.value) << 32
    }

    /// The value of a state and, from the stream, its lower bits; then goes to the next state.
    @inline(__always)
    func next(_ state: inout Int, _ bits: inout BackwardBits) -> Int {
        let entry = entries[state]
        let taken = bits.take(Int(truncatingIfNeeded: entry & 0xFF))
        let extraBits = (entry &>> 8) & 0xFF
        let lower = taken & Int(truncatingIfNeeded: (1 &<< extraBits) &- 1)
        // Sums are below the number of states by the way the table is filled: the mask holds whatever comes.
        state =
            (Int(truncatingIfNeeded: (entry &>> 16) & 0xFFFF) &+ taken &>> Int(truncatingIfNeeded: extraBits))
            & (stateCount &- 1)
        return Int(truncatingIfNeeded: entry &>> 32) &+ lower
    }

    /// The same for literals, whose values have no lower bits.
    @inline(__always)
    func nextLiteral(_ state: inout Int, _ bits: inout BackwardBits) -> UInt8 {
        let entry = entries[state]
        let taken = bits.take(Int(truncatingIfNeeded: entry & 0xFF))
        state = (Int(truncatingIfNeeded: (entry &>> 16) & 0xFFFF) &+ taken) & (stateCount &- 1)
        return UInt8(truncatingIfNeeded: entry &>> 32)
    }
}

/// The values that the symbols of a table stand for.
enum EntropyAlphabet {
    struct Symbol: Sendable {
        /// The least value.
        var value: UInt32
        /// How many lower bits the stream has for it.
        var extraBits: Int
    }

    /// How many literals come before a match: 0 to 315.
    static let literalLengths = contiguous([Int](repeating: 0, count: 16) + [2, 3, 5, 8])
    /// How many bytes a match repeats: 0 to 2359.
    static let matchLengths = contiguous([Int](repeating: 0, count: 16) + [3, 5, 8, 11])
    /// From how far back: 0, which stands for the distance before, to 262139.
    static let distances = contiguous((0..<64).map { $0 / 4 })
    static let literals = contiguous([Int](repeating: 0, count: 256))

    /// Symbols that cover all values from 0 on without a gap.
    private static func contiguous(_ extraBits: [Int]) -> [Symbol] {
        var value: UInt32 = 0
        return extraBits.map { bits in
            defer { value += 1 << UInt32(bits) }
            return Symbol(value: value, extraBits: bits)
        }
    }
}

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
