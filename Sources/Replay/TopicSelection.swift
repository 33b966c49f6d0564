/// Which of a profile's topics stay, by name, with the meanings that `ros2 bag play` gives its options.
package struct TopicSelection: Sendable {
    /// Only these, where it is not empty.
    ///
    /// A topic that the profile has not is taken from the catalogue.
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

/// How names change on the way out: remaps first, then the namespace.
package struct TopicNaming: Sendable {
    package var remaps: [TopicRemap] = []
    /// Such as `/robot1`; empty for none.
    ///
    /// It is put before every topic but `/tf`, `/tf_static` and `/clock`, which all robots share.
    package var namespace = ""

    package init() {}

    package func name(_ kind: TopicKind) -> String {
        let name = kind.rawValue
        if let remap = remaps.last(where: { $0.from == name }) { return remap.to }
        guard !namespace.isEmpty, ![.transforms, .staticTransforms, .clock].contains(kind) else { return name }
        let prefix = namespace.hasPrefix("/") ? namespace : "/" + namespace
        return (prefix.hasSuffix("/") ? String(prefix.dropLast()) : prefix) + name
    }
}
