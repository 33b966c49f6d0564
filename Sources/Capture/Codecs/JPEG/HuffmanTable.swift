/// A Huffman table of a baseline JPEG, ready for look-ups (T.81, annex C and F.2.2.3).
///
/// Owns plain memory, so that the innermost loops touch neither reference counts nor array bounds.
final class HuffmanTable {
    /// The number of bits that a first look-up sees.
    static let lookUpBits = 10
    /// The number of bits that a look-up of several AC symbols at once sees.
    static let skipBits = 13

    /// The definition this was made from: 16 counts and the symbols.
    let definition: [UInt8]
    private let lookUp: UnsafeMutablePointer<UInt16>
    private let skip: UnsafeMutablePointer<UInt16>
    /// The largest code of each length, left-aligned in 16 bits, plus one; and the offset from a code to its symbol.
    private let ends: UnsafeMutablePointer<Int>
    private let offsets: UnsafeMutablePointer<Int>
    private let symbols: UnsafeMutablePointer<UInt8>

    /// Quick access to a table, for as long as that lives.
    struct View {
        /// For the next ten bits: length << 8 | symbol, or 0 where the code is longer, or there is none.
        let lookUp: UnsafePointer<UInt16>
        /// For the next thirteen bits, as many AC symbols as they hold whole codes of, or 0.
        ///
        /// Bits 0 to 4: what to consume, with the symbols' values; 5 to 10: how far they move in the block; 11: whether the
        /// last one ends the block.
        let skip: UnsafePointer<UInt16>
        fileprivate let ends: UnsafePointer<Int>
        fileprivate let offsets: UnsafePointer<Int>
        fileprivate let symbols: UnsafePointer<UInt8>

        /// The code of more than ten bits at the start of sixteen: length << 8 | symbol, or 0.
        @inline(never)
        func longCode(_ bits: Int) -> Int {
            for length in (HuffmanTable.lookUpBits + 1)...16 where bits < ends[length] {
                let place = (bits >> (16 - length)) + offsets[length]
                return (0..<256).contains(place) ? length << 8 | Int(symbols[place]) : 0
            }
            return 0
        }
    }

    var view: View {
        View(lookUp: lookUp, skip: skip, ends: ends, offsets: offsets, symbols: symbols)
    }

    /// `nil` where the counts are no prefix code.
    init?(definition: [UInt8]) {
        guard definition.count >= 16, definition.count <= 16 + 256, HuffmanTable.isPrefixCode(definition) else {
            return nil
        }
        self.definition = definition
        lookUp = .allocate(capacity: 1 << HuffmanTable.lookUpBits)
        lookUp.initialize(repeating: 0, count: 1 << HuffmanTable.lookUpBits)
        skip = .allocate(capacity: 1 << HuffmanTable.skipBits)
        skip.initialize(repeating: 0, count: 1 << HuffmanTable.skipBits)
        ends = .allocate(capacity: 17)
        ends.initialize(repeating: 0, count: 17)
        offsets = .allocate(capacity: 17)
        offsets.initialize(repeating: 0, count: 17)
        symbols = .allocate(capacity: 256)
        symbols.initialize(repeating: 0, count: 256)
        fillCodes()
        fillSkips()
    }

    deinit {
        lookUp.deallocate()
        skip.deallocate()
        ends.deallocate()
        offsets.deallocate()
        symbols.deallocate()
    }

    private static func isPrefixCode(_ definition: [UInt8]) -> Bool {
        var code = 0
        var count = 0
        for length in 1...16 {
            let codes = Int(definition[length - 1])
            code += codes
            count += codes
            // Annex C: no code is all ones.
            guard codes == 0 || code < 1 << length else { return false }
            code <<= 1
        }
        return definition.count == 16 + count
    }

    private func fillCodes() {
        var code = 0
        var place = 0
        for length in 1...16 {
            offsets[length] = place - code
            for _ in 0..<Int(definition[length - 1]) {
                let symbol = definition[16 + place]
                symbols[place] = symbol
                if length <= HuffmanTable.lookUpBits {
                    let shift = HuffmanTable.lookUpBits - length
                    let entry = UInt16(length) << 8 | UInt16(symbol)
                    for rest in 0..<(1 << shift) { lookUp[code << shift | rest] = entry }
                }
                code += 1
                place += 1
            }
            ends[length] = code << (16 - length)
            code <<= 1
        }
    }

    private func fillSkips() {
        let bits = HuffmanTable.skipBits
        for window in 0..<(1 << bits) {
            var used = 0
            var move = 0
            var isEnd = false
            while used < bits, move <= 63, !isEnd {
                // The bits that are left, with zeros behind them: only codes that lie in them count.
                let left = (window << used) & ((1 << bits) - 1)
                let entry = lookUp[left >> (bits - HuffmanTable.lookUpBits)]
                let length = Int(entry >> 8)
                if length == 0 || length > bits - used { break }
                let (run, size) = (Int(entry >> 4 & 15), Int(entry & 15))
                used += length + size
                // F.2.2.1: a size of 0 is the end of the block, but for a run of 15, which is sixteen zeros.
                isEnd = size == 0 && run < 15
                if !isEnd { move += run + 1 }
            }
            skip[window] = move > 63 ? 0 : UInt16(used | move << 5 | (isEnd ? 1 << 11 : 0))
        }
    }
}

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
