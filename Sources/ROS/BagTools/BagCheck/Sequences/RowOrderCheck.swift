import Bags

/// Rows that go back in time, and rows that are there twice.
final class RowOrderCheck: MessageCheck {
    private var lastTimes = PerTopic<Int64?>()
    private var rows = RepeatedRows<Int>()

    func examine(_ message: ExaminedMessage, _ context: CheckContext) {
        let time = message.timeNanoseconds
        // A copy that comes late is one finding, not two.
        if rows.isRepeated(topic: message.topic.index, timeNanoseconds: time, bytes: message.bytes) {
            context.at(message).add(.note, .messageRepeated, "one message of \(time) ns", "the same bytes again")
            return
        }
        let last = lastTimes.update(message.topic, initial: nil) { last in
            defer { last = time }
            return last
        }
        if let last, time < last {
            let severity = severity(message, context)
            context.at(message).add(severity, .messageOrder, "a time of \(last) ns or later", "\(time) ns")
        }
    }

    /// Readers of .mcap take the order from the indexes, so that there it only costs time.
    private func severity(_ message: ExaminedMessage, _ context: CheckContext) -> BagFinding.Severity {
        if case .row = message.spot.position { return context.findings.severity(foreign: .warning) }
        return context.findings.severity(foreign: .note)
    }
}
