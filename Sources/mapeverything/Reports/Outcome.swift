import JSONText
import ROS
import Replay
import Sessions

/// What a run of `bag` or `replay` did: printed for people or machines, written to --report, and the exit status.
struct Outcome {
    let setup: ReplaySetup
    let report: ReplayReport
    let bagPath: String?
    let publisher: String?

    /// Prints, and throws the status where it is not 0.
    func finish(json: Bool, publishing: PublishingOptions) throws {
        let value = jsonValue
        if let path = publishing.report, !TextFile.write(value.text(style: .pretty) + "\n", to: path) {
            throw ReportError(path: path)
        }
        Terminal.print(json ? value.text(style: .pretty) : text)
        if report.wasInterrupted { throw ExitStatus.interrupted }
        if publishing.strict, report.lostAnything || droppedCount > 0 { throw ExitStatus.lossy }
    }

    private var droppedCount: Int {
        report.sinks.reduce(0) { $0 + $1.topics.reduce(0) { $0 + $1.dropped + $1.unconfirmed + $1.thinned } }
    }

    private var text: String {
        var sections = [SessionText.anchor(setup), table]
        let problems = SessionText.problems(report.diagnostics, report.counts)
        if !problems.isEmpty { sections.append(problems) }
        if !setup.absent.isEmpty { sections.append(SessionText.absent(setup.absent)) }
        sections.append(summaryLine)
        sections += report.sinks.compactMap { DeliveryText.connection($0) }
        let warnings = report.sinks.flatMap(\.warnings)
        if !warnings.isEmpty { sections.append(warnings.map { "warning: \($0)" }.joined(separator: "\n")) }
        return sections.joined(separator: "\n\n")
    }

    private var table: String {
        let delivery = DeliveryText.Columns(report.sinks)
        var table = TextTable(
            header: ["topic", "type", "count", "Hz", "size", "Mbit/s", "largest gap"] + delivery.header,
            leftColumns: [0, 1]
        )
        for topic in report.topics where topic.count > 0 {
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
            "\(messages) messages, \(Format.bytes(bytes)) as CDR, \(Format.seconds(report.capturedSeconds)) of capture"
        if let bagPath { line += "; bag: \(bagPath)" }
        if let publisher { line += "; published to \(publisher)" }
        if publisher == nil && bagPath == nil { line += "; nothing was sent or written" }
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
        return [
            "session": .string(setup.session.summary.name), "profile": .string(setup.plan.profile.name),
            "frames": .string(setup.plan.profile.frames.rawValue), "epoch": SessionJSON.anchor(setup.anchor),
            "captured_s": .number(report.capturedSeconds), "interrupted": .bool(report.wasInterrupted),
            "worst_lateness_s": .number(report.worstLatenessSeconds), "topics": .array(topics),
            "absent": SessionJSON.absent(setup.absent), "problems": SessionJSON.problems(report.diagnostics),
            "left_out": SessionJSON.counts(report.counts), "sinks": .array(report.sinks.map(DeliveryText.json)),
        ]
    }
}
