import ArgumentParser
import Bags
import HTMLReports
import Platform
import Sessions
import SystemPackage
import Translation

/// What `mapeverything PATH` says: what it is, what it holds, whether it is sound, and what fits it.
///
/// Nothing but lists and rows is read, so that it takes no longer than a look.
struct GlanceCommand: AsyncParsableCommand {
    static let name = "glance"

    static let configuration = CommandConfiguration(
        commandName: name,
        abstract: "Say what a recording or a bag is, and which commands fit it.",
        discussion: """
            mapeverything PATH is short for it.

            Examples:
              mapeverything room
            """,
        shouldDisplay: false
    )

    @Argument(help: "A session, a bag, a folder of them, or the file of a map.", completion: .file()) var path: String

    @OptionGroup var json: JSONOptions

    func run() async throws {
        if OpenedModel.isOne(path) { return try model().finish(json: json.isGiven) }
        let found = try Recordings.below([path])
        let report =
            switch found.inputs.first?.kind {
            case .session? where !found.areMany: try session()
            case .bag? where !found.areMany: try bag()
            default: Self.many(found, path)
            }
        try report.finish(json: json.isGiven)
    }

    private func model() throws -> Report {
        let lines = try OpenedModel(opening: path).lines
        var report = Report([
            Fact("file", ([path + ": " + lines[0]] + lines.dropFirst()).joined(separator: "; "), "path", path),
            .json("kind", "model"), .json("holds", lines),
        ])
        report.add(next: NextSteps.ofModel(at: path))
        return report
    }

    private func session() throws -> Report {
        var options = OpenOptions()
        options.assumptions.copiesVideos = false
        let recording = try OpenedRecording.open(path, options)
        let facts = RecordingFacts(recording)
        let device = facts.device.flatMap { $0.hasSuffix("unknown") ? nil : $0 }
        let kind = ["\(path): \(facts.format) layout", device].compactMap(\.self).joined(separator: ", ")
        let shares = recording.summary.streamShares
        var report = Report(
            [
                Fact("session", kind, "path", path), Fact("time", Self.time(facts.durationSeconds, facts.start)),
                .json("kind", InputKind.session.rawValue), Fact("verdict", facts.verdict.sentence),
            ] + shares.map { Fact($0.name, $0.text) } + [.json("streams", shares)]
        )
        report.members += facts.members
        report.add(next: NextSteps.of(recording.summary, at: path, facts.verdict))
        return report
    }

    private func bag() throws -> Report {
        let reader = try BagReader(opening: FilePath(path), tolerating: BagTolerance.everything.subtracting(.salvage))
        try reader.refuseIfNothingOpens()
        let summary = try reader.summary()
        let largest = summary.topics.sorted { ($0.bytes, $1.topic.name) > ($1.bytes, $0.topic.name) }.prefix(3)
        let topics = largest.map { "\($0.topic.name) \($0.messageCount)" } + (summary.topics.count > 3 ? ["..."] : [])
        let messages = "\(summary.messageCount) in \(summary.topics.count) topics, \(Format.bytes(summary.bytes))"
        let seconds = summary.times.map { Double($0.durationNanoseconds) / 1e9 } ?? 0
        var report = Report([
            Fact("bag", "\(path): \(summary.storageIdentifier)", "path", path),
            .json("kind", InputKind.bag.rawValue),
            Fact("time", Self.time(seconds, summary.times?.first), "duration_s", seconds),
            .json("start_ns", summary.times?.first),
            Fact("verdict", summary.verdict.sentence, "verdict", summary.verdict.word.rawValue),
            .json("looked_at", summary.verdict.examined), Fact("messages", messages, "messages", summary.messageCount),
            Fact("most bytes", topics.joined(separator: ", ")), .json("topics", summary.topics.map(\.topic.name)),
        ])
        report.add(next: NextSteps.ofBag(at: path, summary.verdict))
        return report
    }

    private static func many(_ found: Recordings, _ path: String) -> Report {
        let kinds = [(InputKind.session, "recording"), (.bag, "bag")].map { kind, word in
            (found.inputs.count { $0.kind == kind }, word)
        }
        let counts = kinds.filter { $0.0 > 0 }.map { "\($0.0) \($0.1)\($0.0 == 1 ? "" : "s")" }
        var report = Report([
            Fact("folder", "\(path): " + counts.joined(separator: " and "), "path", path), .json("kind", "folder"),
            Fact("such as", found.inputs.prefix(3).map(\.path).joined(separator: ", ")),
            .json("recordings", found.inputs.map(\.path)),
        ])
        report.say(found.leftOut.lines(found: found.inputs.count + found.leftOut.count))
        report.json("left_out", found.leftOut)
        report.add(next: NextSteps.ofMany(below: path, haveSessions: kinds[0].0 > 0))
        return report
    }

    private static func time(_ seconds: Double, _ start: Int64?) -> String {
        let begins = start.map { ", from \(CalendarText.readable(nanoseconds: $0))" } ?? "; when is not said"
        return Format.seconds(seconds) + begins
    }
}

extension Report {
    fileprivate mutating func add(next steps: [ReportPage.Command]) {
        say(steps.text)
        json("next", steps)
    }
}
