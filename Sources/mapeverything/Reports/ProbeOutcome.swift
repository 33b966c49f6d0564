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
        sections += [times.textOfRows, rates.textOfRows]
        sections.append((remarks + ProbeMeaning(report).sentences).joined(separator: "\n"))
        sections.append(Format.warnings(report.warnings))
        if report.isInterrupted { sections.append("interrupted: these are the figures so far") }
        return sections.filter { !$0.isEmpty }.joined(separator: "\n\n")
    }

    private var figures: [(name: String, key: String, times: RoundTrips)] {
        [
            ("name resolution", "name_resolution", report.resolution), ("TCP connect", "tcp_connect", report.connect),
            ("TLS handshake", "tls_handshake", report.tls),
            ("WebSocket handshake", "websocket_handshake", report.handshake), ("ping", "ping", report.ping),
            ("barrier", "barrier", report.barrier),
        ]
    }

    private typealias Figure = (name: String, times: RoundTrips)

    private var times: Table<Figure> {
        let behind = report.payloads.map { ("barrier behind \(Format.bytes($0.payloadBytes))", $0.barrierBehind) }
        return Table(Self.timeColumns, (figures.map { ($0.name, $0.times) } + behind).filter { !$0.1.isEmpty })
    }

    /// The figures about times, in milliseconds.
    private static var timeColumns: [Column<Figure>] {
        func milliseconds(_ seconds: Double?) -> Cell { .number(seconds.map { $0 * 1e3 }) }
        return [
            .left("ms") { Cell($0.name) }, .right("n", "n") { .count($0.times.count) },
            .right("min", "min_ms") { milliseconds($0.times.leastSeconds) },
            .right("median", "median_ms") { milliseconds($0.times.medianSeconds) },
            .right("p99", "p99_ms") { milliseconds($0.times.seconds(within: 0.99)) },
            .right("max", "max_ms") { milliseconds($0.times.mostSeconds) },
        ]
    }

    private static func json(_ times: RoundTrips) -> JSONValue {
        times.isEmpty ? .null : .object(timeColumns.members(of: ("", times)))
    }

    private static var payloadColumns: [Column<PayloadReport>] {
        [
            .right("payload", "payload_bytes") { .bytes($0.payloadBytes) },
            .right("as JSON", "json_bytes") { .bytes($0.jsonBytes) },
            .json("barrier_behind") { json($0.barrierBehind) }, .json("sent") { .integer($0.sentMessages) },
            .right("confirmed", "confirmed") { payload in
                let confirmed = payload.confirmedMessages
                return Cell("\(confirmed) of \(payload.sentMessages)", .integer(confirmed))
            },
        ]
    }

    /// What was confirmed under load.
    private static var rateColumns: [Column<PayloadReport>] {
        [
            .json("seconds") { .number($0.sustained?.seconds) }, .json("messages") { .integer($0.sustained?.messages) },
            .right("msg/s", "messages_per_s") { .number($0.sustained?.messagesPerSecond, decimals: 1) },
            .right("payload MB/s", "payload_mb_per_s") { .number($0.payloadBytesPerSecond.map { $0 / 1e6 }) },
            .right("JSON MB/s", "json_mb_per_s") { .number($0.sustained.map { $0.jsonBytesPerSecond / 1e6 }) },
            .right("JSON Mbit/s", "json_mbit_per_s") { payload in
                .number(payload.sustained.map { $0.jsonBytesPerSecond * 8 / 1e6 }, decimals: 1)
            },
        ]
    }

    private var rates: Table<PayloadReport> {
        Table(Self.payloadColumns + Self.rateColumns, report.payloads.filter { $0.sentMessages > 0 })
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
        let payloads =
            Self.payloadColumns + [
                .json("sustained") { $0.sustained == nil ? .null : .object(Self.rateColumns.members(of: $0)) },
                .json("problem") { .string($0.problem) },
            ]
        var members: [(String, JSONValue)] = [
            ("server", .string(report.server)), ("address", .string(report.address)),
            ("compressed", .bool(report.isCompressed)),
        ]
        members += figures.map { ($0.key, Self.json($0.times)) }
        members += [
            ("unanswered_pings", .integer(report.unansweredPings)),
            ("unanswered_barriers", .integer(report.unansweredBarriers)),
            ("payloads", Table(payloads, report.payloads).json),
            ("meaning", .strings(ProbeMeaning(report).sentences)),
            ("warnings", .strings(report.warnings)), ("interrupted", .bool(report.isInterrupted)),
            ("error", report.failure.map { .string($0.description) } ?? .null),
        ]
        return .object(members)
    }
}
