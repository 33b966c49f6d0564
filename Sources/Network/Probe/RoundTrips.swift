import Files

/// Times that something took, and what can be said of them.
package struct RoundTrips: Equatable, Sendable {
    /// In the order in which they were measured.
    package private(set) var nanoseconds: [Int64] = []

    package init(nanoseconds: [Int64] = []) {
        self.nanoseconds = nanoseconds
    }

    package mutating func add(nanoseconds value: Int64) {
        nanoseconds.append(value)
    }

    package var count: Int { nanoseconds.count }
    package var isEmpty: Bool { nanoseconds.isEmpty }

    /// The time within which a share of them came, in seconds: the smallest measured one that is enough (nearest rank).
    package func seconds(within share: Double) -> Double? {
        guard !nanoseconds.isEmpty else { return nil }
        let rank = Int((share * Double(count)).rounded(.up))
        return Double(nanoseconds.sorted()[min(max(rank, 1), count) - 1]) / 1e9
    }

    package var leastSeconds: Double? { nanoseconds.min().map { Double($0) / 1e9 } }
    package var mostSeconds: Double? { nanoseconds.max().map { Double($0) / 1e9 } }

    /// The middle one, or the mean of the two in the middle.
    package var medianSeconds: Double? {
        guard !nanoseconds.isEmpty else { return nil }
        let sorted = nanoseconds.sorted()
        return (Double(sorted[(count - 1) / 2]) + Double(sorted[count / 2])) / 2e9
    }
}
