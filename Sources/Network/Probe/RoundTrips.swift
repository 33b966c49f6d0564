import Files

/// A series of durations and its statistics.
package struct RoundTrips: Equatable, Sendable {
    /// The durations in the order of measurement.
    package private(set) var nanoseconds: [Int64] = []

    package init(nanoseconds: [Int64] = []) {
        self.nanoseconds = nanoseconds
    }

    package mutating func add(nanoseconds value: Int64) {
        nanoseconds.append(value)
    }

    package var count: Int { nanoseconds.count }
    package var isEmpty: Bool { nanoseconds.isEmpty }

    /// A percentile in seconds, by the nearest-rank method.
    package func seconds(within share: Double) -> Double? {
        guard !nanoseconds.isEmpty else { return nil }
        let rank = Int((share * Double(count)).rounded(.up))
        return Double(nanoseconds.sorted()[min(max(rank, 1), count) - 1]) / 1e9
    }

    package var leastSeconds: Double? { nanoseconds.min().map { Double($0) / 1e9 } }
    package var mostSeconds: Double? { nanoseconds.max().map { Double($0) / 1e9 } }

    /// The median in seconds: the middle value, or the mean of the two middle values.
    package var medianSeconds: Double? {
        guard !nanoseconds.isEmpty else { return nil }
        let sorted = nanoseconds.sorted()
        return (Double(sorted[(count - 1) / 2]) + Double(sorted[count / 2])) / 2e9
    }
}
