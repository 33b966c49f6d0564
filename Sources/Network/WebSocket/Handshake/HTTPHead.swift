/// A field of an HTTP message.
package struct HTTPField: Equatable, Sendable {
    package var name: String
    package var value: String

    package init(_ name: String, _ value: String) { (self.name, self.value) = (name, value) }

    /// True if the name is a token and the value has no control characters (RFC 9110, 5.1 and 5.5).
    package var isValid: Bool {
        !name.isEmpty && name.utf8.allSatisfy(HTTPField.isTokenCharacter)
            && HTTPField.isText(value)
    }

    /// True if a text has no control characters, which could inject a line or a terminal sequence.
    static func isText(_ text: String) -> Bool {
        text.utf8.allSatisfy { $0 == 0x09 || ($0 >= 0x20 && $0 != 0x7F) }
    }

    /// True if a byte is allowed in a token (RFC 9110, 5.6.2).
    static func isTokenCharacter(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        case UInt8(ascii: "a")...UInt8(ascii: "z"): true
        default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
        }
    }
}

/// The start line and the fields of an HTTP/1.1 message.
package struct HTTPHead: Equatable, Sendable {
    package var startLine: String
    package var fields: [HTTPField]

    /// The values of all fields with this name, compared without regard to case.
    package func values(_ name: String) -> [String] {
        fields.filter { $0.name.lowercased() == name.lowercased() }.map(\.value)
    }

    /// The members of a comma-separated list that may be spread over several fields (RFC 9110, 5.6.1).
    package func tokens(_ name: String) -> [String] {
        values(name).flatMap { $0.split(separator: ",") }.map { trimmed(String($0)) }.filter { !$0.isEmpty }
    }

    func hasToken(_ token: String, in name: String) -> Bool {
        tokens(name).contains { $0.lowercased() == token }
    }

    /// Reads everything before the empty line.
    init(block: ArraySlice<UInt8>) throws(HandshakeError) {
        var lines = HTTPHead.lines(of: block)
        guard !lines.isEmpty else { throw .malformedHead("") }
        startLine = lines.removeFirst()
        guard HTTPField.isText(startLine) else { throw .malformedHead(startLine) }
        fields = []
        for line in lines {
            guard let colon = line.utf8.firstIndex(of: UInt8(ascii: ":")) else { throw .malformedHead(line) }
            let field = HTTPField(String(line[..<colon]), trimmed(String(line[line.index(after: colon)...])))
            guard field.isValid else { throw .malformedHead(line) }
            fields.append(field)
        }
    }

    private static func lines(of block: ArraySlice<UInt8>) -> [String] {
        var lines: [String] = []
        var start = block.startIndex
        for index in block.indices where block[index] == 0x0A && index > start && block[index - 1] == 0x0D {
            lines.append(String(decoding: block[start..<(index - 1)], as: UTF8.self))
            start = index + 1
        }
        if start < block.endIndex { lines.append(String(decoding: block[start...], as: UTF8.self)) }
        return lines
    }
}

private func trimmed(_ text: String) -> String {
    let isBlank = { (byte: UInt8) in byte == 0x20 || byte == 0x09 }
    let bytes = Array(text.utf8)
    guard let first = bytes.firstIndex(where: { !isBlank($0) }), let last = bytes.lastIndex(where: { !isBlank($0) })
    else { return "" }
    return String(decoding: bytes[first...last], as: UTF8.self)
}

/// Collects the heads of HTTP messages from pieces of any size, within one limit for all heads together.
struct HTTPHeadParser {
    let maximumLength: Int
    /// The required first bytes: a peer that does not speak HTTP is refused at once, not after a timeout.
    let expectedPrefix: [UInt8]

    private var block: [UInt8] = []
    private var length = 0

    init(maximumLength: Int, expectedPrefix: String = "") {
        self.maximumLength = maximumLength
        self.expectedPrefix = Array(expectedPrefix.utf8)
    }

    /// Takes bytes from `position` on, up to the end of the head, and advances `position`.
    mutating func next(in bytes: RawSpan, from position: inout Int) throws(HandshakeError) -> HTTPHead? {
        while position < bytes.byteCount {
            let byte = bytes.unsafeLoad(fromByteOffset: position, as: UInt8.self)
            position += 1
            block.append(byte)
            length += 1
            guard block.count > expectedPrefix.count || expectedPrefix[block.count - 1] == byte else {
                throw .notHTTP(String(decoding: block, as: UTF8.self))
            }
            guard length <= maximumLength else { throw .headTooLong(limit: maximumLength) }
            if byte == 0x0A, block.suffix(4) == [0x0D, 0x0A, 0x0D, 0x0A] {
                defer { block = [] }
                return try HTTPHead(block: block.dropLast(4))
            }
        }
        return nil
    }
}
