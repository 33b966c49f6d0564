/// How sound a recording or a bag is, in the words of every report: `sound`, `usable: ...` or `damaged: ...`.
package struct Verdict: Sendable, Equatable {
    package enum Word: String, Sendable {
        case sound
        /// Nothing is lost, and something should be known.
        case usable
        /// Something is lost or wrong.
        case damaged
    }

    package var errors: Int
    package var warnings: Int

    package init(errors: Int, warnings: Int) { (self.errors, self.warnings) = (errors, warnings) }

    package var word: Word { errors > 0 ? .damaged : warnings > 0 ? .usable : .sound }

    /// Such as `damaged: 2 errors, 1 warning`.
    package var text: String {
        let counts = [(errors, "error"), (warnings, "warning")].filter { $0.0 > 0 }
            .map { count, word in "\(count) \(word)\(count == 1 ? "" : "s")" }
        return word.rawValue + (counts.isEmpty ? "" : ": " + counts.joined(separator: ", "))
    }
}
