extension Unicode.Scalar {
    /// Whether a terminal would obey the character, or reorder what stands around it, instead of showing it.
    var isUnsafeToPrint: Bool {
        switch value {
        case 0..<0x20, 0x7F..<0xA0: true
        // Line and paragraph separators, directional marks, byte order mark.
        case 0x2028, 0x2029, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069, 0x061C, 0xFEFF: true
        case 0xFFFE, 0xFFFF, 0xE0000...0xE0FFF: true
        default: false
        }
    }

    /// The character as JSON escapes it.
    var jsonEscapedText: String {
        guard value > 0xFFFF else { return escapedText }
        return String(self).utf16.map { "\\u" + String($0, radix: 16, uppercase: true) }.joined()
    }

    /// The character as YAML's double-quoted strings escape it; JSON does so too for what lies in the basic plane.
    var escapedText: String {
        switch self {
        case "\"": return "\\\""
        case "\\": return "\\\\"
        case "\n": return "\\n"
        case "\t": return "\\t"
        case "\r": return "\\r"
        default:
            let digits = String(value, radix: 16, uppercase: true)
            let width = value > 0xFFFF ? 8 : 4
            return (width == 8 ? "\\U" : "\\u") + String(repeating: "0", count: width - digits.count) + digits
        }
    }
}
