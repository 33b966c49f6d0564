import Messages
import Playback
import Text

/// The fate of messages that were handed to sinks, by topic, for people and programs.
enum DeliveryText {
    /// Columns of a text table of topics: what was confirmed, of a sink with a connection, and what was lost.
    static func columns(_ sinks: [SinkReport]) -> [Column<TopicStatistics>] {
        guard let sink = sinks.first(where: { $0.connection != nil }), let connection = sink.connection else {
            return []
        }
        let topics = Dictionary(sink.topics.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        let isConfirming = connection.isConfirming
        let arrived: KeyPath<SinkReport.TopicCount, Int> = isConfirming ? \.confirmed : \.written
        let counts: [(title: String, count: KeyPath<SinkReport.TopicCount, Int>)] = [
            (isConfirming ? "confirmed" : "sent", arrived), ("unconfirmed", \.unconfirmed), ("refused", \.refused),
            ("not sent", \.unsent), ("dropped", \.dropped), ("thinned", \.thinned),
        ]
        return counts.filter { title, count in
            title == "confirmed" || title == "sent" || sink.topics.contains { $0[keyPath: count] > 0 }
        }
        .map { title, count in
            .right(title) { row in
                let topic = topics[row.name] ?? SinkReport.TopicCount(name: row.name)
                return title == "thinned" ? Cell(thinned(topic)) : .count(topic[keyPath: count])
            }
        }
    }

    /// The numbers of messages that a sink was given, that arrived, and that may not have arrived.
    ///
    /// - Parameter messages: how many it was given.
    static func totals(_ sink: SinkReport, of messages: Int) -> String? {
        let sum = { (path: KeyPath<SinkReport.TopicCount, Int>) in sink.topics.reduce(0) { $0 + $1[keyPath: path] } }
        guard sink.connection != nil else {
            let written = sum(\.written)
            return written == messages ? nil : "in the bag: \(written) of \(messages) messages"
        }
        guard sink.connection?.isConfirming != false else {
            let (written, dropped) = (sum(\.written), sum(\.dropped))
            if let receivers = sink.connection?.receivers {
                let clients = receivers == 1 ? "1 client" : "\(receivers) clients"
                let lost = dropped > 0 ? ", \(dropped) dropped as they were too slow" : ""
                let rest = sum(\.unsent) > 0 ? ", \(sum(\.unsent)) not sent to clients that left" : ""
                return "sent to \(clients): \(written) messages, each client counted\(lost)\(rest)"
            }
            let lost = dropped > 0 ? ", of which \(dropped) were dropped before slow receivers" : ""
            return "sent as Arvos, which confirms nothing: \(written) of \(messages) messages\(lost)"
        }
        if let readers = sink.connection?.receivers {
            let by = readers == 1 ? "1 reader" : "\(readers) readers"
            let rest = [("not acknowledged", sum(\.unconfirmed)), ("on topics that nobody reads", sum(\.refused))]
                .filter { $0.1 > 0 }.map { ", \($0.1) \($0.0)" }.joined()
            return "acknowledged by \(by): \(sum(\.confirmed)) of \(messages) messages\(rest)"
        }
        let counts = [
            ("unconfirmed", sum(\.unconfirmed)), ("refused by the server", sum(\.refused)), ("not sent", sum(\.unsent)),
            ("dropped", sum(\.dropped)),
        ]
        let rest = messages - sum(\.confirmed) - counts.reduce(0) { $0 + $1.1 }
        let others = (counts + [("unaccounted for", rest)]).filter { $0.1 != 0 }.map { ", \($0.1) \($0.0)" }.joined()
        return "confirmed as handled by the server: \(sum(\.confirmed)) of \(messages) messages\(others)"
    }

    /// How often and how long nothing could be published, and which clouds were thinned.
    static func connection(_ sink: SinkReport) -> String? {
        var lines: [String] = []
        if let connection = sink.connection, connection.interruptions > 0 {
            let times = connection.interruptions == 1 ? "once" : "\(connection.interruptions) times"
            let seconds = Format.seconds(connection.disconnectedSeconds)
            lines.append("the connection was lost \(times): nothing could be published for \(seconds) in all")
            if connection.resent > 0 {
                lines.append(
                    "sent again after that: \(connection.resent) messages, \(connection.resentAfterConfirmation) of which"
                        + " had been confirmed shortly before (--resend)"
                )
            }
        }
        if let connection = sink.connection, connection.waitedSeconds >= 0.1 {
            let reason =
                connection.isConfirming && connection.receivers != nil
                ? "a reader was behind" : "the queue was full of messages that are not dropped"
            lines.append("the replay stood still for \(Format.seconds(connection.waitedSeconds)) in all: \(reason)")
        }
        for topic in sink.topics where topic.thinned > 0 {
            let share = Format.share(topic.keptPoints, of: topic.offeredPoints)
            lines.append(
                "\(topic.name): \(topic.thinned) clouds were thinned to fit (--fit), with \(share) of their points"
            )
        }
        return lines.isEmpty ? nil : lines.joined(separator: "\n")
    }

    static func json(_ sink: SinkReport) -> JSONValue {
        let isConfirmable = sink.connection?.isConfirming == true
        var report = Report()
        report.json("topics", sink.topics.map { json($0, isConfirmable) })
        if let connection = sink.connection {
            report.json([
                "interruptions": connection.interruptions, "disconnected_s": connection.disconnectedSeconds,
                "resent": connection.resent, "resent_after_confirmation": connection.resentAfterConfirmation,
                "waited_s": connection.waitedSeconds,
            ])
        }
        report.json("warnings", sink.warnings)
        return report.json
    }

    private static func json(_ topic: SinkReport.TopicCount, _ isConfirmable: Bool) -> JSONValue {
        var report = Report()
        report.json(["name": topic.name, "written": topic.written])
        if isConfirmable { report.json("confirmed", topic.confirmed) }
        report.json(["unconfirmed": topic.unconfirmed, "dropped": topic.dropped])
        if isConfirmable {
            report.json([
                "refused": topic.refused, "unsent": topic.unsent, "thinned": topic.thinned,
                "kept_points": topic.keptPoints, "offered_points": topic.offeredPoints,
            ])
        }
        report.json("bytes", topic.bytes)
        return report.json
    }

    private static func thinned(_ topic: SinkReport.TopicCount) -> String {
        guard topic.thinned > 0 else { return "0" }
        return "\(topic.thinned) (\(Format.percent(Double(topic.keptPoints) / Double(max(topic.offeredPoints, 1)))))"
    }
}
