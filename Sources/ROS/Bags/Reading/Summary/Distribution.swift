import Platform

/// Counts integers so that quantiles can be told afterwards, in memory that does not grow with their number.
///
/// Values share a bucket when their first seven binary digits are the same: a quantile is within 1.6 % of the true one,
/// and exact where a bucket has one value or two.
struct Distribution {
    fileprivate struct Bucket {
        var count: Int
        var minimum: Int64
        var maximum: Int64

        /// The value at a place among those of the bucket, as if they lay evenly.
        func value(at rank: Int) -> Int64 {
            guard count > 1 else { return minimum }
            let step = (Double(maximum) - Double(minimum)) / Double(count - 1)
            return min(maximum, minimum.addingReportingOverflow(Int64(step * Double(rank))).partialValue)
        }
    }

    private(set) var count = 0
    private var buckets: [Int: Bucket] = [:]

    mutating func note(_ value: Int64) {
        count += 1
        buckets[Self.key(value), default: Bucket(count: 0, minimum: value, maximum: value)].note(value)
    }

    /// The least, the middle and the largest value; nil without values.
    var spread: Spread? {
        guard count > 0 else { return nil }
        let lower = value(at: QuantileRule.lower.index(of: 0.5, in: count))
        let upper = value(at: QuantileRule.upper.index(of: 0.5, in: count))
        return Spread(
            minimum: value(at: 0),
            // The distance of two numbers need not be one of them.
            median: lower &+ Int64(bitPattern: (UInt64(bitPattern: upper) &- UInt64(bitPattern: lower)) / 2),
            maximum: value(at: count - 1)
        )
    }

    /// How many values are above a limit.
    func count(above limit: Int64) -> Int {
        buckets.values.reduce(0) { sum, bucket in
            if bucket.minimum > limit { return sum + bucket.count }
            if bucket.maximum <= limit { return sum }
            let first = (0..<bucket.count).first { bucket.value(at: $0) > limit } ?? bucket.count
            return sum + bucket.count - first
        }
    }

    private func value(at rank: Int) -> Int64 {
        var left = rank
        for key in buckets.keys.sorted() {
            guard let bucket = buckets[key] else { continue }
            if left < bucket.count { return bucket.value(at: left) }
            left -= bucket.count
        }
        return 0
    }

    /// A number that grows with the value: its sign, its length in binary digits, and its first digits.
    private static func key(_ value: Int64) -> Int {
        let magnitude = value.magnitude
        let length = UInt64.bitWidth - magnitude.leadingZeroBitCount
        let shift = max(0, length - 7)
        let key = length << 7 | Int(truncatingIfNeeded: magnitude >> UInt64(shift)) & 0x7f
        return value < 0 ? -key : key
    }
}

extension Distribution.Bucket {
    fileprivate mutating func note(_ value: Int64) {
        count += 1
        minimum = min(minimum, value)
        maximum = max(maximum, value)
    }
}

/// The least, the middle and the largest of some values.
package struct Spread: Sendable, Hashable {
    package var minimum: Int64
    package var median: Int64
    package var maximum: Int64

    package init(minimum: Int64, median: Int64, maximum: Int64) {
        self.minimum = minimum
        self.median = median
        self.maximum = maximum
    }
}
