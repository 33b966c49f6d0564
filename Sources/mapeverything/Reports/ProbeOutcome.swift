import JSONText
import Probe
import Rosbridge

/// What `probe` says.
struct ProbeOutcome {
    let report: ProbeReport

    var text: String {
        var head = report.server
        if let address = report.address, !report.server.hasSuffix(address) { head += " at \(address)" }
        if report.isCompressed { head += ", compressed" }
        var sections = [head]
        if !times.isEmpty { sections.append(times.text) }
        if !rates.isEmpty { sections.append(rates.text) }
        let remarks = remarks + ProbeMeaning(report).sentences
        if !remarks.isEmpty { sections.append(remarks.joined(separator: "\n")) }
        if !report.warnings.isEmpty {
            sections.append(Format.warnings(report.warnings))
        }
        if report.isInterrupted { sections.append("interrupted: these are the figures so far") }
        return sections.joined(separator: "\n\n")
    }

    private var figures: [(name: String, key: String, times: RoundTrips)] {
        [
            ("name resolution", "name_resolution", report.resolution), ("TCP connect", "tcp_connect", report.connect),
            ("TLS handshake", "tls_handshake", report.tls),
            ("WebSocket handshake", "websocket_handshake", report.handshake), ("ping", "ping", report.ping),
            ("barrier", "barrier", report.barrier),
        ]
    }

    private var times: TextTable {
        var table = TextTable(header: ["ms", "n", "min", "median", "p99", "max"], leftColumns: [0])
        let behind = report.payloads.map { ("barrier behind \(Format.bytes($0.payloadBytes))", $0.barrierBehind) }
        for (name, times) in figures.map({ ($0.name, $0.times) }) + behind where !times.isEmpty {
            table.add(
                [name, "\(times.count)"] + [times.leastSeconds, times.medianSeconds].map(milliseconds)
                    + [times.seconds(within: 0.99), times.mostSeconds].map(milliseconds)
            )
        }
        return table
    }

    private func milliseconds(_ seconds: Double?) -> String {
        seconds.map { Format.number($0 * 1e3, decimals: 2) } ?? "-"
    }

    private var rates: TextTable {
        var table = TextTable(
            header: ["payload", "as JSON", "confirmed", "msg/s", "payload MB/s", "JSON MB/s", "JSON Mbit/s"],
            leftColumns: []
        )
        for payload in report.payloads where payload.sentMessages > 0 {
            let rate = payload.sustained
            table.add([
                Format.bytes(payload.payloadBytes), Format.bytes(payload.jsonBytes),
                "\(payload.confirmedMessages) of \(payload.sentMessages)",
                rate.map { Format.number($0.messagesPerSecond, decimals: 1) } ?? "-",
                payload.payloadBytesPerSecond.map { Format.number($0 / 1e6, decimals: 2) } ?? "-",
                rate.map { Format.number($0.jsonBytesPerSecond / 1e6, decimals: 2) } ?? "-",
                rate.map { Format.number($0.jsonBytesPerSecond * 8 / 1e6, decimals: 1) } ?? "-",
            ])
        }
        return table
    }

    private var remarks: [String] {
        var lines: [String] = []
        if report.unansweredPings > 0 { lines.append("ping: not answered in time") }
        if report.unansweredBarriers > 0 {
            lines.append("barrier: not answered in time, so no rate is claimed that it would have confirmed")
        }
        for payload in report.payloads {
            guard let problem = payload.problem else { continue }
            lines.append("\(Format.bytes(payload.payloadBytes)): \(problem)")
        }
        return lines
    }

    // MARK: - For machines

    var json: JSONValue {
        var members: [(String, JSONValue)] = [
            ("server", .string(report.server)), ("address", .string(report.address)),
            ("compressed", .bool(report.isCompressed)),
        ]
        members += figures.map { ($0.key, Self.object($0.times)) }
        members += [
            ("unanswered_pings", .integer(report.unansweredPings)),
            ("unanswered_barriers", .integer(report.unansweredBarriers)),
            ("payloads", .array(report.payloads.map(object))),
            ("meaning", .array(ProbeMeaning(report).sentences.map { .string($0) })),
            ("warnings", .strings(report.warnings)), ("interrupted", .bool(report.isInterrupted)),
            ("error", report.failure.map { .string($0.description) } ?? .null),
        ]
        return .object(members)
    }

    /// The figures about times, in milliseconds; null where there are none.
    static func object(_ times: RoundTrips) -> JSONValue {
        func value(_ seconds: Double?) -> JSONValue { seconds.map { .number($0 * 1e3) } ?? .null }
        guard !times.isEmpty else { return .null }
        return [
            "n": .integer(times.count), "min_ms": value(times.leastSeconds),
            "median_ms": value(times.medianSeconds), "p99_ms": value(times.seconds(within: 0.99)),
            "max_ms": value(times.mostSeconds),
        ]
    }

    private func object(_ payload: PayloadReport) -> JSONValue {
        var sustained = JSONValue.null
        if let rate = payload.sustained {
            sustained = [
                "seconds": .number(rate.seconds), "messages": .integer(rate.messages),
                "messages_per_s": .number(rate.messagesPerSecond),
                "payload_mb_per_s": .number((payload.payloadBytesPerSecond ?? 0) / 1e6),
                "json_mb_per_s": .number(rate.jsonBytesPerSecond / 1e6),
                "json_mbit_per_s": .number(rate.jsonBytesPerSecond * 8 / 1e6),
            ]
        }
        return [
            "payload_bytes": .integer(payload.payloadBytes), "json_bytes": .integer(payload.jsonBytes),
            "barrier_behind": Self.object(payload.barrierBehind), "sent": .integer(payload.sentMessages),
            "confirmed": .integer(payload.confirmedMessages), "sustained": sustained,
            "problem": .string(payload.problem),
        ]
    }
}
