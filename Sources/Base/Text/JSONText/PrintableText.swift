extension Unicode.Scalar {
    /// True if a terminal would obey the character, or reorder what stands around it, instead of showing it.
    package var isUnsafeToPrint: Bool {
        switch value {
        case 0..<0x20, 0x7F..<0xA0: true
        // Line and paragraph separators, directional marks, byte order mark.
        case 0x2028, 0x2029, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069, 0x061C, 0xFEFF: true
        case 0xFFFE, 0xFFFF, 0xE0000...0xE0FFF: true
        default: false
        }
    }

    /// The character by its number, as JSON escapes it.
    package func numberEscape(uppercase: Bool = false) -> String {
        String(self).utf16.map { unit in
            let digits = String(unit, radix: 16, uppercase: uppercase)
            return "\\u" + String(repeating: "0", count: 4 - digits.utf8.count) + digits
        }
        .joined()
    }
}

extension String {
    /// The text with everything escaped that a terminal would obey instead of showing it, but for line feeds and tabs.
    ///
    /// The escapes are JSON's, so that a JSON text keeps its meaning.
    package var withControlsEscaped: String { escaping { $0.isUnsafeToPrint && $0 != "\n" && $0 != "\t" } }

    /// The same for a text that has to stay on its line.
    package var asOneLine: String { escaping(\.isUnsafeToPrint) }

    private func escaping(_ isEscaped: (Unicode.Scalar) -> Bool) -> String {
        guard unicodeScalars.contains(where: isEscaped) else { return self }
        var result = ""
        for scalar in unicodeScalars {
            result += isEscaped(scalar) ? scalar.numberEscape(uppercase: true) : String(scalar)
        }
        return result
    }
}
