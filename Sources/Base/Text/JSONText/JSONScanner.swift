/// Pulls values out of JSON text (RFC 8259, strict) without building a tree and without copying.
///
/// The caller asks for what it expects, in the order of the text:
///
///     try scanner.beginObject()
///     while let key = try scanner.nextKey() {
///         if key == "t" { time = try scanner.number() } else { try scanner.skipValue() }
///     }
///     try scanner.finish()
///
/// The bytes must outlive the scanner and every ``JSONString`` taken from it. Nothing is allocated but what is asked
/// for, and every failure says where it is.
package struct JSONScanner {
    /// The deepest nesting that is read; more is an error, so that hostile text cannot exhaust the stack.
    package static let maximumDepth = 128

    /// The whole text.
    package let bytes: UnsafeRawBufferPointer
    /// True if ``number()`` takes the tokens NaN, Infinity and -Infinity, which JSON does not have but rosbridge sends.
    package let allowsNonFinite: Bool
    /// The offset of the next byte to be read.
    package internal(set) var offset = 0

    private var depth = 0
    /// True if the innermost container was just opened, so that no comma is due.
    private var isAtStart = false

    package init(_ bytes: UnsafeRawBufferPointer, allowsNonFinite: Bool = false) {
        self.bytes = bytes
        self.allowsNonFinite = allowsNonFinite
    }

    /// Says what kind of value comes next, without reading it.
    package mutating func peek() throws(JSONError) -> JSONKind {
        skipWhitespace()
        switch nextByte {
        case UInt8(ascii: "{"): return .object
        case UInt8(ascii: "["): return .array
        case UInt8(ascii: "\""): return .string
        case UInt8(ascii: "t"), UInt8(ascii: "f"): return .bool
        case UInt8(ascii: "n"): return .null
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "N"), UInt8(ascii: "I"):
            return .number
        default: throw unexpected("a value")
        }
    }

    /// Enters an object; ``nextKey()`` leaves it.
    package mutating func beginObject() throws(JSONError) {
        try begin(UInt8(ascii: "{"), "an object")
    }

    /// Returns the next key of the object, or `nil` at its end.
    ///
    /// The value of a key must be read or skipped before the next call.
    package mutating func nextKey() throws(JSONError) -> JSONString? {
        guard try advance(closing: UInt8(ascii: "}"), "\",\" or \"}\"") else { return nil }
        guard nextByte == UInt8(ascii: "\"") else { throw unexpected("a key") }
        let key = try scanString()
        skipWhitespace()
        guard nextByte == UInt8(ascii: ":") else { throw unexpected("\":\"") }
        offset += 1
        return key
    }

    /// Enters an array; ``nextElement()`` leaves it.
    package mutating func beginArray() throws(JSONError) {
        try begin(UInt8(ascii: "["), "an array")
    }

    /// True if the array has another element, which must be read or skipped before the next call.
    package mutating func nextElement() throws(JSONError) -> Bool {
        try advance(closing: UInt8(ascii: "]"), "\",\" or \"]\"")
    }

    /// Reads `true` or `false`.
    package mutating func bool() throws(JSONError) -> Bool {
        skipWhitespace()
        if consume("true") { return true }
        if consume("false") { return false }
        throw unexpected("true or false")
    }

    /// Reads `null`.
    package mutating func null() throws(JSONError) {
        skipWhitespace()
        guard consume("null") else { throw unexpected("null") }
    }

    /// Passes over one value of any kind, checking it as strictly as if it were read.
    package mutating func skipValue() throws(JSONError) {
        switch try peek() {
        case .object:
            try beginObject()
            while try nextKey() != nil { try skipValue() }
        case .array:
            try beginArray()
            while try nextElement() { try skipValue() }
        case .string: _ = try scanString()
        case .number: try skipNumber()
        case .bool: _ = try bool()
        case .null: try null()
        }
    }

    /// Passes over one value and returns the bytes of it.
    package mutating func rawValue() throws(JSONError) -> UnsafeRawBufferPointer {
        skipWhitespace()
        let start = offset
        try skipValue()
        return UnsafeRawBufferPointer(rebasing: bytes[start..<offset])
    }

    /// Checks that nothing but white space is left.
    package mutating func finish() throws(JSONError) {
        skipWhitespace()
        guard offset == bytes.count else { throw unexpected("the end of the text") }
    }

    /// A scanner of the same text and nesting that reads on at a value's offset, such as one passed over before.
    package func scanner(at offset: Int) -> JSONScanner {
        var scanner = self
        scanner.offset = min(max(offset, 0), bytes.count)
        scanner.isAtStart = false
        return scanner
    }

    /// An error about the byte that comes next.
    package func unexpected(_ expected: String) -> JSONError {
        JSONError(offset: offset, expected: expected, found: excerpt(of: bytes, at: offset))
    }
}

// MARK: - Steps

extension JSONScanner {
    /// The next byte, or 0, which no JSON text has outside of an error.
    var nextByte: UInt8 { offset < bytes.count ? bytes[offset] : 0 }

    mutating func skipWhitespace() {
        while offset < bytes.count {
            let byte = bytes[offset]
            guard byte <= 0x20, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 else { return }
            offset += 1
        }
    }

    /// Reads the literal if it is next and nothing clings to it.
    mutating func consume(_ literal: StaticString) -> Bool {
        let length = literal.utf8CodeUnitCount
        guard bytes.count - offset >= length else { return false }
        for index in 0..<length where bytes[offset + index] != literal.utf8Start[index] { return false }
        offset += length
        return true
    }

    private mutating func begin(_ opening: UInt8, _ expected: String) throws(JSONError) {
        skipWhitespace()
        guard nextByte == opening else { throw unexpected(expected) }
        guard depth < Self.maximumDepth else {
            throw unexpected("at most \(Self.maximumDepth) levels of nesting")
        }
        offset += 1
        depth += 1
        isAtStart = true
    }

    /// Moves to the next member of the innermost container; false when the container ends here.
    private mutating func advance(closing: UInt8, _ expected: @autoclosure () -> String) throws(JSONError) -> Bool {
        skipWhitespace()
        if nextByte == closing {
            offset += 1
            depth -= 1
            isAtStart = false
            return false
        }
        if isAtStart {
            isAtStart = false
            return true
        }
        guard nextByte == UInt8(ascii: ",") else { throw unexpected(expected()) }
        offset += 1
        skipWhitespace()
        return true
    }
}
