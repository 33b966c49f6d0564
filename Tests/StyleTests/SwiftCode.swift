/// Swift source without what does not run: comments and the insides of string literals.
///
/// Good enough for house rules, not for a compiler: what stands inside of an interpolation counts as text.
enum SwiftCode {
    static func lines(of text: String) -> [String] {
        var isInMultilineString = false
        return text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
            let marks = line.ranges(of: "\"\"\"").count
            if isInMultilineString {
                if marks % 2 == 1 { isInMultilineString = false }
                return ""
            }
            if marks % 2 == 1 {
                isInMultilineString = true
                return stripped(line.prefix { $0 != "\"" })
            }
            return stripped(line)
        }
    }

    /// One line without its comment and without the insides of its literals.
    private static func stripped(_ line: Substring) -> String {
        // Most lines have neither; the others are walked byte by byte, as there are many.
        guard line.utf8.contains(where: { $0 == quote || $0 == slash }) else { return String(line) }
        var code: [UInt8] = []
        var isInString = false
        var isEscaped = false
        var previous: UInt8 = 0
        for byte in line.utf8 {
            if isInString {
                if isEscaped {
                    isEscaped = false
                } else if byte == backslash {
                    isEscaped = true
                } else if byte == quote {
                    isInString = false
                    code.append(byte)
                }
            } else if byte == slash, previous == slash {
                code.removeLast()
                break
            } else {
                if byte == quote { isInString = true }
                code.append(byte)
            }
            previous = byte
        }
        return String(decoding: code, as: UTF8.self)
    }

    private static let quote = UInt8(ascii: "\"")
    private static let slash = UInt8(ascii: "/")
    private static let backslash = UInt8(ascii: "\\")
}
