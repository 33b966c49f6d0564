import Text

/// A number as YAML 1.1 reads it.
func yamlText(_ value: Double) -> String {
    if value.isNaN { return ".nan" }
    if value.isInfinite { return value < 0 ? "-.inf" : ".inf" }
    let text = value.description
    // YAML 1.1 takes 1e-05 for a string.
    guard !text.utf8.contains(UInt8(ascii: ".")), let exponent = text.firstIndex(of: "e") else { return text }
    return text[..<exponent] + ".0" + text[exponent...]
}

/// A string as YAML: as it is where nothing else could be meant, else in single quotes; in double quotes with escapes if
/// a terminal would obey a character of it.
func yamlText(_ text: String) -> String {
    if text.unicodeScalars.contains(where: { $0.isUnsafeToPrint }) {
        var result = "\""
        for scalar in text.unicodeScalars {
            let isEscaped = scalar.isUnsafeToPrint || scalar == "\"" || scalar == "\\"
            if isEscaped { result += scalar.escapedText } else { result.unicodeScalars.append(scalar) }
        }
        return result + "\""
    }
    if isPlain(text) { return text }
    var result = "'"
    for scalar in text.unicodeScalars {
        result.unicodeScalars.append(scalar)
        if scalar == "'" { result.unicodeScalars.append(scalar) }
    }
    return result + "'"
}

/// True if YAML 1.1 and 1.2 read the text, without quotes, as that string.
private func isPlain(_ text: String) -> Bool {
    let bytes = text.utf8
    guard let first = bytes.first, let last = bytes.last, last != 0x20 else { return false }
    // A number, a date, an indicator: nothing of that starts with a letter or a slash.
    let isLetter = first | 0x20 >= 0x61 && first | 0x20 <= 0x7A || first >= 0x80
    guard isLetter || first == UInt8(ascii: "/") || first == UInt8(ascii: "_") else { return false }
    let isHarmless = bytes.allSatisfy { byte in
        isNamePart(byte) || byte >= 0x80 || byte == 0x20 || byte == UInt8(ascii: "/") || byte == UInt8(ascii: ".")
            || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "+") || byte == UInt8(ascii: ",")
            || byte == UInt8(ascii: "(") || byte == UInt8(ascii: ")") || byte == UInt8(ascii: "=")
    }
    return isHarmless && !reservedWords.contains(text.lowercased())
}

/// The words that YAML 1.1 takes for a truth value or for nothing.
private let reservedWords: Set<String> = ["y", "n", "yes", "no", "on", "off", "true", "false", "null"]
