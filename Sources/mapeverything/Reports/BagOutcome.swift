import BagPlayback
import Bags
import JSONText
import Playback
import Replay
import SystemPackage

extension Outcome.Subject {
    /// A bag that was played.
    static func bag(_ setup: BagPlaybackSetup, _ report: BagPlaybackReport) -> Outcome.Subject {
        let text = BagPlaybackText(report: report)
        let path = setup.reader.path.string
        return Outcome.Subject(
            playback: report.playback,
            heading: "\(path): from \(CalendarText.utc(nanoseconds: setup.span.lowerBound))",
            remarks: [text.problems, text.absent, text.warnings].filter { !$0.isEmpty },
            lostAnything: report.lostAnything,
            leadingMembers: [
                ("bag", .string(path)), ("first_stamp_ns", .integer(setup.span.lowerBound)),
                ("last_stamp_ns", .integer(setup.span.upperBound)),
            ],
            trailingMembers: BagPlaybackJSON(report: report).members
        )
    }
}

/// What could not be played, for people.
private struct BagPlaybackText {
    let report: BagPlaybackReport

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

    var warnings: String { report.warnings.map { "warning: \($0)" }.joined(separator: "\n") }
}

/// The same for machines, in the members that reports about sessions have too.
private struct BagPlaybackJSON {
    let report: BagPlaybackReport

    var members: [(String, JSONValue)] {
        [
            ("absent", absent), ("problems", .array(broken + unknownKeys)),
            (
                "left_out",
                [
                    "broken_messages": .integer(Int64(report.brokenCount)),
                    "unknown_keys": .integer(Int64(report.unknownKeys.reduce(0) { $0 + $1.count })),
                ]
            ),
            ("warnings", .array(report.warnings.map { .string($0) })),
        ]
    }

    private var absent: JSONValue {
        .array(
            report.leftOut.map {
                [
                    "name": .string($0.name), "type": .string($0.typeName), "reason": .string($0.reason),
                    "has_messages": .bool($0.hasMessages),
                ]
            }
        )
    }

    private var broken: [JSONValue] {
        report.brokenCounts.map { count in
            [
                "kind": "broken message", "severity": "lost", "topic": .string(count.topic),
                "count": .integer(Int64(count.count)),
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
                "count": .integer(Int64(key.count)),
                "meaning": "a key that the message's type does not have was left out", "examples": [],
            ]
        }
    }
}
