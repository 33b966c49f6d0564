import Platform

struct LZFSEHeader {
    /// One of a block's two streams of bits.
    struct Stream {
        /// Literals, or matches with the literals before them.
        var count = 0
        var byteCount = 0
        /// How many upper bits of the last byte are not used: 0 to 7.
        var spareBits = 0
    }

    static let literalLimit = 40_000
    static let matchLimit = 10_000
    /// How many states the tables of literal lengths, match lengths, distances and literals have.
    static let stateCounts = (lengths: 64, matches: 64, distances: 256, literals: 1024)
    private static let symbolCount = 360

    /// The size of the header itself.
    let byteCount: Int
    let rawByteCount: Int
    private(set) var literals = Stream()
    private(set) var matches = Stream()
    /// Where the four states begin that take turns at the literals.
    private(set) var literalStates: [Int] = []
    private(set) var lengthState = 0
    private(set) var matchState = 0
    private(set) var distanceState = 0
    /// The frequencies of 20 literal lengths, 20 match lengths, 64 distances and 256 literals.
    private let frequencies: [UInt16]

    var lengthFrequencies: ArraySlice<UInt16> { frequencies[0..<20] }
    var matchFrequencies: ArraySlice<UInt16> { frequencies[20..<40] }
    var distanceFrequencies: ArraySlice<UInt16> { frequencies[40..<104] }
    var literalFrequencies: ArraySlice<UInt16> { frequencies[104...] }

    /// `bvx1`: 772 bytes, each number in a place of its own.
    init(plain reader: ByteReader, at offset: Int) throws(CodecError) {
        byteCount = 772
        guard offset + byteCount <= reader.count else { throw Self.endOfStream(offset) }
        func long(_ place: Int) -> Int { reader.uint32(at: offset + place) ?? 0 }
        func short(_ place: Int) -> Int { reader.uint16(at: offset + place) ?? 0 }
        func spareBits(_ place: Int) -> Int { -Int(Int32(truncatingIfNeeded: long(place))) }
        rawByteCount = long(4)
        literals = Stream(count: long(12), byteCount: long(20), spareBits: spareBits(28))
        matches = Stream(count: long(16), byteCount: long(24), spareBits: spareBits(40))
        literalStates = (0..<4).map { short(32 + 2 * $0) }
        (lengthState, matchState, distanceState) = (short(44), short(46), short(48))
        frequencies = (0..<Self.symbolCount).map { UInt16(truncatingIfNeeded: short(50 + 2 * $0)) }
    }

    /// `bvx2`: three words of bit fields, then frequencies in a prefix code.
    init(packed reader: ByteReader, at offset: Int) throws(CodecError) {
        guard let rawByteCount = reader.uint32(at: offset + 4),
            let first = reader.uint64(at: offset + 8),
            let second = reader.uint64(at: offset + 16), let third = reader.uint64(at: offset + 24)
        else { throw Self.endOfStream(offset) }
        func field(_ word: UInt64, _ place: UInt64, _ bits: UInt64) -> Int { Int(word >> place & (1 << bits - 1)) }
        self.rawByteCount = rawByteCount
        literals = Stream(
            count: field(first, 0, 20),
            byteCount: field(first, 20, 20),
            spareBits: 7 - field(first, 60, 3)
        )
        matches = Stream(
            count: field(first, 40, 20),
            byteCount: field(second, 40, 20),
            spareBits: 7 - field(second, 60, 3)
        )
        literalStates = [0, 10, 20, 30].map { field(second, $0, 10) }
        (lengthState, matchState, distanceState) = (field(third, 32, 10), field(third, 42, 10), field(third, 52, 10))
        byteCount = field(third, 0, 32)
        guard byteCount >= 32, byteCount <= reader.count - offset else {
            throw CodecError(.lzfse, at: offset, "a header of \(byteCount) bytes does not fit")
        }
        frequencies = try Self.unpack(reader, offset + 32..<offset + byteCount)
    }

    /// Throws unless the numbers are such as a block may have.
    func check(at offset: Int) throws(CodecError) {
        let states = Self.stateCounts
        guard literals.count <= min(Self.literalLimit, rawByteCount + 3), matches.count <= Self.matchLimit else {
            let counts = "\(literals.count) literals and \(matches.count) matches for \(rawByteCount) bytes"
            throw CodecError(.lzfse, at: offset, "no block has \(counts)")
        }
        guard literalStates.allSatisfy({ $0 < states.literals }), lengthState < states.lengths,
            matchState < states.matches, distanceState < states.distances
        else { throw CodecError(.lzfse, at: offset, "a state beyond its table") }
    }

    /// Reads all frequencies, lowest bits first.
    private static func unpack(_ reader: ByteReader, _ range: Range<Int>) throws(CodecError) -> [UInt16] {
        // None at all stands for zeros.
        if range.isEmpty { return [UInt16](repeating: 0, count: symbolCount) }
        var (bits, count, place): (UInt32, Int, Int) = (0, 0, range.lowerBound)
        var frequencies: [UInt16] = []
        frequencies.reserveCapacity(symbolCount)
        for _ in 0..<symbolCount {
            while count <= 24, place < range.upperBound, let byte = reader.byte(at: place) {
                bits |= UInt32(byte) << UInt32(count)
                (count, place) = (count + 8, place + 1)
            }
            let (frequency, length) = frequency(bits)
            guard length <= count else { throw CodecError(.lzfse, at: place, "the table of frequencies ends early") }
            frequencies.append(UInt16(frequency))
            bits >>= UInt32(length)
            count -= length
        }
        guard place == range.upperBound, count < 8 else {
            throw CodecError(.lzfse, at: place, "the table of frequencies does not fill its header")
        }
        return frequencies
    }

    /// A prefix code: the more ones in front, the more bits follow and the larger is the number.
    private static func frequency(_ bits: UInt32) -> (value: UInt32, length: Int) {
        switch (~bits).trailingZeroBitCount {
        case 0: (bits >> 1 & 1, 2)
        case 1: (2 + bits >> 2 & 1, 3)
        case 2: (4 + bits >> 3 & 3, 5)
        case 3: (8 + bits >> 4 & 15, 8)
        default: (24 + bits >> 4 & 1023, 14)
        }
    }

    private static func endOfStream(_ offset: Int) -> CodecError {
        CodecError(.lzfse, at: offset, "expected the header of a block, found the end of the stream")
    }
}
