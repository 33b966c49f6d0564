import Messages
import Recording
import Sessions
import Text

/// `/mapping/session`: what is published and where it comes from, latched, when the replay starts and when it has come to
/// the session's end.
struct SessionTopic: TopicSource {
    let topics: [Topic]
    let trigger = Trigger.any
    let rateHertz: Double? = nil
    private let context: SourceContext
    private var started: (session: Timestamp, stamp: Int64)?

    init?(_ context: SourceContext) {
        guard let topic = context.topic(.session, qos: .latched, delivery: .control) else { return nil }
        topics = [topic]
        self.context = context
    }

    mutating func messages(for item: PreparedItem, stamp: Int64, into batch: inout [StampedMessage]) {
        guard started == nil else { return }
        started = (item.record.time, stamp)
        batch.append(message("started", state: "Active", stamp: stamp))
    }

    var hasClosingMessages: Bool { started != nil }

    mutating func closingMessages(stamp: Int64, into batch: inout [StampedMessage]) -> Bool {
        batch.append(message("stopped", state: "Idle", stamp: stamp))
        // A loop starts again.
        started = nil
        return false
    }

    private func message(_ event: String, state: String, stamp: Int64) -> StampedMessage {
        let summary = context.summary
        var message = MappingSession()
        message.header = Header(stampNanoseconds: stamp, frameID: FrameName.map)
        message.event = event
        message.sessionID = summary.name
        message.state = state
        message.bridgeTransport = #"{"kind":"replay"}"#
        let entries = Catalogue.entries.filter { context.enabled.contains($0.kind) }
        message.enabledStreams = entries.map { context.naming.name($0.kind) }.sorted()
        message.advertisedTopics = JSONValue.array(entries.map(describe)).text()
        if let started {
            message.startedAt = CalendarText.utc(nanoseconds: started.stamp)
            let end = started.stamp &+ (summary.lastTime.nanoseconds &- started.session.nanoseconds)
            message.endedAt = CalendarText.utc(nanoseconds: state == "Idle" ? stamp : end)
        }
        message.app = Self.object(context.provenance)
        message.device = Self.object(["model": summary.deviceModel, "os": summary.osVersion].compactMapValues { $0 })
        return StampedMessage(topic: topics[0], timeNanoseconds: stamp, message: message)
    }

    /// As the app describes an advertised topic.
    private func describe(_ entry: CatalogueEntry) -> JSONValue {
        [
            "default_rate_hz": .string(context.rateHertz(entry.kind).map { "\($0)" } ?? ""),
            "id": .string(entry.name),
            "message_type": .string(entry.type.typeName),
            "topic": .string(context.naming.name(entry.kind)),
        ]
    }

    private static func object(_ values: [String: String]) -> String {
        let members = values.sorted { $0.key < $1.key }
            .map { JSONObject.Member(key: $0.key, value: .string($0.value)) }
        return JSONValue.object(JSONObject(members)).text()
    }
}
