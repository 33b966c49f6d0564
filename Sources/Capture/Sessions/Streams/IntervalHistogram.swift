import Numbers

/// Counts intervals in bins of a quarter of a millisecond up to two seconds, so that a median needs no list.
struct IntervalHistogram {
    private static let binSeconds = 0.000_25
    private var counts = BinCounts()

    var count: Int { counts.count }

    mutating func add(_ seconds: Double) {
        guard seconds > 0 else { return }
        counts.add(toBin: min(7999, Int(min(seconds, 2) / Self.binSeconds)))
    }

    /// The middle of the bin of the median; nil without intervals.
    var median: Double? { counts.bin(ofQuantile: 0.5).map { (Double($0) + 0.5) * Self.binSeconds } }
}
