import Platform

/// Fits a line to samples of which up to nearly half may be outliers.
///
/// The start is the least median of squares (Rousseeuw 1984) over lines through pairs of a subsample; reweighted least
/// squares with Tukey's weights follow. The pairs come from a fixed sequence, so that the result is deterministic.
final class RobustLineFit {
    struct Result {
        var line: Line
        /// A robust standard deviation of the relative values about the line.
        var deviation: Float
        /// Around the origin of `WeightedSums`, with the last weights.
        var sums: LineSums
    }

    private static let startSamples = 256
    private static let pairs = 128
    private static let residualSamples = 2048
    private static let iterations = 5
    /// Tukey's cutoff in standard deviations, for 95 % efficiency.
    private static let cutoff: Float = 4.685

    private let order = Scratch<UInt64>()
    private let subX = Scratch<Float>()
    private let subY = Scratch<Float>()
    private let residuals = Scratch<Float>()

    /// The line through samples, of which there are at least two; `nil` where all metric values are the same.
    func fit(_ samples: CalibrationSamples) -> Result? {
        guard var line = start(samples) else { return nil }
        let weighting = WeightedSums(originX: samples.metric[0], originY: samples.relative[0])
        var deviation: Float = 0
        var sums = LineSums()
        for _ in 0..<Self.iterations {
            deviation = spread(samples, line)
            sums = weighting.sums(samples, line, cutoff: Self.cutoff * deviation)
            guard sums.weight > 0, sums.varianceX > 0 else { return nil }
            let slope = sums.covariance / sums.varianceX
            let intercept =
                sums.meanY + Double(weighting.originY) - slope * (sums.meanX + Double(weighting.originX))
            line = Line(slope: Float(slope), intercept: Float(intercept))
        }
        return Result(line: line, deviation: deviation, sums: sums)
    }

    /// The line through two samples whose median residual is the least.
    private func start(_ samples: CalibrationSamples) -> Line? {
        let count = min(samples.count, Self.startSamples)
        let x = subX.reserve(count)
        let y = subY.reserve(count)
        sortedSubsample(samples, count, x, y)
        guard x[count - 1] > x[0] else { return nil }
        let residuals = residuals.reserve(max(count, Self.residualSamples))
        var generator = PairSequence()
        var best: Line?
        var least = Float.infinity
        for _ in 0..<Self.pairs {
            // One sample of the lower third and one of the upper: a long lever.
            let first = generator.next(below: (count + 2) / 3)
            let second = count - 1 - generator.next(below: (count + 2) / 3)
            guard x[second] > x[first] else { continue }
            let slope = (y[second] - y[first]) / (x[second] - x[first])
            let line = Line(slope: slope, intercept: y[first] - slope * x[first])
            var closer = 0
            for index in 0..<count {
                residuals[index] = abs(y[index] - x[index] * slope - line.intercept)
                closer &+= residuals[index] < least ? 1 : 0
            }
            guard closer > count / 2 else { continue }
            least = median(residuals, count: count)
            best = line
        }
        return best
    }

    /// Evenly spaced samples in the order of their metric values.
    private func sortedSubsample(
        _ samples: CalibrationSamples,
        _ count: Int,
        _ x: UnsafeMutablePointer<Float>,
        _ y: UnsafeMutablePointer<Float>
    ) {
        var order = UnsafeMutableBufferPointer(start: order.reserve(count), count: count)
        for index in 0..<count {
            let sample = index * samples.count / count
            // Metric values are positive, so that their bits are in their order.
            order[index] = UInt64(samples.metric[sample].bitPattern) << 32 | UInt64(sample)
        }
        order.sort()
        for index in 0..<count {
            let sample = Int(order[index] & 0xFFFF_FFFF)
            x[index] = samples.metric[sample]
            y[index] = samples.relative[sample]
        }
    }

    /// A standard deviation from the median residual of evenly spaced samples; never quite 0.
    private func spread(_ samples: CalibrationSamples, _ line: Line) -> Float {
        let count = min(samples.count, Self.residualSamples)
        let residuals = residuals.reserve(Self.residualSamples)
        for index in 0..<count {
            let sample = index * samples.count / count
            residuals[index] = abs(samples.relative[sample] - samples.metric[sample] * line.slope - line.intercept)
        }
        let magnitude = abs(line.slope * samples.metric[0]) + abs(line.intercept)
        return max(1.4826 * median(residuals, count: count), 1e-6 * magnitude, .leastNormalMagnitude)
    }
}

