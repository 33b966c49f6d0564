import Foundation

/// A finding as `check` prints it.
package struct PrintedFinding: Sendable {
    package var severity: String
    package var kind: String
    /// In one line; empty where there is none.
    package var advice: String

    /// The words of the command that the advice names, without the name of the program; nil where it names none.
    package var command: [String]? {
        guard let command = advice.firstMatch(of: /`mapeverything ([^`]+)`/)?.1 else { return nil }
        return command.split(separator: " ").map(String.init)
    }

    /// All findings in what `check` has printed.
    package static func all(in text: String) -> [PrintedFinding] {
        text.components(separatedBy: "\n\n").compactMap { section in
            guard let head = section.prefixMatch(of: /(error|warning|note): ([A-Za-z0-9.-]+)/) else { return nil }
            let lines = section.components(separatedBy: "\n").drop { !$0.hasPrefix("    advice: ") }
            let advice = lines.map { $0.trimmingCharacters(in: .whitespaces) }.joined(separator: " ")
            return PrintedFinding(
                severity: String(head.1),
                kind: String(head.2),
                advice: String(advice.dropFirst("advice: ".count))
            )
        }
    }
}
