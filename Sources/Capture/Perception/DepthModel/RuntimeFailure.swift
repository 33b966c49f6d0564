/// What ONNX Runtime says about a call that failed.
struct RuntimeFailure: Error {
    var message: String

    init(message: String) { self.message = message }

    /// The first line of what the library says, without the places in its own sources.
    init(ofLibrary text: String) {
        let line = text.split(whereSeparator: \.isNewline).first { !$0.allSatisfy(\.isWhitespace) } ?? "no message"
        message = shown(Self.withoutPlace(line.drop(while: \.isWhitespace)), atMost: 400)
    }

    /// The text without the first place of the form `/folder/file.cc:12 void name(int) `.
    private static func withoutPlace(_ line: Substring) -> String {
        guard let place = line.firstMatch(of: /\/\S+\.(?:cc|cpp|h):\d+\s/) else { return String(line) }
        let before = line[..<place.range.lowerBound]
        let after = line[place.range.upperBound...]
        guard let begin = after.firstIndex(of: "(") else { return String(before + after) }
        var depth = 0
        for index in after[begin...].indices {
            if after[index] == "(" { depth += 1 } else if after[index] == ")" { depth -= 1 }
            guard depth == 0 else { continue }
            let message = after[after.index(after: index)...].drop { $0 == " " }
            return message.isEmpty ? String(line) : String(before) + (before.hasSuffix(":") ? " " : "") + message
        }
        return String(line)
    }
}
