/// The schedule of messages of several streams; messages due at one time follow the order of the streams.
package struct LoadSchedule: Sendable {
    package struct Entry: Equatable, Sendable {
        package var stream: Int
        /// The time after the start.
        package var nanoseconds: Int64
    }

    private let streams: [(rateHertz: Double, count: Int)]
    /// The number of messages of each stream returned so far.
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
