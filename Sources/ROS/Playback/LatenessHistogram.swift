import Numbers

/// How late things were: counts in classes of about 2 %, so that its size does not grow with what it has seen.
package struct LatenessHistogram: Sendable, Hashable {
    /// Classes for each doubling.
    private static let classes = 32
    private var counts = BinCounts()
    package private(set) var worstNanoseconds: Int64 = 0

    package init() {}

    package var count: Int { counts.count }

    package mutating func add(nanoseconds: Int64) {
        let value = max(0, nanoseconds)
        worstNanoseconds = max(worstNanoseconds, value)
        counts.add(toBin: Self.index(of: UInt64(value)))
    }

    /// The time that a part of all stayed within, in nanoseconds; 0 where there is nothing.
    ///
    /// - Parameter part: 0.5 for the median, 0.99 for the 99th percentile.
    package func quantile(_ part: Double) -> Int64 {
        counts.bin(ofQuantile: part, .lower).map { min(Self.upperBound(of: $0), worstNanoseconds) } ?? 0
    }

    private static func index(of value: UInt64) -> Int {
        guard value >= UInt64(classes) else { return Int(value) }
        let exponent = 63 - value.leadingZeroBitCount
        let fraction = Int(value >> UInt64(exponent - 5)) & (classes - 1)
        return (exponent - 4) * classes + fraction
    }

    private static func upperBound(of index: Int) -> Int64 {
        guard index >= classes else { return Int64(index) }
        let exponent = index / classes + 4
        let fraction = UInt64(index % classes) | UInt64(classes)
        let bound = ((fraction + 1) << UInt64(exponent - 5)) - 1
        return Int64(clamping: bound)
    }
}
