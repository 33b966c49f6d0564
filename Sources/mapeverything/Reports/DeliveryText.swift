import JSONText
import ROS

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

    /// How many messages arrived and how many may not have, of a sink with a connection.
    static func totals(_ sinks: [SinkReport]) -> String {
        let topics = sinks.first { $0.connection != nil }?.topics ?? []
        let counts = [
            ("confirmed", \SinkReport.TopicCount.confirmed), ("unconfirmed", \.unconfirmed), ("not sent", \.unsent),
        ]
        return counts.map { title, path in "\(topics.reduce(0) { $0 + $1[keyPath: path] }) \(title)" }
            .joined(separator: ", ")
    }

    /// How often and how long nothing could be published, and which clouds were thinned.
    static func connection(_ sink: SinkReport) -> String? {
        var lines: [String] = []
        if let connection = sink.connection, connection.interruptions > 0 {
            let times = connection.interruptions == 1 ? "once" : "\(connection.interruptions) times"
            let seconds = Format.seconds(connection.disconnectedSeconds)
            lines.append("the connection was lost \(times): nothing could be published for \(seconds) in all")
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
                ("unsent", topic.unsent), ("thinned", topic.thinned), ("kept_points", topic.keptPoints),
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
