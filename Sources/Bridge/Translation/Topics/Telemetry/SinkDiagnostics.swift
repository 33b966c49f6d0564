import Messages
import Playback

/// The entries of `/mapping/status` about the sinks of the messages.
enum SinkDiagnostics {
    static func status(_ playback: PlaybackStatus) -> [DiagnosticStatus] {
        var entries = [payloads(playback.topics)]
        for sink in playback.sinks {
            switch sink {
            case .bag:
                let count = playback.topics.reduce(0) { $0 + $1.count }
                entries.append(
                    DiagnosticStatus(
                        "mapping/local_bag_storage",
                        isWarning: false,
                        "recording",
                        [("recording", "true"), ("message_count", "\(count)")]
                    )
                )
            case .bridge(let bridge): entries += [connection(bridge), queue(bridge)]
            }
        }
        return entries
    }

    /// Sizes as CDR, by topic: what every sink was given before this message.
    private static func payloads(_ topics: [TopicStatistics]) -> DiagnosticStatus {
        let values = topics.flatMap { topic in
            [
                ("message_count", topic.count), ("bytes_total", topic.bytes), ("max_bytes", topic.largestBytes),
                ("last_bytes", topic.lastBytes),
            ].map { ("\(topic.name)_\($0)", "\($1)") }
        }
        let count = topics.reduce(0) { $0 + $1.count }
        return DiagnosticStatus(
            "mapping/stream_payload_metrics",
            isWarning: false,
            "\(count) messages on \(topics.count) topics",
            values
        )
    }

    private static func connection(_ bridge: SinkStatus.Bridge) -> DiagnosticStatus {
        var status = DiagnosticStatus(
            "mapping/ros2_bridge",
            isWarning: false,
            bridge.isConnected ? "connected" : "not connected",
            [
                ("connected", "\(bridge.isConnected)"), ("recorder_url", bridge.url),
                ("interruptions", "\(bridge.interruptions)"),
                ("disconnected_seconds", "\(DiagnosticStatus.rounded(bridge.disconnectedSeconds))"),
                ("last_error", bridge.lastWarning ?? ""),
            ]
        )
        if !bridge.isConnected { status.level = DiagnosticStatus.error }
        return status
    }

    /// A queue that is nearly full, or one that gave up messages, is a warning, as in the app.
    private static func queue(_ bridge: SinkStatus.Bridge) -> DiagnosticStatus {
        let isNearlyFull = 5 * bridge.queuedBytes > 4 * bridge.queueLimitBytes
        let lost = bridge.droppedMessages + bridge.refusedMessages
        return DiagnosticStatus(
            "mapping/publish_queue",
            isWarning: isNearlyFull || lost > 0,
            lost > 0 ? "\(lost) messages lost" : isNearlyFull ? "nearly full" : "\(bridge.queuedMessages) waiting",
            [
                ("capacity_bytes", "\(bridge.queueLimitBytes)"), ("depth", "\(bridge.queuedMessages)"),
                ("depth_bytes", "\(bridge.queuedBytes)"), ("sent_messages", "\(bridge.sentMessages)"),
                ("sent_bytes", "\(bridge.sentBytes)"), ("confirmed_messages", "\(bridge.confirmedMessages)"),
                ("dropped_messages", "\(bridge.droppedMessages)"), ("retried_messages", "\(bridge.resentMessages)"),
                ("refused_messages", "\(bridge.refusedMessages)"),
            ]
        )
    }
}

extension DiagnosticStatus {
    init(_ name: String, isWarning: Bool, _ text: String, _ values: [(String, String)]) {
        self.init()
        level = isWarning ? DiagnosticStatus.warn : DiagnosticStatus.ok
        self.name = name
        message = text
        hardwareID = "recorded"
        self.values = values.map { KeyValue(key: $0, value: $1) }
    }

    /// To thousandths.
    static func rounded(_ value: Double) -> Double { (value * 1000).rounded() / 1000 }
}
