import JSONText
import Messages
import Recording
import Sessions

/// `/mapping/session`: what is being published and where it comes from, latched, once.
struct SessionTopic: TopicSource {
    let topics: [Topic]
    let trigger = Trigger.any
    let rateHertz: Double? = nil
    private let context: SourceContext
    private var isDone = false

    init?(_ context: SourceContext) {
        guard let topic = context.topic(.session, qos: .latched, delivery: .control) else { return nil }
        topics = [topic]
        self.context = context
    }

    mutating func messages(for item: PreparedItem, stamp: Int64, into batch: inout [StampedMessage]) {
        guard !isDone else { return }
        isDone = true
        let summary = context.summary
        var message = MappingSession()
        message.header = Header(stampNanoseconds: stamp, frameID: FrameName.map)
        message.event = "started"
        message.sessionID = summary.name
        message.state = "Active"
        message.bridgeTransport = #"{"kind":"replay"}"#
        let names = context.enabled.map { context.naming.name($0) }.sorted()
        message.enabledStreams = names
        message.advertisedTopics = JSONValue.array(names.map { .string($0) }).text()
        let endOfSession = stamp &+ (summary.lastTime.nanoseconds &- item.record.time.nanoseconds)
        message.startedAt = CalendarText.utc(nanoseconds: stamp)
        message.endedAt = CalendarText.utc(nanoseconds: endOfSession)
        message.app = Self.object(context.provenance)
        message.device = Self.object(["model": summary.deviceModel, "os": summary.osVersion].compactMapValues { $0 })
        batch.append(StampedMessage(topic: topics[0], timeNanoseconds: stamp, message: message))
    }

    private static func object(_ values: [String: String]) -> String {
        let members = values.sorted { $0.key < $1.key }
            .map { JSONObject.Member(key: $0.key, value: .string($0.value)) }
        return JSONValue.object(JSONObject(members)).text()
    }
}

/// `/mapping/status`: how far the replay is and what it had to leave out, as diagnostics.
struct StatusTopic: TopicSource {
    let topics: [Topic]
    let trigger = Trigger.any
    let rateHertz: Double?
    private let context: SourceContext
    private var diagnostics = Diagnostics()
    private var counts = ReplayCounts()

    init?(_ context: SourceContext) {
        guard let topic = context.topic(.status) else { return nil }
        topics = [topic]
        rateHertz = context.rateHertz(.status)
        self.context = context
    }

    mutating func messages(for item: PreparedItem, stamp: Int64, into batch: inout [StampedMessage]) {
        diagnostics.append(item.diagnostics)
        counts.append(item.remarks)
        var message = DiagnosticArray()
        message.header = Header(stampNanoseconds: stamp, frameID: "")
        message.status = [progress(item), losses()]
        batch.append(StampedMessage(topic: topics[0], timeNanoseconds: stamp, message: message))
    }

    private func progress(_ item: PreparedItem) -> DiagnosticStatus {
        let summary = context.summary
        let elapsed = item.record.time.seconds(since: summary.firstTime)
        return Self.status(
            "mapeverything/replay",
            isWarning: false,
            "\(Int(elapsed.rounded())) of \(Int(summary.durationSeconds.rounded())) s",
            [
                ("session", summary.name), ("profile", context.profile.name),
                ("frames_policy", context.frames.rawValue),
                ("tracking", item.frame?.tracking.rawValue ?? "unknown"),
            ]
        )
    }

    private func losses() -> DiagnosticStatus {
        let lost = diagnostics.lostCount
        return Self.status(
            "mapeverything/capture",
            isWarning: lost > 0,
            lost == 0 ? "nothing lost" : "\(lost) problems",
            diagnostics.entries.map { ($0.kind.rawValue, "\($0.count)") }
                + [("empty_clouds", "\(counts.emptyClouds)"), ("colourless_clouds", "\(counts.colourlessClouds)")]
        )
    }

    private static func status(
        _ name: String,
        isWarning: Bool,
        _ text: String,
        _ values: [(String, String)]
    ) -> DiagnosticStatus {
        var status = DiagnosticStatus()
        status.level = isWarning ? DiagnosticStatus.warn : DiagnosticStatus.ok
        status.name = name
        status.message = text
        status.hardwareID = "recorded"
        status.values = values.map { key, value in
            var pair = KeyValue()
            pair.key = key
            pair.value = value
            return pair
        }
        return status
    }
}
