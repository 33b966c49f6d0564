import JSONText
import Messages
import Probe
import Rosbridge

/// What the throughput benchmark says: a Markdown table, or JSON.
///
/// MB are 10^6 bytes and stand for bytes; Mbit/s have a column of their own.
struct ThroughputTable {
    let streams: [LoadStream]
    let seconds: Double

    // MARK: - What would be sent

    func planned() throws -> String {
        var rows: [[String]] = []
        var total = 0.0
        for stream in streams {
            let length = try jsonBytes(stream)
            total += Double(length) * stream.rateHertz
            rows.append([
                stream.name, stream.topic.name, stream.topic.typeName, rate(stream.rateHertz),
                "\(stream.dueCount(seconds: seconds))", "\(stream.payloadBytes)", "\(length)",
                megabytes(Double(length) * stream.rateHertz), megabits(Double(length) * stream.rateHertz),
            ])
        }
        rows.append(["together", "", "", "", "", "", "", megabytes(total), megabits(total)])
        let header = [
            "profile", "topic", "type", "target Hz", "messages", "payload B", "JSON B", "JSON MB/s", "Mbit/s",
        ]
        return markdown(header, leftColumns: 3, rows) + "\n\nnothing was sent"
    }

    func plannedJSON() throws -> String {
        let profiles: [JSONValue] = try streams.map { stream in
            let length = try jsonBytes(stream)
            return [
                "profile": .string(stream.name), "topic": .string(stream.topic.name),
                "type": .string(stream.topic.typeName), "target_hz": .number(stream.rateHertz),
                "messages": .integer(stream.dueCount(seconds: seconds)),
                "payload_bytes": .integer(stream.payloadBytes), "json_bytes": .integer(length),
                "json_mb_per_s": .number(Double(length) * stream.rateHertz / 1e6),
                "json_mbit_per_s": .number(Double(length) * stream.rateHertz * 8 / 1e6),
            ]
        }
        let all: JSONValue = [
            "dry_run": .bool(true), "duration_s": .number(seconds), "profiles": .array(profiles),
        ]
        return all.text(style: .pretty)
    }

    private func jsonBytes(_ stream: LoadStream) throws -> Int {
        var bytes: [UInt8] = []
        // A stamp as long as one of our days.
        let message = stream.message(1_767_268_800_123_456_789)
        try RosbridgeEnvelope.appendPublish(topic: stream.topic.name, message: message, to: &bytes)
        return bytes.count
    }

    // MARK: - What came of it

    func text(_ report: ProfileLoadReport) -> String {
        var rows = zip(streams, report.streams).map { stream, result in
            [
                result.name, rate(result.targetHertz), rate(result.observedHertz),
                "\(result.confirmed.messages) of \(result.due)", "\(result.confirmed.jsonBytes)",
                megabytes(result.jsonBytesPerSecond), megabits(result.jsonBytesPerSecond),
                milliseconds(result.latency.medianSeconds), milliseconds(result.latency.seconds(within: 0.99)),
            ]
        }
        let total = report.jsonBytesPerSecond
        rows.append([
            "together", "", "", "\(report.confirmedMessages) of \(report.streams.reduce(0) { $0 + $1.due })",
            "\(report.streams.reduce(0) { $0 + $1.confirmed.jsonBytes })", megabytes(total), megabits(total), "", "",
        ])
        let header = [
            "profile", "target Hz", "confirmed Hz", "confirmed", "JSON B", "JSON MB/s", "Mbit/s", "median ms", "p99 ms",
        ]
        let table = markdown(header, leftColumns: 1, rows)
        return ([table, ""] + sentences(report)).joined(separator: "\n")
    }

    private func sentences(_ report: ProfileLoadReport) -> [String] {
        var lines = [
            "\(report.server): \(Format.seconds(report.elapsedSeconds)), sent at most "
                + "\(milliseconds(report.worstLatenessSeconds)) ms late; times are from a message to the answer of the "
                + "barrier behind it"
        ]
        let slow = report.streams.filter { $0.confirmed.messages < $0.due || $0.observedHertz < $0.targetHertz * 0.98 }
        if !report.isInterrupted, report.failure == nil {
            lines.append(
                slow.isEmpty
                    ? "every profile reached its rate"
                    : "not reached by: \(slow.map(\.name).joined(separator: ", "))"
            )
        }
        lines += report.warnings.map { "warning: \($0)" }
        if report.isInterrupted { lines.append("interrupted: these are the figures so far") }
        return lines
    }

    func json(_ report: ProfileLoadReport) -> String {
        let profiles: [JSONValue] = zip(streams, report.streams).map { stream, result in
            [
                "profile": .string(result.name), "topic": .string(stream.topic.name),
                "type": .string(stream.topic.typeName), "target_hz": .number(result.targetHertz),
                "observed_hz": .number(result.observedHertz), "due": .integer(result.due),
                "sent": .integer(result.sent.messages), "messages": .integer(result.confirmed.messages),
                "payload_bytes": .integer(stream.payloadBytes),
                "json_bytes": .integer(result.confirmed.jsonBytes),
                "json_mb_per_s": .number(result.jsonBytesPerSecond / 1e6),
                "json_mbit_per_s": .number(result.jsonBytesPerSecond * 8 / 1e6),
                "latency": ProbeOutcome.object(result.latency),
            ]
        }
        let all: JSONValue = [
            "dry_run": .bool(false), "server": .string(report.server), "duration_s": .number(seconds),
            "elapsed_s": .number(report.elapsedSeconds), "profiles": .array(profiles),
            "messages": .integer(report.confirmedMessages),
            "json_mb_per_s": .number(report.jsonBytesPerSecond / 1e6),
            "json_mbit_per_s": .number(report.jsonBytesPerSecond * 8 / 1e6),
            "worst_lateness_s": .number(report.worstLatenessSeconds),
            "warnings": .strings(report.warnings), "interrupted": .bool(report.isInterrupted),
            "error": report.failure.map { .string($0.description) } ?? .null,
        ]
        return all.text(style: .pretty)
    }

    // MARK: - Cells

    private func markdown(_ header: [String], leftColumns: Int, _ rows: [[String]]) -> String {
        let rule = header.indices.map { $0 < leftColumns ? "---" : "---:" }
        let lines = [header, rule] + rows
        let widths = header.indices.map { column in lines.map { $0[column].count }.max() ?? 0 }
        return lines.enumerated().map { number, row in
            let cells = row.enumerated().map { column, cell -> String in
                let padding = widths[column] - cell.count
                if number == 1 { return String(repeating: "-", count: padding) + cell }
                let spaces = String(repeating: " ", count: padding)
                return column < leftColumns ? cell + spaces : spaces + cell
            }
            return "| " + cells.joined(separator: " | ") + " |"
        }.joined(separator: "\n")
    }

    private func rate(_ hertz: Double) -> String { Format.number(hertz, decimals: hertz < 1 ? 4 : 2) }
    private func megabytes(_ bytes: Double) -> String { Format.number(bytes / 1e6, decimals: 3) }
    private func megabits(_ bytes: Double) -> String { Format.number(bytes * 8 / 1e6, decimals: 2) }
    private func milliseconds(_ seconds: Double?) -> String {
        seconds.map { Format.number($0 * 1e3, decimals: 1) } ?? "-"
    }
}
