/// One element of Sec-WebSocket-Extensions: a name and its parameters in order (RFC 6455, 9.1).
struct ExtensionElement: Equatable, Sendable {
    struct Parameter: Equatable, Sendable {
        var name: String
        var value: String?
    }

    var name: String
    var parameters: [Parameter] = []
}

/// Parses Sec-WebSocket-Extensions, whose value may be spread over several fields.
///
/// Empty elements are skipped (RFC 9110, 5.6.1). Any other violation of the grammar is an error, because RFC 6455, 9.1
/// then requires the connection to fail.
struct ExtensionList {
    private let text: [UInt8]
    private var position = 0

    static func parse(_ values: [String]) throws(HandshakeError) -> [ExtensionElement] {
        var elements: [ExtensionElement] = []
        for value in values {
            var list = ExtensionList(text: Array(value.utf8))
            while !list.isAtEnd {
                guard !list.skip(UInt8(ascii: ",")) else { continue }
                guard let element = list.element(), list.isAtEnd || list.skip(UInt8(ascii: ",")) else {
                    throw .malformedExtensions(value)
                }
                elements.append(element)
            }
        }
        return elements
    }

    private init(text: [UInt8]) {
        self.text = text
        skipBlanks()
    }

    private var isAtEnd: Bool { position == text.count }

    private mutating func skipBlanks() {
        while position < text.count, text[position] == 0x20 || text[position] == 0x09 { position += 1 }
    }

    /// Skips a character and the white space after it; returns false if another character comes next.
    private mutating func skip(_ character: UInt8) -> Bool {
        guard position < text.count, text[position] == character else { return false }
        position += 1
        skipBlanks()
        return true
    }

    private mutating func element() -> ExtensionElement? {
        guard let name = token() else { return nil }
        var element = ExtensionElement(name: name)
        while skip(UInt8(ascii: ";")) {
            guard let name = token() else { return nil }
            var parameter = ExtensionElement.Parameter(name: name)
            if skip(UInt8(ascii: "=")) {
                guard let value = token() ?? quotedToken() else { return nil }
                parameter.value = value
            }
            element.parameters.append(parameter)
        }
        return element
    }

    private mutating func token() -> String? {
        let start = position
        while position < text.count, HTTPField.isTokenCharacter(text[position]) { position += 1 }
        guard position > start else { return nil }
        defer { skipBlanks() }
        return String(decoding: text[start..<position], as: UTF8.self)
    }

    /// A quoted token, in which a backslash escapes the next character.
    private mutating func quotedToken() -> String? {
        guard position < text.count, text[position] == UInt8(ascii: "\"") else { return nil }
        var unquoted: [UInt8] = []
        var index = position + 1
        while index < text.count, text[index] != UInt8(ascii: "\"") {
            if text[index] == UInt8(ascii: "\\") { index += 1 }
            guard index < text.count, HTTPField.isTokenCharacter(text[index]) else { return nil }
            unquoted.append(text[index])
            index += 1
        }
        guard index < text.count, !unquoted.isEmpty else { return nil }
        position = index + 1
        skipBlanks()
        return String(decoding: unquoted, as: UTF8.self)
    }
}
