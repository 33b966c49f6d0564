/// A state for each topic, made when the topic is first met.
struct PerTopic<State> {
    private var states: [State?] = []

    /// The topics that were met, in the order in which the bag declares them.
    var all: [(topic: Int, state: State)] {
        states.enumerated().compactMap { index, state in state.map { (index, $0) } }
    }

    /// Changes a topic's state in place.
    mutating func update<Result>(
        _ topic: CheckedTopic,
        initial: @autoclosure () -> State,
        _ body: (inout State) -> Result
    ) -> Result {
        while states.count <= topic.index { states.append(nil) }
        var state = states[topic.index] ?? initial()
        // So that arrays in the state are not shared, and copied, while they change.
        states[topic.index] = nil
        defer { states[topic.index] = state }
        return body(&state)
    }
}
