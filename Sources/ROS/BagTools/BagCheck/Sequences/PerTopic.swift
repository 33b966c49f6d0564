import Platform

/// Some of a long row of numbers, evenly spaced, in bounded memory and without chance.
struct EvenSample {
    private static let capacity = 2048

    private var values: [Int64] = []
    private var stride = 1
    private(set) var count = 0

    mutating func add(_ value: Int64) {
        defer { count += 1 }
        guard count.isMultiple(of: stride) else { return }
        values.append(value)
        guard values.count == EvenSample.capacity else { return }
        // Every second one goes, and of what comes only every second one will stay.
        values = values.enumerated().filter { $0.offset.isMultiple(of: 2) }.map(\.element)
        stride *= 2
    }

    /// The median of the sample; nil without values.
    var median: Int64? { values.median(.lower) }
}

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
