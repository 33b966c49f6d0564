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
    private let filesPath: String?
    private var report: PlaybackReport { subject.playback }

    init(_ subject: Subject, bagPath: String? = nil, publisher: String? = nil, filesPath: String? = nil) {
        self.filesPath = filesPath
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
        do throws(ReportError) {
            try ReportFile.write(value, to: reporting.report)
        } catch {
            throw report.failure ?? error
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
        var sections =
            [subject.heading, Table(topics + DeliveryText.columns(report.sinks), report.topics).text] + subject.remarks
        sections.append(summaryLine)
        sections += report.sinks.compactMap { DeliveryText.connection($0) }
        let warnings = report.sinks.flatMap(\.warnings)
        if !warnings.isEmpty { sections.append(Format.warnings(warnings)) }
        return sections.joined(separator: "\n\n")
    }

    private var topics: [Column<TopicStatistics>] {
        [
            .left("topic", "name") { .string($0.name) }, .left("type", "type") { .string($0.typeName) },
            .right("count", "count") { .count($0.count) }, .right("Hz", "rate_hz") { .number($0.rateHertz) },
            .right("size", "bytes") { .bytes($0.bytes) },
            .right("Mbit/s", "mbit_per_s") { .number($0.megabitsPerSecond) },
            .right("largest gap", "largest_gap_s") { $0.largestGap },
        ]
    }

    private var summaryLine: String {
        let messages = report.topics.reduce(0) { $0 + $1.count }
        let bytes = report.topics.reduce(0) { $0 + $1.bytes }
        var line =
            "\(messages) messages, \(Format.bytes(bytes)) as CDR, \(Format.seconds(report.playedSeconds)) of capture"
        if let bagPath { line += "; bag: \(bagPath)" }
        if let publisher { line += "; \(publisher)" }
        if let filesPath { line += "; written to \(filesPath)" }
        if publisher == nil && bagPath == nil && filesPath == nil { line += "; nothing was sent or written" }
        if report.failure != nil { line += "\nended by an error" }
        line += report.sinks.compactMap { DeliveryText.totals($0, of: messages) }.map { "\n" + $0 }.joined()
        if report.wasInterrupted { line += "\ninterrupted: what was published before is complete" }
        return line
    }

    private var jsonValue: JSONValue {
        let members: [(String, JSONValue)] = [
            ("captured_s", .number(report.playedSeconds)), ("interrupted", .bool(report.wasInterrupted)),
            ("error", report.failure.map { .string("\($0)") } ?? .null),
            ("lateness_s", lateness), ("topics", Table(topics, report.topics).json),
        ]
        let all =
            subject.leadingMembers + members + subject.trailingMembers + [
                ("sinks", .array(report.sinks.map(DeliveryText.json)))
            ]
        return .object(all)
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
