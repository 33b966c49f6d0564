import JSONText
import Messages
import Playback

/// What a run of `bag` or `replay` did: printed for people or machines, written to --report, and the exit status.
struct Outcome {
    /// What was played, with what only its kind has to say.
    struct Subject {
        var playback: PlaybackReport
        var heading: String
        /// Sections about what was wrong or is absent.
        var remarks: [String]
        var lostAnything: Bool
        /// What ends the command with an error after all was told; nil where nothing of a bag is missing.
        var shortfall: (any Error)?
        var leadingMembers: [(String, JSONValue)]
        var trailingMembers: [(String, JSONValue)]
    }

    private let subject: Subject
    private let bagPath: String?
    private let publisher: String?
    private var report: PlaybackReport { subject.playback }

    init(_ subject: Subject, bagPath: String? = nil, publisher: String? = nil) {
        self.subject = subject
        self.bagPath = bagPath
        self.publisher = publisher
    }

    /// Prints, and throws what ended the run, or the status where it is not 0.
    ///
    /// A run that failed has nothing to tell but its error, unless something was published by then.
    func finish(json: Bool, reporting: ReportingOptions) throws {
        if let failure = report.failure, !hasPublished { throw failure }
        let value = jsonValue
        if let path = reporting.report, !TextFile.write(value.text(style: .pretty) + "\n", to: path) {
            throw report.failure ?? ReportError(path: path)
        }
        Terminal.print(json ? value.text(style: .pretty) : text)
        if let failure = report.failure { throw failure }
        if report.wasInterrupted { throw ExitStatus.interrupted }
        if let shortfall = subject.shortfall { throw shortfall }
        if reporting.strict, subject.lostAnything || droppedCount > 0 { throw ExitStatus.lossy }
    }

    private var hasPublished: Bool {
        report.sinks.contains { sink in
            sink.connection != nil && sink.topics.contains { $0.written + $0.unsent > 0 }
        }
    }

    private var droppedCount: Int {
        report.sinks.reduce(0) {
            $0 + $1.topics.reduce(0) { $0 + $1.dropped + $1.unconfirmed + $1.refused + $1.thinned }
        }
    }

    private var text: String {
        var sections = [subject.heading, table] + subject.remarks
        sections.append(summaryLine)
        sections += report.sinks.compactMap { DeliveryText.connection($0) }
        let warnings = report.sinks.flatMap(\.warnings)
        if !warnings.isEmpty { sections.append(Format.warnings(warnings)) }
        return sections.joined(separator: "\n\n")
    }

    private var table: String {
        let delivery = DeliveryText.Columns(report.sinks)
        var table = TextTable(
            header: ["topic", "type", "count", "Hz", "size", "Mbit/s", "largest gap"] + delivery.header,
            leftColumns: [0, 1]
        )
        for topic in report.topics {
            table.add(
                [
                    topic.name, topic.typeName, "\(topic.count)", Format.hertz(topic.rateHertz),
                    Format.bytes(topic.bytes),
                    topic.megabitsPerSecond.map { Format.number($0, decimals: 2) } ?? "-",
                    topic.count > 1
                        ? Format.number(Double(topic.largestGapNanoseconds) / 1e9, decimals: 3) + " s" : "-",
                ] + delivery.cells(topic.name)
            )
        }
        return table.text
    }

    private var summaryLine: String {
        let messages = report.topics.reduce(0) { $0 + $1.count }
        let bytes = report.topics.reduce(0) { $0 + $1.bytes }
        var line =
            "\(messages) messages, \(Format.bytes(bytes)) as CDR, \(Format.seconds(report.playedSeconds)) of capture"
        if let bagPath { line += "; bag: \(bagPath)" }
        if let publisher { line += "; published to \(publisher)" }
        if publisher == nil && bagPath == nil { line += "; nothing was sent or written" }
        if report.failure != nil { line += "\nended by an error" }
        line += report.sinks.compactMap { DeliveryText.totals($0, of: messages) }.map { "\n" + $0 }.joined()
        if report.wasInterrupted { line += "\ninterrupted: what was published before is complete" }
        return line
    }

    private var jsonValue: JSONValue {
        let topics: [JSONValue] = report.topics.map { topic in
            [
                "name": .string(topic.name), "type": .string(topic.typeName), "count": .integer(Int64(topic.count)),
                "rate_hz": topic.rateHertz.map { .number($0) } ?? .null, "bytes": .integer(Int64(topic.bytes)),
                "mbit_per_s": topic.megabitsPerSecond.map { .number($0) } ?? .null,
                "largest_gap_s": .number(Double(topic.largestGapNanoseconds) / 1e9),
            ]
        }
        let members: [(String, JSONValue)] = [
            ("captured_s", .number(report.playedSeconds)), ("interrupted", .bool(report.wasInterrupted)),
            ("error", report.failure.map { .string("\($0)") } ?? .null),
            ("lateness_s", lateness), ("topics", .array(topics)),
        ]
        let all =
            subject.leadingMembers + members + subject.trailingMembers + [
                ("sinks", .array(report.sinks.map(DeliveryText.json)))
            ]
        return .object(JSONObject(all.map { JSONObject.Member(key: $0.0, value: $0.1) }))
    }

    private var lateness: JSONValue {
        let lateness = report.lateness
        return [
            "median": .number(Double(lateness.quantile(0.5)) / 1e9),
            "p99": .number(Double(lateness.quantile(0.99)) / 1e9),
            "worst": .number(Double(lateness.worstNanoseconds) / 1e9),
        ]
    }
}