/// The same numbers on every run (a multiplicative congruential generator modulo 2^64, upper bits used).
private struct PairSequence {
    private var state: UInt64 = 0x2545_F491_4F6C_DD1D

    mutating func next(below limit: Int) -> Int {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int((state >> 33) % UInt64(limit))
    }
}

/// `relative = slope * metric + intercept`.
///
/// Fitted in this direction because the outliers are in the relative depth: there the usual robust weights work.
struct Line {
    var slope: Float
    var intercept: Float
}

/// Weighted sums of samples around an origin, from which a line follows.
struct LineSums {
    private(set) var weight = 0.0
    private var x = 0.0
    private var y = 0.0
    private var xx = 0.0
    private var xy = 0.0
    private var yy = 0.0

    /// Adds one sum of each kind.
    mutating func add(weight: Double, x: Double, y: Double, xx: Double, xy: Double, yy: Double) {
        self.weight += weight
        self.x += x
        self.y += y
        self.xx += xx
        self.xy += xy
        self.yy += yy
    }

    var meanX: Double { x / weight }
    var meanY: Double { y / weight }
    var varianceX: Double { max(0, xx / weight - meanX * meanX) }
    var varianceY: Double { max(0, yy / weight - meanY * meanY) }
    var covariance: Double { xy / weight - meanX * meanY }

    /// The part of the variance of y that the line through x explains.
    var explainedRatio: Double {
        let product = varianceX * varianceY
        return product > 0 ? covariance * covariance / product : 0
    }
}

/// Sums over samples with Tukey's weights: `(1 - (residual / cutoff)²)²`, 0 beyond the cutoff.
struct WeightedSums {
    /// The point that both coordinates are counted from, so that single precision suffices inside a block.
    var originX: Float
    var originY: Float

    /// The sums around the origin.
    ///
    /// - Parameter cutoff: infinity gives plain least squares.
    func sums(_ samples: CalibrationSamples, _ line: Line, cutoff: Float) -> LineSums {
        var total = LineSums()
        let intercept = line.intercept + line.slope * originX - originY
        let inverseCutoff = 1 / cutoff
        var start = 0
        while start < samples.paddedCount {
            let end = min(start + 2048, samples.paddedCount)
            addBlock(samples, start..<end, Line(slope: line.slope, intercept: intercept), inverseCutoff, &total)
            start = end
        }
        return total
    }

    private func addBlock(
        _ samples: CalibrationSamples,
        _ block: Range<Int>,
        _ line: Line,
        _ inverseCutoff: Float,
        _ total: inout LineSums
    ) {
        var weights = Floats.zero
        var sumX = Floats.zero
        var sumY = Floats.zero
        var sumXX = Floats.zero
        var sumXY = Floats.zero
        var sumYY = Floats.zero
        var index = block.lowerBound
        while index < block.upperBound {
            let x = load(samples.metric + index) - originX
            let y = load(samples.relative + index) - originY
            let residual = (y - x * line.slope - line.intercept) * inverseCutoff
            let closeness = nonnegative(1 - residual * residual)
            let weight = closeness * closeness * load(samples.weight + index)
            let weightedX = weight * x
            let weightedY = weight * y
            weights += weight
            sumX += weightedX
            sumY += weightedY
            sumXX += weightedX * x
            sumXY += weightedX * y
            sumYY += weightedY * y
            index &+= 8
        }
        total.add(
            weight: Double(weights.sum()),
            x: Double(sumX.sum()),
            y: Double(sumY.sum()),
            xx: Double(sumXX.sum()),
            xy: Double(sumXY.sum()),
            yy: Double(sumYY.sum())
        )
    }
}

/// The lanes, 0 where they are negative.
@inline(__always)
private func nonnegative(_ values: Floats) -> Floats {
    let lanes = unsafeBitCast(values, to: Integers.self)
    return unsafeBitCast(lanes & ~signs(lanes), to: Floats.self)
}

/// The element in the middle of the order, the upper one of two; the elements change their places.
///
/// `count` is at least 1, and no element is NaN.
func median(_ values: UnsafeMutablePointer<Float>, count: Int) -> Float {
    UnsafeMutableBufferPointer(start: values, count: count).select(count / 2, in: 0..<count) { $0 }
    return values[count / 2]
}
