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
    /// What is taken off both coordinates, so that single precision suffices inside a block.
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
