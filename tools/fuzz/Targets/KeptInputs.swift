/// Inputs as a text, a line each: what was learned is kept in the repository, where a change of it can be read.
///
/// Printable characters are themselves; others and the backslash are `\0`, `\n`, `\r`, `\t`, `\\` or `\xHH`.
package enum KeptInputs {
    /// - Returns: nil where a line is not of this form.
    package static func inputs(in text: [UInt8]) -> [[UInt8]]? {
        var lines = text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        // Each line ends with a newline.
        guard lines.popLast()?.isEmpty ?? true else { return nil }
        let inputs = lines.compactMap(input)
        return inputs.count == lines.count ? inputs : nil
    }

    package static func text(of inputs: [[UInt8]]) -> [UInt8] {
        inputs.flatMap { $0.flatMap(escaped) + [UInt8(ascii: "\n")] }
    }

    /// The smallest first, each once, and no more than a number of bytes in all.
    package static func chosen(from inputs: [[UInt8]], limit: Int) -> [[UInt8]] {
        var rest = limit
        let sorted = Set(inputs).sorted { a, b in
            a.count != b.count ? a.count < b.count : a.lexicographicallyPrecedes(b)
        }
        return Array(
            sorted.prefix { input in
                rest -= input.count
                return rest >= 0
            }
        )
    }

    private static let short: [UInt8: UInt8] = [
        0: UInt8(ascii: "0"), 10: UInt8(ascii: "n"), 13: UInt8(ascii: "r"), 9: UInt8(ascii: "t"), backslash: backslash,
    ]
    private static let long = Dictionary(uniqueKeysWithValues: short.map { ($0.value, $0.key) })
    private static let backslash = UInt8(ascii: "\\")

    private static func escaped(_ byte: UInt8) -> [UInt8] {
        if let letter = short[byte] { return [backslash, letter] }
        if (0x20...0x7E).contains(byte) { return [byte] }
        return Array(((byte < 16 ? "\\x0" : "\\x") + String(byte, radix: 16)).utf8)
    }

    private static func input(_ line: ArraySlice<UInt8>) -> [UInt8]? {
        var bytes: [UInt8] = []
        var rest = line
        while let byte = rest.popFirst() {
            guard byte == backslash else {
                bytes.append(byte)
                continue
            }
            guard let letter = rest.popFirst() else { return nil }
            if let byte = long[letter] {
                bytes.append(byte)
            } else {
                let digits = String(decoding: rest.prefix(2), as: UTF8.self)
                guard letter == UInt8(ascii: "x"), digits.utf8.count == 2, let byte = UInt8(digits, radix: 16) else {
                    return nil
                }
                bytes.append(byte)
                rest = rest.dropFirst(2)
            }
        }
        return bytes
    }
}
