import Messages
import Rosbridge
import Text

/// What the benchmark says, as a JSON value; MB are 10^6 bytes, Mbit 10^6 bits.
struct ThroughputReport {
    let streams: [LoadStream]
    let seconds: Double

    static let plannedColumns = [
        "profile", "topic", "target_hz", "messages", "payload_bytes", "json_bytes", "json_mb_per_s", "json_mbit_per_s",
    ]
    static let measuredColumns = [
        "profile", "target_hz", "observed_hz", "due", "messages", "json_bytes", "json_mb_per_s", "json_mbit_per_s",
        "median_ms", "p99_ms",
    ]

    /// What would be sent.
    func planned() throws -> JSONValue {
        let lengths = try streams.map(jsonBytes)
        let profiles: [JSONValue] = zip(streams, lengths).map { stream, length in
            .object(
                of(stream)
                    + [("messages", due(stream, stream.dueCount(seconds: seconds))), ("json_bytes", .integer(length))]
                    + (stream.isPaced ? rate(Double(length) * stream.rateHertz) : [])
            )
        }
        let total = zip(streams, lengths).filter(\.0.isPaced).reduce(0) { $0 + Double($1.1) * $1.0.rateHertz }
        return .object(
            [("dry_run", true), ("duration_s", .number(seconds)), ("profiles", .array(profiles))] + rate(total)
                + [("note", "nothing was sent")]
        )
    }

    /// What came of it.
    func measured(_ report: ProfileLoadReport) -> JSONValue {
        let profiles: [JSONValue] = zip(streams, report.streams).map { stream, result in
            .object(
                of(stream) + [
                    ("observed_hz", .number(result.observedHertz)), ("due", due(stream, result.due)),
                    ("sent", .integer(result.sent.messages)), ("messages", .integer(result.confirmed.messages)),
                    ("json_bytes", .integer(result.confirmed.jsonBytes)),
                ] + rate(result.jsonBytesPerSecond) + [("latency", latency(result.latency))]
            )
        }
        let hasEnded = !report.isInterrupted && report.failure == nil
        let slow = zip(streams, report.streams).filter { stream, result in
            stream.isPaced
                && (result.confirmed.messages < result.due || result.observedHertz < result.targetHertz * 0.98)
        }
        return .object(
            [
                ("dry_run", false), ("server", .string(report.server)), ("duration_s", .number(seconds)),
                ("elapsed_s", .number(report.elapsedSeconds)), ("profiles", .array(profiles)),
                ("messages", .integer(report.confirmedMessages)),
            ] + rate(report.jsonBytesPerSecond) + [
                ("idle_ping_ms", milliseconds(report.idlePing)), ("idle_barrier_ms", milliseconds(report.idleBarrier)),
                ("worst_lateness_s", .number(report.worstLatenessSeconds)),
                ("rate_not_reached_by", hasEnded ? .array(slow.map { .string($0.0.name) }) : .null),
                ("warnings", .array(report.warnings.map { .string($0) })), ("interrupted", .bool(report.isInterrupted)),
                ("error", report.failure.map { .string($0.description) } ?? .null),
            ]
        )
    }

    private func of(_ stream: LoadStream) -> [(String, JSONValue)] {
        [
            ("profile", .string(stream.name)), ("topic", .string(stream.topic.name)),
            ("type", .string(stream.topic.typeName)), ("target_hz", stream.isPaced ? .number(stream.rateHertz) : .null),
            ("payload_bytes", .integer(stream.payloadBytes)),
        ]
    }

    private func due(_ stream: LoadStream, _ count: Int) -> JSONValue { stream.isPaced ? .integer(count) : .null }

    /// The median.
    private func milliseconds(_ times: RoundTrips) -> JSONValue {
        times.medianSeconds.map { .number($0 * 1e3) } ?? .null
    }

    private func rate(_ bytesPerSecond: Double) -> [(String, JSONValue)] {
        [("json_mb_per_s", .number(bytesPerSecond / 1e6)), ("json_mbit_per_s", .number(bytesPerSecond * 8 / 1e6))]
    }

    /// From before the first byte of a message to the answer of the barrier behind it.
    private func latency(_ times: RoundTrips) -> JSONValue {
        let figures = [
            ("min_ms", times.leastSeconds), ("median_ms", times.medianSeconds), ("p99_ms", times.seconds(within: 0.99)),
            ("max_ms", times.mostSeconds),
        ]
        let members = figures.compactMap { name, seconds in seconds.map { (name, JSONValue.number($0 * 1e3)) } }
        return members.isEmpty ? .null : .object([("n", .integer(times.count))] + members)
    }

    private func jsonBytes(_ stream: LoadStream) throws -> Int {
        var bytes: [UInt8] = []
        // A stamp as long as one of our days.
        let message = stream.message(1_767_268_800_123_456_789)
        try RosbridgeEnvelope.appendPublish(topic: stream.topic.name, message: message, to: &bytes)
        return bytes.count
    }
}

extension JSONValue {
    fileprivate static func integer(_ value: Int) -> JSONValue { .integer(Int64(value)) }

    fileprivate static func object(_ members: [(String, JSONValue)]) -> JSONValue {
        .object(JSONObject(members.map { JSONObject.Member(key: $0.0, value: $0.1) }))
    }
}
