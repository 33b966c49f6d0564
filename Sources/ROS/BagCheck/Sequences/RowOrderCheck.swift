/// Rows that go back in time, and rows that are there twice.
final class RowOrderCheck: MessageCheck {
    private struct State {
        var lastTime: Int64?
        var lastDigest: Int?
    }

    private var states = PerTopic<State>()

    func examine(_ message: ExaminedMessage, _ context: CheckContext) {
        let (last, isRepeated) = states.update(message.topic, initial: State()) { state in
            let last = state.lastTime
            var isRepeated = false
            if last == message.timeNanoseconds {
                let digest = Self.digest(message.bytes)
                isRepeated = state.lastDigest == digest
                state.lastDigest = digest
            } else {
                state.lastDigest = nil
            }
            state.lastTime = message.timeNanoseconds
            return (last, isRepeated)
        }
        if let last, message.timeNanoseconds < last {
            let severity = severity(message, context)
            let found = "\(message.timeNanoseconds) ns"
            context.at(message).add(severity, .messageOrder, "a time of \(last) ns or later", found)
        }
        if isRepeated {
            let expected = "one message of \(message.timeNanoseconds) ns"
            context.at(message).add(.note, .messageRepeated, expected, "the same bytes again")
        }
    }

    /// Readers of .mcap take the order from the indexes, so that there it only costs time.
    private func severity(_ message: ExaminedMessage, _ context: CheckContext) -> BagFinding.Severity {
        if case .row = message.spot.position { return context.findings.severity(foreign: .warning) }
        return context.findings.severity(foreign: .note)
    }

    private static func digest(_ bytes: UnsafeRawBufferPointer) -> Int {
        var hasher = Hasher()
        hasher.combine(bytes: bytes)
        return hasher.finalize()
    }
}
