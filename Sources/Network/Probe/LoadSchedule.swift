import Files

/// When which message of several streams is due: those of one time in the order of the streams.
package struct LoadSchedule: Sendable {
    package struct Entry: Equatable, Sendable {
        package var stream: Int
        /// After the start.
        package var nanoseconds: Int64
    }

    private let streams: [(rateHertz: Double, count: Int)]
    /// Messages of each stream that were given out.
    private var given: [Int]

    package init(_ streams: [(rateHertz: Double, count: Int)]) {
        self.streams = streams
        given = [Int](repeating: 0, count: streams.count)
    }

    package mutating func next() -> Entry? {
        var best: Entry?
        for (index, stream) in streams.enumerated() where given[index] < stream.count {
            let due = Int64(Double(given[index]) / stream.rateHertz * 1e9)
            if due < best?.nanoseconds ?? .max { best = Entry(stream: index, nanoseconds: due) }
        }
        if let best { given[best.stream] += 1 }
        return best
    }
}
