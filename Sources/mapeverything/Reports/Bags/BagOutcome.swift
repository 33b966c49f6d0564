import BagPlayback
import Bags
import JSONText
import Playback
import Replay
import SystemPackage

extension Outcome.Subject {
    /// A bag that was played.
    static func bag(
        _ setup: BagPlaybackSetup,
        _ report: BagPlaybackReport,
        acceptsDamage: Bool
    ) -> Outcome.Subject {
        let warnings = setup.unmatched + report.warnings
        let text = BagPlaybackText(report: report)
        let path = setup.reader.path.string
        return Outcome.Subject(
            playback: report.playback,
            heading: "\(path): from \(CalendarText.utc(nanoseconds: setup.span.lowerBound))",
            remarks: [text.account, text.problems, text.absent, Format.warnings(warnings)].filter { !$0.isEmpty },
            lostAnything: report.lostAnything || !setup.unmatched.isEmpty,
            shortfall: shortfall(setup, report, acceptsDamage: acceptsDamage),
            leadingMembers: [
                ("bag", .string(path)), ("first_stamp_ns", .integer(setup.span.lowerBound)),
                ("last_stamp_ns", .integer(setup.span.upperBound)),
            ],
            trailingMembers: BagPlaybackJSON(report: report).members + [("warnings", .strings(warnings))]
        )
    }
}

extension Outcome.Subject {
    /// Why a replay of a bag does not end with 0, although it came to its end.
    private static func shortfall(
        _ setup: BagPlaybackSetup,
        _ report: BagPlaybackReport,
        acceptsDamage: Bool
    ) -> (any Error)? {
        if report.isIncomplete, !acceptsDamage {
            return BagError.incomplete(setup.reader.path, differences: report.shortfalls)
        }
        // Topics that no server would take; --skip-unknown and filters leave them out knowingly.
        return report.leftOutCount > 0 && !setup.plan.skipsUnknown && !acceptsDamage ? ExitStatus.lossy : nil
    }
}

/// What could not be played, for people.
private struct BagPlaybackText {
    let report: BagPlaybackReport

    /// What was in the bag, and what became of it.
    var account: String {
        var parts = ["in the bag: \(report.inputCount) messages", "read: \(report.readCount)"]
        if let filtered = report.filteredCount, filtered > 0 {
            parts.append("left out by what was chosen: \(filtered)")
        }
        if report.leftOutCount > 0 { parts.append("of topics that cannot be published: \(report.leftOutCount)") }
        if report.brokenCount > 0 { parts.append("broken: \(report.brokenCount)") }
        if report.missingCount > 0 { parts.append("missing: \(report.missingCount)") }
        return ([parts.joined(separator: "; ")] + report.damage.map { "damaged: \($0)" }).joined(separator: "\n")
    }

    var problems: String {
        var lines: [String] = []
        for count in report.brokenCounts {
            lines.append("skipped: \(count.count) messages of \(count.topic) that are not what their topic says")
            let examples = report.broken.filter { $0.topic == count.topic }.prefix(3)
            lines += examples.map { "    at \($0.timeNanoseconds) ns: \($0.reason)" }
            if count.count > examples.count { lines.append("    and \(count.count - examples.count) more") }
        }
        for key in report.unknownKeys {
            lines.append("left out: \(key.count) x key \"\(key.path)\" of \(key.topic), which its type does not have")
        }
        return lines.joined(separator: "\n")
    }

    var absent: String {
        report.leftOut.map { topic in
            let messages = topic.hasMessages ? "" : " (it has no messages)"
            return "left out: \(topic.name), \(topic.typeName)\(messages): \(topic.reason)"
        }
        .joined(separator: "\n")
    }
}

/// The same for machines, in the members that reports about sessions have too.
private struct BagPlaybackJSON {
    let report: BagPlaybackReport

    var members: [(String, JSONValue)] {
        [
            ("input_messages", .integer(report.inputCount)), ("read", .integer(report.readCount)),
            ("filtered", .integer(report.filteredCount)),
            ("missing", .integer(report.missingCount)),
            ("damage", .strings(report.damage)), ("absent", absent),
            ("problems", .array(broken + unknownKeys)),
            (
                "left_out",
                [
                    "broken_messages": .integer(report.brokenCount),
                    "unknown_keys": .integer(report.unknownKeys.reduce(0) { $0 + $1.count }),
                ]
            ),
        ]
    }

    private var absent: JSONValue {
        .array(
            report.leftOut.map {
                [
                    "name": .string($0.name), "type": .string($0.typeName), "reason": .string($0.reason),
                    "has_messages": .bool($0.hasMessages), "messages": .integer($0.messageCount),
                ]
            }
        )
    }

    private var broken: [JSONValue] {
        report.brokenCounts.map { count in
            [
                "kind": "broken message", "severity": "lost", "topic": .string(count.topic),
                "count": .integer(count.count),
                "meaning": "a message is not what its topic says, and was skipped",
                "examples": .array(
                    report.broken.filter { $0.topic == count.topic }
                        .map { ["stamp_ns": .integer($0.timeNanoseconds), "reason": .string($0.reason)] }
                ),
            ]
        }
    }

    private var unknownKeys: [JSONValue] {
        report.unknownKeys.map { key in
            [
                "kind": "unknown key", "severity": "lost", "topic": .string(key.topic), "key": .string(key.path),
                "count": .integer(key.count),
                "meaning": "a key that the message's type does not have was left out", "examples": [],
            ]
        }
    }
}
