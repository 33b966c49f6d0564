/// Holds the time in each message's header to the time of its row.
final class StampCheck: MessageCheck {
    private struct State {
        let topic: CheckedTopic
        var lastStamp: Int64?
        var lastTime = Int64.min
        var stampedCount = 0
        var differingCount = 0
        var differences = EvenSample()
        var smallest = Int64.max
        var largest = Int64.min
        var firstPlaces: [(spot: Spot, expected: String, found: String)] = []
    }

    /// Beyond this a difference is more than the way from sender to recorder.
    private static let plausibleSkew: Int64 = 1_000_000_000

    private var states = PerTopic<State>()

    func examine(_ message: ExaminedMessage, _ context: CheckContext) {
        guard let stamp = message.stampNanoseconds else { return }
        let last = states.update(message.topic, initial: State(topic: message.topic)) { state in
            defer { (state.lastStamp, state.lastTime) = (stamp, message.timeNanoseconds) }
            note(message, stamp, in: &state)
            // A row that is stored in another order than its time has a finding of its own; readers sort it.
            return message.timeNanoseconds >= state.lastTime ? state.lastStamp : nil
        }
        if stamp == 0, message.timeNanoseconds != 0 {
            // Static transforms hold at every time: tf asks for none of them.
            if message.topic.isLatched, message.topic.stampRole == .transforms { return }
            let severity = message.topic.isLatched ? .note : context.findings.severity(foreign: .warning)
            context.at(message).add(severity, .stampZero, "a time", "0")
        } else if let last, stamp < last, !message.topic.isLatched {
            // Transforms of several nodes mix in one topic.
            let foreign: BagFinding.Severity = message.topic.stampRole == .transforms ? .note : .warning
            context.at(message).add(foreign: foreign, .stampBack, "a stamp of \(last) ns or later", "\(stamp) ns")
        }
    }

    private func note(_ message: ExaminedMessage, _ stamp: Int64, in state: inout State) {
        // A stamp that was never set has a finding of its own.
        guard stamp != 0 || message.timeNanoseconds == 0 else { return }
        state.stampedCount += 1
        let difference = stamp &- message.timeNanoseconds
        state.differences.add(difference)
        state.smallest = min(state.smallest, difference)
        state.largest = max(state.largest, difference)
        guard difference != 0 else { return }
        state.differingCount += 1
        guard state.firstPlaces.count < BagFinding.keptPlaces else { return }
        let place = (message.spot, "\(message.timeNanoseconds) ns", "\(stamp) ns (\(Milliseconds(difference)))")
        state.firstPlaces.append(place)
    }

    func finish(_ context: CheckContext) {
        var habits: [State] = []
        for (_, state) in states.all {
            guard state.differingCount > 0, let median = state.differences.median else { continue }
            let severity = severity(state, median, context)
            guard severity > .note else {
                habits.append(state)
                continue
            }
            let found =
                "\(state.differingCount) of \(state.stampedCount) that differ, by \(Milliseconds(state.smallest)) to "
                + "\(Milliseconds(state.largest)), median \(Milliseconds(median))"
            context.findings.add(
                severity,
                .stampRowDiffers,
                topic: state.topic.name,
                count: state.differingCount,
                places: [(Spot(), Self.expected, found)] + state.firstPlaces
            )
        }
        note(habits, context)
    }

    /// One note for all topics: of a recorder's habit each says the same.
    private func note(_ habits: [State], _ context: CheckContext) {
        guard let least = habits.map(\.smallest).min(), let most = habits.map(\.largest).max() else { return }
        let count = habits.reduce(0) { $0 + $1.differingCount }
        let topics = habits.count == 1 ? habits[0].topic.name : "\(habits.count) topics"
        let found = "\(count) of \(topics) that differ, by \(Milliseconds(least)) to \(Milliseconds(most))"
        context.findings.add(
            .note,
            .stampRowDiffers,
            topic: nil,
            count: count,
            places: [(Spot(), Self.expected, found)] + habits[0].firstPlaces
        )
    }

    private static let expected = "stamps equal to the times of the rows"

    /// A recorder files messages under the time at which they came: some milliseconds after their stamps, or days where
    /// what was stamped then is played now; all of them, and no more.
    private func severity(_ state: State, _ median: Int64, _ context: CheckContext) -> BagFinding.Severity {
        if context.findings.isOurs { return .error }
        if state.topic.isLatched { return .note }
        guard state.differingCount > state.stampedCount / 2 else { return .warning }
        let isNear =
            median.magnitude <= Self.plausibleSkew.magnitude
            && (state.largest &- state.smallest).magnitude <= Self.plausibleSkew.magnitude
        return isNear || state.largest <= 0 ? .note : .warning
    }
}
