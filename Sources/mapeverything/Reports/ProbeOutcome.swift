import Rosbridge
import Text

/// The figures of a probe, for people and programs.
struct ProbeOutcome {
    let probe: ProbeReport

    var report: Report {
        var report = Report()
        var head = probe.server
        if let address = probe.address, !probe.server.hasSuffix(address) { head += " at \(address)" }
        report.say(head + (probe.isCompressed ? ", compressed" : ""))
        report.say(times.textOfRows)
        report.say(rates.textOfRows)
        report.say(remarks + meaning)
        report.say(Format.warnings(probe.warnings))
        if probe.isInterrupted { report.say("interrupted: these are the figures so far") }
        report.json(["server": probe.server, "address": probe.address, "compressed": probe.isCompressed])
        for figure in figures { report.json(figure.key, Self.json(figure.times)) }
        report.json("unanswered_pings", probe.unansweredPings)
        report.json("unanswered_barriers", probe.unansweredBarriers)
        let sustained = Column<PayloadReport>.json("sustained") { payload in
            payload.sustained.map { _ in JSONValue.object(Self.rateColumns.members(of: payload)) }
        }
        let payloads = Self.payloadColumns + [sustained, .json("problem") { $0.problem }]
        report.json([
            "payloads": Table(payloads, probe.payloads).json, "meaning": meaning, "warnings": probe.warnings,
            "interrupted": probe.isInterrupted, "error": probe.failure?.description,
        ])
        report.ending = probe.isInterrupted ? ExitStatus.interrupted : probe.failure
        return report
    }

    private var figures: [(name: String, key: String, times: RoundTrips)] {
        [
            ("name resolution", "name_resolution", probe.resolution), ("TCP connect", "tcp_connect", probe.connect),
            ("TLS handshake", "tls_handshake", probe.tls),
            ("WebSocket handshake", "websocket_handshake", probe.handshake), ("ping", "ping", probe.ping),
            ("barrier", "barrier", probe.barrier),
        ]
    }

    private typealias Figure = (name: String, times: RoundTrips)

    private var times: Table<Figure> {
        let behind = probe.payloads.map { ("barrier behind \(Format.bytes($0.payloadBytes))", $0.barrierBehind) }
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
            .json("barrier_behind") { json($0.barrierBehind) }, .json("sent") { $0.sentMessages },
            .right("confirmed", "confirmed") { payload in
                let confirmed = payload.confirmedMessages
                return Cell("\(confirmed) of \(payload.sentMessages)", .integer(confirmed))
            },
        ]
    }

    /// The confirmed rates under load.
    private static var rateColumns: [Column<PayloadReport>] {
        [
            .json("seconds") { $0.sustained?.seconds }, .json("messages") { $0.sustained?.messages },
            .right("msg/s", "messages_per_s") { .number($0.sustained?.messagesPerSecond, decimals: 1) },
            .right("payload MB/s", "payload_mb_per_s") { .number($0.payloadBytesPerSecond.map { $0 / 1e6 }) },
            .right("JSON MB/s", "json_mb_per_s") { .number($0.sustained.map { $0.jsonBytesPerSecond / 1e6 }) },
            .right("JSON Mbit/s", "json_mbit_per_s") { payload in
                .number(payload.sustained.map { $0.jsonBytesPerSecond * 8 / 1e6 }, decimals: 1)
            },
        ]
    }

    private var rates: Table<PayloadReport> {
        Table(Self.payloadColumns + Self.rateColumns, probe.payloads.filter { $0.sentMessages > 0 })
    }

    private var remarks: [String] {
        var lines: [String] = []
        if probe.unansweredPings > 0 { lines.append("ping: not answered in time") }
        if probe.unansweredBarriers > 0 {
            lines.append("barrier: not answered in time, so no rate is claimed that it would have confirmed")
        }
        for payload in probe.payloads {
            guard let problem = payload.problem else { continue }
            lines.append("\(Format.bytes(payload.payloadBytes)): \(problem)")
        }
        return lines
    }

    /// The bytes that the profile `record` publishes in a second of capture: 2 images of 560 kB and 10 clouds of 55 kB.
    private static let recordBytesPerSecond = 2 * 560e3 + 10 * 55e3
    /// Sizes from which a message is like an image or a cloud: below, a server's cost is that of messages, not bytes.
    private static let bulkBytes = 32 << 10

    /// The meaning of the figures for a replay.
    private var meaning: [String] { [queue, rate].compactMap(\.self) }

    private var queue: String? {
        guard let ping = probe.ping.medianSeconds, let barrier = probe.barrier.medianSeconds else { return nil }
        guard barrier > 0.05, barrier > ping * 10 else { return nil }
        return "the network is fast and the server is slow to answer: it is busy, or calls of services are"
    }

    private var rate: String? {
        let all = probe.payloads.filter { $0.sustained != nil }
        let bulk = all.filter { $0.payloadBytes >= Self.bulkBytes }
        let rates = (bulk.isEmpty ? all : bulk).compactMap(\.payloadBytesPerSecond)
        guard let least = rates.min() else { return nil }
        let factor = least / Self.recordBytesPerSecond
        let need = Format.number(Self.recordBytesPerSecond / 1e6, decimals: 1)
        let needed =
            "profile record needs about \(need) MB/s (2 images of 560 kB and 10 clouds of 55 kB a second): with "
            + "\(Format.number(least / 1e6, decimals: 1)) MB/s "
        guard factor >= 1 else {
            return needed + "this server keeps up to --rate \(Format.number(factor, decimals: 2)) only"
        }
        return needed + "there is room for up to --rate \(Format.number(factor, decimals: 1))"
    }
}
