import Bags
import DDS
import Messages
import Playback
import Sessions
import SystemPackage
import Text
import Translation

/// The result of playing a session or a bag.
struct Played: Sendable {
    var playback: PlaybackReport
    private let heading: String
    private let head: [(String, JSONValue)]
    /// The problems and absences; its ending is why a complete run does not end with status 0.
    private let rest: Report

    init(_ setup: ReplaySetup, _ report: ReplayReport) {
        playback = report.playback
        let name = setup.session.summary.name
        heading = "\(name): \(setup.clock)\n\(setup.georeference.text)"
        head = [
            ("session", .string(name)), ("profile", .string(setup.plan.profile.name)),
            ("frames", .string(setup.plan.profile.axes.rawValue)), ("epoch", setup.anchor.json),
            ("georeference", setup.georeference.json),
        ]
        let clouds = setup.clouds(report.counts)
        var rest = Report()
        rest.say(clouds.textOfRows)
        rest.say(report.diagnostics.text(report.counts))
        let options = setup.plan.playback
        let isWhole = options.loops == 1 && options.subscribed == nil && !playback.wasInterrupted
        rest.addUnpublished(of: setup, isWhole ? playback.topics : nil, report.counts)
        rest.json([
            "problems": report.diagnostics.json, "left_out": JSONValue.object(report.counts.facts.members),
            "clouds": clouds.json,
        ])
        rest.warn(setup.warnings)
        rest.hasLosses = report.lostAnything || !setup.warnings.isEmpty
        self.rest = rest
    }

    init(_ setup: BagPlaybackSetup, _ report: BagPlaybackReport, acceptsDamage: Bool) {
        playback = report.playback
        let path = setup.reader.path.string
        heading = "\(path): from \(CalendarText.utc(nanoseconds: setup.span.lowerBound))"
        head = [
            ("bag", .string(path)), ("first_stamp_ns", .integer(setup.span.lowerBound)),
            ("last_stamp_ns", .integer(setup.span.upperBound)),
        ]
        var rest = Report()
        rest.add(report)
        rest.warn(setup.unmatched + report.warnings)
        rest.hasLosses = report.lostAnything || !setup.unmatched.isEmpty
        if report.isIncomplete, !acceptsDamage {
            rest.ending = BagError.incomplete(setup.reader.path, differences: report.shortfalls)
        } else if report.leftOutCount > 0, !setup.plan.skipsUnknown, !acceptsDamage {
            // Topics that no server would take; --skip-unknown and filters leave them out knowingly.
            rest.ending = ExitStatus.lossy
        }
        self.rest = rest
    }

    /// Prints, and throws what ended the run, or the status where it is not 0.
    ///
    /// A run that failed has nothing to tell but its error, unless something was published by then.
    ///
    /// - Parameters:
    ///   - places: where the messages went, in words.
    ///   - plan: what would be published to ROS 2.
    func finish(_ options: ReportingOptions, to places: [String] = [], plan: DDSPlan? = nil) throws {
        if let failure = playback.failure, !hasPublished { throw failure }
        var report = report(places)
        if let plan { report.add(plan) }
        try report.finish(options)
    }

    private var hasPublished: Bool {
        playback.sinks.contains { sink in
            sink.connection != nil && sink.topics.contains { $0.written + $0.unsent > 0 }
        }
    }

    private func report(_ places: [String]) -> Report {
        var report = Report()
        report.say(heading)
        for (key, value) in head { report.json(key, value) }
        report.json([
            "captured_s": playback.playedSeconds, "interrupted": playback.wasInterrupted,
            "error": playback.failure.map { "\($0)" }, "lateness_s": lateness,
        ])
        report.say(Table(Self.topics + DeliveryText.columns(playback.sinks), playback.topics).text)
        report.json("topics", Table(Self.topics, playback.topics).json)
        report.append(rest)
        report.say(summary(places))
        for sink in playback.sinks { report.say(DeliveryText.connection(sink)) }
        report.say(Format.warnings(playback.sinks.flatMap(\.warnings)))
        report.json("sinks", playback.sinks.map(DeliveryText.json))
        report.ending = playback.failure ?? (playback.wasInterrupted ? ExitStatus.interrupted : rest.ending)
        let dropped = playback.sinks.flatMap(\.topics).reduce(0) {
            $0 + $1.dropped + $1.unconfirmed + $1.refused + $1.thinned
        }
        report.hasLosses = rest.hasLosses || dropped > 0
        return report
    }

    private static var topics: [Column<TopicStatistics>] {
        [
            .left("topic", "name") { .string($0.name) }, .left("type", "type") { .string($0.typeName) }.types,
            .right("count", "count") { .count($0.count) }, .right("Hz", "rate_hz") { .number($0.rateHertz) },
            .right("size", "bytes") { .bytes($0.bytes) },
            .right("Mbit/s", "mbit_per_s") { .number($0.megabitsPerSecond) }.detail,
            .right("largest gap", "largest_gap_s") { $0.largestGap }.detail,
        ]
    }

