import Text

extension Unicode.Scalar {
    /// The character as JSON escapes it.
    var jsonEscapedText: String {
        value > 0xFFFF ? numberEscape(uppercase: true) : escapedText
    }

    /// The character as YAML's double-quoted strings escape it; JSON does so too for what lies in the basic plane.
    var escapedText: String {
        switch self {
        case "\"": return "\\\""
        case "\\": return "\\\\"
        case "\n": return "\\n"
        case "\t": return "\\t"
        case "\r": return "\\r"
        case _ where value <= 0xFFFF: return numberEscape(uppercase: true)
        default:
            let digits = String(value, radix: 16, uppercase: true)
            return "\\U" + String(repeating: "0", count: 8 - digits.count) + digits
        }
    }
}
