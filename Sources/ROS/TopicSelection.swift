/// Which topics stay, by name, with the meanings that `ros2 bag play` gives its options.
package struct TopicSelection: Sendable {
    /// Only these, where it is not empty.
    package var only: [String] = []
    package var excluded: [String] = []
    package var pattern: NamePattern?
    package var excludedPattern: NamePattern?

    package init() {}

    /// Whether the name stays.
    package func contains(_ name: String) -> Bool {
        let isChosen =
            (only.isEmpty && pattern == nil) || only.contains(name) || (pattern.map { $0.matches(name) } ?? false)
        return isChosen && !excluded.contains(name) && !(excludedPattern.map { $0.matches(name) } ?? false)
    }
}

/// A regular expression over topic names.
package struct NamePattern: Sendable, Hashable {
    package let text: String

    /// - Throws: when the text is no regular expression.
    package init(_ text: String) throws {
        _ = try Regex(text)
        self.text = text
    }

    /// Whether the pattern is found in the name.
    ///
    /// Compiled again each time: it is asked about a few dozen names.
    package func matches(_ name: String) -> Bool {
        guard let regex = try? Regex(text) else { return false }
        return (try? regex.firstMatch(in: name)) != nil
    }
}

/// `old:=new`, as `ros2 bag play --remap` writes it.
package struct TopicRemap: Sendable, Hashable {
    package var from: String
    package var to: String

    package init(from: String, to: String) {
        self.from = from
        self.to = to
    }
}
