/// Numbers along a span of time, reduced to the least, the largest and the mean of each of equally long columns.
///
/// A drawing of a long recording uses them: their memory does not grow with its length.
package struct TimeColumns: Sendable {
    package struct Column: Sendable {
        package var count = 0
        package var low = Double.infinity
        package var high = -Double.infinity
        package var sum = 0.0

        package var mean: Double { sum / Double(max(1, count)) }

        /// So much to either side of the middle: what an axis shows of values that hardly change; nil for none.
        package func around(_ margin: Double) -> ClosedRange<Double>? {
            let middle = low / 2 + high / 2
            return count > 0 && middle.isFinite ? middle - margin...middle + margin : nil
        }

        fileprivate mutating func add(_ value: Double) {
            count += 1
            sum += value
            low = min(low, value)
            high = max(high, value)
        }
    }

    package let seconds: Double
    package private(set) var columns: [Column]
    /// Over all columns.
    package private(set) var total = Column()

    package init(seconds: Double, count: Int = 900) {
        self.seconds = max(seconds, 1e-3)
        columns = [Column](repeating: Column(), count: max(1, count))
    }

    /// Adds a number at a time since the beginning; what is no finite number, or outside of the span, is left out.
    package mutating func add(_ value: Double, at time: Double) {
        guard value.isFinite, time >= 0, time <= seconds else { return }
        let index = min(columns.count - 1, Int(time / seconds * Double(columns.count)))
        columns[index].add(value)
        total.add(value)
    }

    package var isEmpty: Bool { total.count == 0 }
}

/// Which of a few states there was in each of equally long columns of a span of time: the worst one.
package struct StateColumns: Sendable {
    package let seconds: Double
    /// The index of the state in each column; nil where nothing is known.
    package private(set) var columns: [Int?]
    package private(set) var counts: [Int]

    package init(seconds: Double, states: Int, count: Int = 900) {
        self.seconds = max(seconds, 1e-3)
        columns = [Int?](repeating: nil, count: max(1, count))
        counts = [Int](repeating: 0, count: states)
    }

    /// - Parameter state: The larger, the worse.
    package mutating func add(_ state: Int, at time: Double) {
        guard time >= 0, time <= seconds, counts.indices.contains(state) else { return }
        let index = min(columns.count - 1, Int(time / seconds * Double(columns.count)))
        columns[index] = max(columns[index] ?? state, state)
        counts[state] += 1
    }
}
