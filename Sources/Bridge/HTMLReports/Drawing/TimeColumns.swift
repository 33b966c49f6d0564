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

    /// As many as a wide screen tells apart.
    package static let standardCount = 600

    package let seconds: Double
    package fileprivate(set) var columns: [Column]
    /// Over all columns.
    package fileprivate(set) var total = Column()

    package init(seconds: Double, count: Int = standardCount) {
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

    /// Adds a number that holds for some time, to all columns that are touched by it.
    fileprivate mutating func add(_ value: Double, from start: Double, to end: Double) {
        guard value.isFinite, start <= seconds, end >= 0 else { return }
        func index(_ time: Double) -> Int { Int(max(0, min(1, time / seconds)) * Double(columns.count - 1) + 0.5) }
        for index in index(start)...index(end) { columns[index].add(value) }
        total.add(value)
    }

    package var isEmpty: Bool { total.count == 0 }

    /// Over how many columns a number holds: slow streams have empty columns between their numbers.
    var reach: Int { max(3, 4 * columns.count / max(1, columns.count { $0.count > 0 })) }
}

/// How often something comes, in times a second, by exact counts: in each column the intervals that touch it by the sum of their
/// lengths, so that what comes steadily has its rate from the first time to the last.
package struct RateColumns: Sendable {
    private var intervals: TimeColumns
    private var last: Double?

    package init(seconds: Double, count: Int = TimeColumns.standardCount) {
        intervals = TimeColumns(seconds: seconds, count: count)
    }

    /// Adds one time; what is not later than the one before it has no rate.
    package mutating func add(at time: Double) {
        if let last, time > last { intervals.add(time - last, from: last, to: time) }
        last = max(last ?? time, time)
    }

    package var rates: TimeColumns { intervals.inverted }
}

extension TimeColumns {
    fileprivate var inverted: TimeColumns {
        var result = self
        func inverted(_ column: Column) -> Column {
            guard column.count > 0, column.sum > 0 else { return Column() }
            let mean = Double(column.count) / column.sum
            return Column(
                count: column.count,
                low: 1 / column.high,
                high: 1 / column.low,
                sum: mean * Double(column.count)
            )
        }
        result.columns = columns.map(inverted)
        result.total = inverted(total)
        return result
    }
}

/// Which of a few states there was in each of equally long columns of a span of time: the worst one.
package struct StateColumns: Sendable {
    package let seconds: Double
    /// The index of the state in each column; nil where nothing is known.
    package private(set) var columns: [Int?]
    package private(set) var counts: [Int]

    package init(seconds: Double, states: Int, count: Int = TimeColumns.standardCount) {
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

    /// What is known holds until something else is: the spans of equal states, in parts of the whole time.
    package var spans: [(state: Int, from: Double, to: Double)] {
        var result: [(state: Int, from: Double, to: Double)] = []
        for (index, column) in columns.enumerated() {
            let (from, to) = (Double(index) / Double(columns.count), Double(index + 1) / Double(columns.count))
            guard let state = column ?? result.last?.state else { continue }
            if result.last?.state == state {
                result[result.count - 1].to = to
            } else {
                result.append((state, from, to))
            }
        }
        return result
    }
}
