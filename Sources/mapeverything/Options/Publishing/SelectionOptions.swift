import ArgumentParser
import Messages
import Playback
import Translation

/// Which topics, and under which names; the same for everything that publishes or writes.
struct SelectionOptions: ParsableArguments {
    @Option(
        parsing: .upToNextOption,
        help: .value("name", "Topics to take. Default: all."),
        completion: .list(Catalogue.entries.map(\.name))
    ) var topics: [String] = []

    @Option(
        parsing: .upToNextOption,
        help: .value("name", "Topics to leave out. Default: none."),
        completion: .list(Catalogue.entries.map(\.name))
    ) var excludeTopics: [String] = []

    @Option(help: .rare("Take topics whose name matches this regular expression anywhere. Default: all.", "pattern"))
    var regex: String?

    @Option(
        help: .rare("Leave out topics whose name matches this regular expression anywhere. Default: none.", "pattern")
    )
    var excludeRegex: String?

    @Option(
        parsing: .upToNextOption,
        help: .value("old:=new", "Rename topics; several may follow. Default: none.")
    )
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

/// Which part of the input is taken.
struct SpanOptions: ParsableArguments {
    @Option(
        name: [.customLong("start"), .customLong("start-offset")],
        help: .value(
            "place",
            "Begin: 90, 1:30, 2m, frame:N or RFC 3339. Default: 0."
        ),
        transform: PlaybackPlace.option("--start")
    )
    var start: PlaybackPlace?

    @Option(
        help: .rare("End: 90, 1:30, 2m, frame:N or RFC 3339, as for --start. Default: the end.", "place"),
        transform: PlaybackPlace.option("--end")
    )
    var end: PlaybackPlace?

    @Option(
        help: .value("seconds", "Length: 90, 1:30, 2m, 1500ms. Default: all."),
        transform: Seconds.option("--duration", .aboveZero)
    )
    var duration: Double?

    var request: SpanRequest {
        var request = SpanRequest()
        (request.start, request.end, request.durationSeconds) = (start, end, duration)
        return request
    }
}
