/// Which topics stay, by name, with the meanings that `ros2 bag play` gives its options.
package struct TopicSelection: Sendable {
    /// Only these, where it is not empty.
    package var only: [String] = []
    package var excluded: [String] = []
    package var pattern: NamePattern?
    package var excludedPattern: NamePattern?

    package init() {}

    /// True if the name stays.
    package func contains(_ name: String) -> Bool {
        let isChosen =
            (only.isEmpty && pattern == nil) || Self.names(only, name) || (pattern.map { $0.matches(name) } ?? false)
        return isChosen && !Self.names(excluded, name) && !(excludedPattern.map { $0.matches(name) } ?? false)
    }

    /// True if one of the names that were given means the topic: a name without the leading slash is relative to the root.
    private static func names(_ given: [String], _ topic: String) -> Bool {
        given.contains(topic) || (topic.hasPrefix("/") && given.contains(String(topic.dropFirst())))
    }

    /// The names and patterns asked for that are not there: a line each, with the topics that are nearest to it.
    ///
    /// - Parameter source: The holder of the topics, such as `the bag`.
    /// - Parameter offered: Those that `pattern` chooses from, where they are not all.
    /// - Parameter types: Topics whose types are corrected.
    package func unmatched(
        in names: [String],
        of source: String,
        offered: [String]? = nil,
        remaps: [TopicRemap],
        types: [String] = []
    ) -> [String] {
        let lists = [
            ("--topics", only), ("--exclude-topics", excluded), ("--remap", remaps.map(\.from)), ("--type", types),
        ]
        var texts = lists.flatMap { option, wanted in
            let isSelection = option.hasSuffix("topics")
            return wanted.filter { !names.contains($0) && !(isSelection && names.contains("/" + $0)) }.map { name in
                let expected = "a topic of \(source)\(Self.nearest(to: name, in: names))"
                return "\(option) \(name): expected \(expected), found none of that name"
            }
        }
        let patterns = [("--regex", pattern, offered ?? names), ("--exclude-regex", excludedPattern, names)]
        for (option, pattern, names) in patterns {
            guard let pattern, !names.contains(where: pattern.matches) else { continue }
            let expected = "to be found in a topic\(Self.nearest(to: pattern.text, in: names))"
            texts.append("\(option) \(pattern.text): expected \(expected), found in none")
        }
        return texts
    }

    /// The names that share most with one, the shorter ones first, in brackets; empty where there is none.
    private static func nearest(to name: String, in names: [String]) -> String {
        let sorted = Set(names).map { (likeness: likeness(name, $0), name: $0) }
            .sorted {
                ($1.likeness, $0.name.utf8.count, $0.name) < ($0.likeness, $1.name.utf8.count, $1.name)
            }
        let most = 5
        let rest = sorted.count > most ? ", ..." : ""
        return sorted.isEmpty ? "" : " (\(sorted.prefix(most).map(\.name).joined(separator: ", "))\(rest))"
    }

    /// How many bytes two names share at their beginnings and at their ends.
    private static func likeness(_ one: String, _ other: String) -> Int {
        let beginning = zip(one.utf8, other.utf8).prefix { $0 == $1 }
        let end = zip(one.utf8.reversed(), other.utf8.reversed()).prefix { $0 == $1 }
        return beginning.count + end.count
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

    /// True if the pattern is found in the name.
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
