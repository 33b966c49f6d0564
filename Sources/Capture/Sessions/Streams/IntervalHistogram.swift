/// Counts intervals in bins of a quarter of a millisecond up to two seconds, so that a median needs no list.
struct IntervalHistogram {
    private static let binSeconds = 0.000_25
    private var bins: [Int32] = []
    private(set) var count: Int32 = 0

    mutating func add(_ seconds: Double) {
        guard seconds > 0 else { return }
        if bins.isEmpty { bins = [Int32](repeating: 0, count: 8000) }
        bins[min(bins.count - 1, Int(min(seconds, 2) / Self.binSeconds))] += 1
        count += 1
    }

    var median: Double? {
        var seen: Int32 = 0
        for (index, inBin) in bins.enumerated() {
            seen += inBin
            if seen > count / 2 { return (Double(index) + 0.5) * Self.binSeconds }
        }
        return nil
    }
}
