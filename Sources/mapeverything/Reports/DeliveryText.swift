import JSONText
import Messages

/// What became of messages that were handed to sinks, by topic, for people and machines.
enum DeliveryText {
    /// Columns of a table of topics: what was confirmed, of a sink with a connection, and what was lost.
    struct Columns {
        private typealias Column = (title: String, text: (SinkReport.TopicCount) -> String)

        private let columns: [Column]
        private let topics: [String: SinkReport.TopicCount]

        init(_ sinks: [SinkReport]) {
            guard let sink = sinks.first(where: { $0.connection != nil }) else {
                (columns, topics) = ([], [:])
                return
            }
            let topics = sink.topics
            self.topics = Dictionary(topics.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
            var columns: [Column] = [("confirmed", { "\($0.confirmed)" })]
            if topics.contains(where: { $0.unconfirmed > 0 }) {
                columns.append(("unconfirmed", { "\($0.unconfirmed)" }))
            }
            if topics.contains(where: { $0.refused > 0 }) { columns.append(("refused", { "\($0.refused)" })) }
            if topics.contains(where: { $0.unsent > 0 }) { columns.append(("not sent", { "\($0.unsent)" })) }
            if topics.contains(where: { $0.dropped > 0 }) { columns.append(("dropped", { "\($0.dropped)" })) }
            if topics.contains(where: { $0.thinned > 0 }) { columns.append(("thinned", DeliveryText.thinned)) }
            self.columns = columns
        }

        var header: [String] { columns.map(\.title) }

        func cells(_ topic: String) -> [String] {
            let count = topics[topic] ?? SinkReport.TopicCount(name: topic)
            return columns.map { $0.text(count) }
        }
    }

    /// What became of the messages that were handed to a sink: how many arrived, and how many may not have.
    ///
    /// - Parameter messages: how many it was given.
    static func totals(_ sink: SinkReport, of messages: Int) -> String? {
        let sum = { (path: KeyPath<SinkReport.TopicCount, Int>) in sink.topics.reduce(0) { $0 + $1[keyPath: path] } }
        guard sink.connection != nil else {
            let written = sum(\.written)
            return written == messages ? nil : "in the bag: \(written) of \(messages) messages"
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
            lines.append(
                "the replay stood still for \(Format.seconds(connection.waitedSeconds)) in all: the queue was full of"
                    + " messages that are not dropped"
            )
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
        var value: [(String, JSONValue)] = [("topics", .array(sink.topics.map { json($0, sink.connection != nil) }))]
        if let connection = sink.connection {
            value.append(("interruptions", .integer(Int64(connection.interruptions))))
            value.append(("disconnected_s", .number(connection.disconnectedSeconds)))
            value.append(("resent", .integer(Int64(connection.resent))))
            value.append(("resent_after_confirmation", .integer(Int64(connection.resentAfterConfirmation))))
            value.append(("waited_s", .number(connection.waitedSeconds)))
        }
        value.append(("warnings", .array(sink.warnings.map { .string($0) })))
        return .object(JSONObject(value.map { JSONObject.Member(key: $0.0, value: $0.1) }))
    }

    private static func json(_ topic: SinkReport.TopicCount, _ isConfirmable: Bool) -> JSONValue {
        var counts = [("written", topic.written)]
        if isConfirmable { counts.append(("confirmed", topic.confirmed)) }
        counts += [("unconfirmed", topic.unconfirmed), ("dropped", topic.dropped)]
        if isConfirmable {
            counts += [
                ("refused", topic.refused), ("unsent", topic.unsent), ("thinned", topic.thinned),
                ("kept_points", topic.keptPoints),
                ("offered_points", topic.offeredPoints),
            ]
        }
        counts.append(("bytes", topic.bytes))
        let members = counts.map { JSONObject.Member(key: $0.0, value: .integer(Int64($0.1))) }
        return .object(JSONObject([JSONObject.Member(key: "name", value: .string(topic.name))] + members))
    }

    private static func thinned(_ topic: SinkReport.TopicCount) -> String {
        guard topic.thinned > 0 else { return "0" }
        return "\(topic.thinned) (\(Format.percent(Double(topic.keptPoints) / Double(max(topic.offeredPoints, 1)))))"
    }
}
