/// Validates UTF-8 that arrives in pieces, and fails at the first invalid byte (RFC 3629).
struct UTF8Validator: Equatable, Sendable {
    /// Continuation bytes still expected, and the range of the next one (Unicode, table 3-7).
    private var remaining = 0
    private var lower: UInt8 = 0x80
    private var upper: UInt8 = 0xBF

    /// True if the bytes so far end with a complete character.
    var isComplete: Bool { remaining == 0 }

    /// Takes the next bytes and returns false if they cannot be part of UTF-8.
    mutating func accept(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var index = 0
        let count = bytes.count
        while index < count {
            if remaining == 0 {
                while index &+ 8 <= count,
                    bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self) & 0x8080_8080_8080_8080 == 0
                {
                    index &+= 8
                }
                guard index < count else { return true }
            }
            guard accept(bytes[index]) else { return false }
            index &+= 1
        }
        return true
    }

    private mutating func accept(_ byte: UInt8) -> Bool {
        if remaining > 0 {
            guard byte >= lower, byte <= upper else { return false }
            remaining -= 1
            lower = 0x80
            upper = 0xBF
            return true
        }
        switch byte {
        case 0x00...0x7F: return true
        case 0xC2...0xDF: expect(1)
        case 0xE0: expect(2, from: 0xA0)
        case 0xED: expect(2, through: 0x9F)
        case 0xE1...0xEF: expect(2)
        case 0xF0: expect(3, from: 0x90)
        case 0xF4: expect(3, through: 0x8F)
        case 0xF1...0xF3: expect(3)
        default: return false
        }
        return true
    }

    private mutating func expect(_ count: Int, from lower: UInt8 = 0x80, through upper: UInt8 = 0xBF) {
        remaining = count
        self.lower = lower
        self.upper = upper
    }
}
