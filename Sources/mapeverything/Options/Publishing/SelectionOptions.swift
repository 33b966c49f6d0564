import ArgumentParser
import Messages

/// Which topics, and under which names; the same for everything that publishes or writes.
struct SelectionOptions: ParsableArguments {
    @Option(parsing: .upToNextOption, help: "Topics to take. Default: all.")
    var topics: [String] = []

    @Option(parsing: .upToNextOption, help: "Topics to leave out. Default: none.")
    var excludeTopics: [String] = []

    @Option(help: "Take topics whose name matches this regular expression anywhere. Default: all.")
    var regex: String?

    @Option(help: "Leave out topics whose name matches this regular expression anywhere. Default: none.")
    var excludeRegex: String?

    @Option(parsing: .upToNextOption, help: "Rename topics: OLD:=NEW. Several may follow. Default: none.")
    var remap: [String] = []

    func selection() throws -> TopicSelection {
        var selection = TopicSelection()
        selection.only = topics
        selection.excluded = excludeTopics
        selection.pattern = try regex.map { try pattern("--regex", $0) }
        selection.excludedPattern = try excludeRegex.map { try pattern("--exclude-regex", $0) }
        return selection
    }

    func remaps() throws -> [TopicRemap] {
        try remap.map { text in
            guard let range = text.firstRange(of: ":="), range.lowerBound > text.startIndex,
                range.upperBound < text.endIndex
            else { throw UsageError("--remap", expected: "OLD:=NEW", found: text) }
            return TopicRemap(from: absolute(text[..<range.lowerBound]), to: absolute(text[range.upperBound...]))
        }
    }

    private func absolute(_ name: Substring) -> String { name.hasPrefix("/") ? String(name) : "/" + name }

    private func pattern(_ option: String, _ text: String) throws -> NamePattern {
        do {
            return try NamePattern(text)
        } catch {
            throw UsageError(option, expected: "a regular expression", found: "\(text) (\(error))")
        }
    }
}
