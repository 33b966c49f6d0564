extension Unicode.Scalar {
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
