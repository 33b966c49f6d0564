import Platform

/// A series of durations and its statistics.
package struct RoundTrips: Equatable, Sendable {
    /// The durations in the order of measurement.
    package private(set) var nanoseconds: [Int64] = []

    package init(nanoseconds: [Int64] = []) { self.nanoseconds = nanoseconds }

    package mutating func add(nanoseconds value: Int64) { nanoseconds.append(value) }

    package var count: Int { nanoseconds.count }
    package var isEmpty: Bool { nanoseconds.isEmpty }

    /// A percentile in seconds, by the nearest-rank method.
    package func seconds(within share: Double) -> Double? {
        nanoseconds.sorted().quantile(share, .lower).map { Double($0) / 1e9 }
    }

    package var leastSeconds: Double? { nanoseconds.min().map { Double($0) / 1e9 } }
    package var mostSeconds: Double? { nanoseconds.max().map { Double($0) / 1e9 } }

    /// The median in seconds: the middle value, or the mean of the two middle values.
    package var medianSeconds: Double? { nanoseconds.map { Double($0) }.meanMedian.map { $0 / 1e9 } }
}