    private func summary(_ places: [String]) -> String {
        let messages = playback.topics.reduce(0) { $0 + $1.count }
        let bytes = Format.bytes(playback.topics.reduce(0) { $0 + $1.bytes })
        let amount = "\(messages) messages, \(bytes) as CDR, \(Format.seconds(playback.playedSeconds)) of capture"
        var lines = [([amount] + (places.isEmpty ? ["nothing was sent or written"] : places)).joined(separator: "; ")]
        if playback.failure != nil { lines.append("ended by an error") }
        lines += playback.sinks.compactMap { DeliveryText.totals($0, of: messages) }
        if playback.wasInterrupted { lines.append("interrupted: what was published before is complete") }
        return lines.joined(separator: "\n")
    }

    private var lateness: JSONValue {
        func seconds(_ nanoseconds: Int64) -> Double { Double(nanoseconds) / 1e9 }
        let lateness = playback.lateness
        return .of([
            "median": seconds(lateness.quantile(0.5)), "p99": seconds(lateness.quantile(0.99)),
            "worst": seconds(lateness.worstNanoseconds),
        ])
    }
}

extension Report {
    /// Adds how topics would be offered to ROS 2, and how a recorder keeps all of them.
    fileprivate mutating func add(_ plan: DDSPlan) {
        let offers: [Column<DDSPlan.Offer>] = [
            .left("ROS 2 topic", "topic") { .string($0.topic) }, .json("name") { $0.name },
            .left("type in DDS", "type") { .string($0.typeName) },
            .left("durability", "durability") { .string($0.durability) },
            .left("hash", "type_hash") { .string($0.typeHash) }.detail,
        ]
        add(Table(offers, plan.offers), "ros2_topics", showsHeader: true)
        let file = "overrides.yaml"
        say(
            "a recorder keeps all of it with this in \(file):\n\(plan.recorderOverrides)\nand\n\(plan.recorderLine(overrides: file))"
        )
        json([
            "ros2_recorder": plan.recorderLine(overrides: file), "ros2_recorder_overrides": plan.recorderOverrides,
            "ros2_configuration": plan.configuration,
        ])
    }

    /// Adds what was in a bag, and what could not be played of it.
    fileprivate mutating func add(_ report: BagPlaybackReport) {
        var parts = ["in the bag: \(report.inputCount) messages", "read: \(report.readCount)"]
        func count(_ text: String, _ count: Int?) { if let count, count > 0 { parts.append("\(text): \(count)") } }
        count("left out by what was chosen", report.filteredCount)
        count("of topics that cannot be published", report.leftOutCount)
        count("broken", report.brokenCount)
        count("missing", report.missingCount)
        say([parts.joined(separator: "; ")] + report.damage.map { "damaged: \($0)" })
        var lines: [String] = []
        for count in report.brokenCounts {
            lines.append("skipped: \(count.count) messages of \(count.topic) that are not what their topic says")
            let examples = report.broken.filter { $0.topic == count.topic }.prefix(3)
            lines += examples.map { "    at \($0.timeNanoseconds) ns: \($0.reason)" }
            if count.count > examples.count { lines.append("    and \(count.count - examples.count) more") }
        }
        say(lines + report.unknownKeys.map(\.text))
        say(report.leftOut.map(\.text))
        let keys = report.unknownKeys.reduce(0) { $0 + $1.count }
        json([
            "input_messages": report.inputCount, "read": report.readCount, "filtered": report.filteredCount,
            "missing": report.missingCount, "damage": report.damage, "absent": report.leftOut.map(\.json),
            "problems": Self.broken(report) + Self.unknownKeys(report),
            "left_out": JSONValue.of(["broken_messages": report.brokenCount, "unknown_keys": keys]),
        ])
    }

    private static func broken(_ report: BagPlaybackReport) -> [JSONValue] {
        report.brokenCounts.map { count in
            let examples = report.broken.filter { $0.topic == count.topic }
                .map { JSONValue.of(["stamp_ns": $0.timeNanoseconds, "reason": $0.reason]) }
            return .of([
                "kind": "broken message", "severity": "lost", "topic": count.topic, "count": count.count,
                "meaning": "a message is not what its topic says, and was skipped", "examples": examples,
            ])
        }
    }

    private static func unknownKeys(_ report: BagPlaybackReport) -> [JSONValue] {
        report.unknownKeys.map { key in
            .of([
                "kind": "unknown key", "severity": "lost", "topic": key.topic, "key": key.path, "count": key.count,
                "meaning": "a key that the message's type does not have was left out", "examples": [String](),
            ])
        }
    }
}
