extension JSONScanner {
    /// Reads a string and returns its value.
    package mutating func string() throws(JSONError) -> String {
        try stringToken().string
    }

    /// Reads a string and returns it as it stands in the text, without copying.
    package mutating func stringToken() throws(JSONError) -> JSONString {
        skipWhitespace()
        guard nextByte == UInt8(ascii: "\"") else { throw unexpected("a string") }
        return try scanString()
    }

    /// Reads a string and returns its bytes where they stand, or `nil` if it has escapes.
    package mutating func stringBytes() throws(JSONError) -> UnsafeRawBufferPointer? {
        try stringToken().bytes
    }

    /// Reads from the opening quote to the closing one, checking control characters, escapes and UTF-8.
    mutating func scanString() throws(JSONError) -> JSONString {
        offset += 1
        let start = offset
        var hasEscapes = false
        while true {
            skipPlainBytes()
            guard offset < bytes.count else { throw unexpected("the closing quote of a string") }
            switch bytes[offset] {
            case UInt8(ascii: "\""):
                let raw = UnsafeRawBufferPointer(rebasing: bytes[start..<offset])
                offset += 1
                return JSONString(raw: raw, hasEscapes: hasEscapes)
            case UInt8(ascii: "\\"):
                hasEscapes = true
                try skipEscape()
            case 0..<0x20: throw unexpected("no control character in a string")
            default: try skipMultibyteCharacter()
            }
        }
    }

    /// Passes over printable ASCII but quote and backslash: eight bytes at a time, as images come as strings of megabytes.
    private mutating func skipPlainBytes() {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let tops: UInt64 = 0x8080_8080_8080_8080
        var index = offset
        while bytes.count &- index >= 8 {
            let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self))
            let quote = word ^ (ones &* 0x22)
            let backslash = word ^ (ones &* 0x5C)
            // A byte's top bit is set where the byte is zero after the exclusive or, below 0x20, or not ASCII. A borrow can
            // only make false hits above a true one, so the lowest is exact.
            let special =
                ((quote &- ones) & ~quote | (backslash &- ones) & ~backslash | (word &- ones &* 0x20) & ~word | word)
                & tops
            if special != 0 {
                offset = index &+ special.trailingZeroBitCount &>> 3
                return
            }
            index &+= 8
        }
        while index < bytes.count {
            let byte = bytes[index]
            guard byte >= 0x20, byte < 0x80, byte != 0x22, byte != 0x5C else { break }
            index &+= 1
        }
        offset = index
    }

    private mutating func skipEscape() throws(JSONError) {
        offset += 1
        switch nextByte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
            UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            offset += 1
        case UInt8(ascii: "u"):
            let unit = try skipHexadecimal()
            guard unit & 0xF800 == 0xD800 else { return }
            // Outside the basic plane a character is a pair of escapes (RFC 8259, 7); half a pair is no character.
            guard unit & 0xFC00 == 0xD800, nextByte == UInt8(ascii: "\\") else { throw unexpected("a surrogate pair") }
            offset += 1
            guard nextByte == UInt8(ascii: "u") else { throw unexpected("a surrogate pair") }
            guard try skipHexadecimal() & 0xFC00 == 0xDC00 else { throw unexpected("a surrogate pair") }
        default: throw unexpected("an escape")
        }
    }

    private mutating func skipHexadecimal() throws(JSONError) -> UInt32 {
        offset += 1
        guard let unit = hexadecimal(bytes, at: offset) else { throw unexpected("four hexadecimal digits") }
        offset += 4
        return unit
    }

    /// Passes over one character of two to four bytes, by the table of RFC 3629, clause 4.
    private mutating func skipMultibyteCharacter() throws(JSONError) {
        let length: Int
        let second: ClosedRange<UInt8>
        switch bytes[offset] {
        case 0xC2...0xDF: (length, second) = (2, 0x80...0xBF)
        case 0xE0: (length, second) = (3, 0xA0...0xBF)
        case 0xED: (length, second) = (3, 0x80...0x9F)
        case 0xE1...0xEF: (length, second) = (3, 0x80...0xBF)
        case 0xF0: (length, second) = (4, 0x90...0xBF)
        case 0xF1...0xF3: (length, second) = (4, 0x80...0xBF)
        case 0xF4: (length, second) = (4, 0x80...0x8F)
        default: throw unexpected("UTF-8")
        }
        guard bytes.count - offset >= length, second.contains(bytes[offset + 1]) else { throw unexpected("UTF-8") }
        for index in 2..<max(length, 2) where bytes[offset + index] & 0xC0 != 0x80 { throw unexpected("UTF-8") }
        offset += length
    }
}
