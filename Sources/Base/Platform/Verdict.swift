/// How sound a recording or a bag is, and what was examined for it: in these words wherever it is told.
package struct Verdict: Sendable, Hashable {
    package enum Word: String, Sendable {
        case sound
        /// Nothing is lost, and something should be known.
        case usable
        /// Something is lost or wrong.
        case damaged
    }

    package var errors: Int
    package var warnings: Int
    /// The first of the worst findings, in words and with its place; nil where nothing was found.
    package var worst: String?
    /// How much was looked at, such as `lines only`: a fuller look may find more.
    package var examined: String

    package init(errors: Int, warnings: Int = 0, worst: String? = nil, examined: String) {
        (self.errors, self.warnings, self.worst, self.examined) = (errors, warnings, worst, examined)
    }

    package var word: Word { errors > 0 ? .damaged : warnings > 0 ? .usable : .sound }

    /// Such as `damaged: 2 errors, 1 warning`.
    package var text: String {
        let counts = [(errors, "error"), (warnings, "warning")].filter { $0.0 > 0 }
            .map { count, word in "\(count) \(word)\(count == 1 ? "" : "s")" }
        return word.rawValue + (counts.isEmpty ? "" : ": " + counts.joined(separator: ", "))
    }

    /// Such as `damaged: 1 error: frames.jsonl: line 40: last line cut in the middle; dropped (lines only)`.
    package var sentence: String { text + (worst.map { ": \($0)" } ?? "") + " (\(examined))" }
}

extension Collection<String> {
    /// The first five, and how many more there are: so many names an error has at most.
    package var someNames: String { someNames(of: count) }

    /// - Parameter total: how many there are in all, where not all are here.
    package func someNames(of total: Int) -> String {
        prefix(5).joined(separator: ", ") + (total > 5 ? " and \(total - 5) more" : "")
    }
}
