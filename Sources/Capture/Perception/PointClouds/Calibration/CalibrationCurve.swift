/// A rising curve over the line's prediction, linear between knots.
///
/// The knots are geometric in the metric quantity, because a network's bend and the LiDAR's accuracy both go with the
/// ratio of depths rather than with their difference.
struct CalibrationCurve: Sendable, Hashable {
    /// A power of two and one, so that square roots alone give the knots.
    static let knotCount = 17
    /// The least and largest slope of the curve: it stays monotone, and does not run away at its ends.
    private static let slopes: ClosedRange<Float> = 0.1...10

    /// Predictions, rising.
    private(set) var knots: [Float]
    /// What the metric quantity is at the knots.
    var values: [Float]
    /// The expected metric quantity at the knots, positive and rising: the unit of corrections.
    private(set) var levels: [Float]
    /// The ratio of two neighbouring levels less one.
    private(set) var spacing: Float

    /// The curve of the line itself; `nil` where the samples' predictions are all the same.
    init?(_ samples: [GridSample], isInverse: Bool) {
        guard let range = Self.range(samples, isInverse: isInverse) else { return nil }
        let width = range.highest - range.lowest
        guard range.level > 0, width > 1e-4 * range.level, width.isFinite else { return nil }
        var ratio = (range.level + width) / range.level
        for _ in 0..<4 { ratio = ratio.squareRoot() }
        levels = [range.level]
        for knot in 1..<Self.knotCount { levels.append(levels[knot - 1] * ratio) }
        knots = levels.map { $0 - range.level + range.lowest }
        values = knots
        spacing = ratio - 1
        guard spacing > 0, zip(knots, knots.dropFirst()).allSatisfy({ $0 < $1 }) else { return nil }
    }

    var first: Float { knots[0] }
    var last: Float { knots[Self.knotCount - 1] }

    /// The interval and the part of it that a prediction within the knots falls on.
    func place(_ predicted: Float) -> (interval: Int, part: Float) {
        var low = 0
        var high = Self.knotCount - 1
        while high - low > 1 {
            let middle = (low + high) / 2
            if knots[middle] <= predicted { low = middle } else { high = middle }
        }
        return (low, (predicted - knots[low]) / (knots[high] - knots[low]))
    }

    func slope(after knot: Int) -> Float {
        (values[knot + 1] - values[knot]) / (knots[knot + 1] - knots[knot])
    }

    /// How far beyond an end the correction falls to nothing by its own trend; infinity where it grows.
    func fall(beyond end: Int) -> Float {
        let inner = end == 0 ? 3 : end - 3
        let correction = values[end] - knots[end]
        let growth = (correction - values[inner] + knots[inner]) / abs(knots[end] - knots[inner])
        return correction * growth < 0 ? abs(correction / growth) : .infinity
    }

    /// Makes the curve rise everywhere, starting from a knot that is certain.
    ///
    /// A knot that is raised is not passed on to those behind it: they are where they were, if that is above it.
    mutating func rise(from certain: Int) {
        func bounded(_ step: Float, _ width: Float) -> Float {
            max(Self.slopes.lowerBound * width, min(step, Self.slopes.upperBound * width))
        }
        for knot in certain..<Self.knotCount - 1 {
            values[knot + 1] = values[knot] + bounded(values[knot + 1] - values[knot], knots[knot + 1] - knots[knot])
        }
        for knot in (0..<certain).reversed() {
            values[knot] = values[knot + 1] - bounded(values[knot + 1] - values[knot], knots[knot + 1] - knots[knot])
        }
    }

    /// The predictions between which nearly all samples lie, and the least metric quantity.
    ///
    /// At the far end only samples count that agree with the line: a window shows the LiDAR its pane and the network what
    /// is behind, far out of the range.
    private static func range(
        _ samples: [GridSample],
        isInverse: Bool
    ) -> (lowest: Float, highest: Float, level: Float)? {
        // A part of the samples is enough, and faster to sort.
        let part = stride(from: 0, to: samples.count, by: max(1, samples.count / 3000)).map { samples[$0] }
        let errors = part.map { abs($0.predicted - $0.metric) / $0.metric }
        let sorted = errors.sorted()
        guard let least = sorted.first, least.isFinite else { return nil }
        let limit = max(0.25, 6 * sorted[sorted.count / 2])
        let agreeing = zip(part, errors).filter { $0.1 <= limit }.map { $0.0 }
        let (low, high) = isInverse ? (agreeing, part) : (part, agreeing)
        let lowest = low.map(\.predicted).sorted()
        let highest = high.map(\.predicted).sorted()
        let metrics = low.map(\.metric).sorted()
        // The curve is not led by the last few, which may be outliers.
        let margin = agreeing.count / 250
        guard agreeing.count > 2 * margin + 1 else { return nil }
        return (lowest[margin], highest[high.count - 1 - margin], metrics[margin])
    }
}
