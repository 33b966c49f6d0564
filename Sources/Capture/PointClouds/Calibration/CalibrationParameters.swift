/// How relative depth is fitted to metric depth.
package struct CalibrationParameters: Sendable, Hashable {
    package enum Method: String, Sendable, Hashable, CaseIterable {
        /// The model that suits the kind of relative depth, robustly.
        case robust
        /// The phone app's: weighted least squares of a straight line through (relative, metric), whatever the kind.
        case leastSquares
    }

    package var method: Method = .robust
    /// Metric depths strictly between these two are used.
    package var minimumDepthMetres: Double = 0.2
    package var maximumDepthMetres: Double = 5
    /// Takes each n-th row and column of the metric grid.
    package var stride: Int = 1
    package var minimumInliers: Int = 50
    /// The least standard deviation of the metric quantity (depth or its inverse), as a part of its mean.
    package var minimumSpreadRatio: Double = 0.01
    /// The least part of the relative values' variance that the fit explains, among the inliers.
    package var minimumExplainedRatio: Double = 0.2
    /// The largest median of |fitted - measured| / measured depth over all samples.
    package var maximumErrorRatio: Double = 0.2

    package init() {}

    /// The phone app's own choices; it looks at no residual.
    package static var app: CalibrationParameters {
        var parameters = CalibrationParameters()
        parameters.method = .leastSquares
        parameters.stride = 4
        return parameters
    }
}

/// Why a frame gets no calibration.
package enum CalibrationError: Error, Hashable, Sendable, CustomStringConvertible {
    case parameter(name: String, expected: String, found: Double)
    case gridCount(grid: String, expected: Int, found: Int)
    case tooFewSamples(expected: Int, found: Int)
    case tooFewInliers(expected: Int, found: Int, samples: Int)
    /// The scene is so flat, or the relative depth so uniform, that no line is determined.
    case degenerateSpread(ratio: Double)
    /// Nearer in one map is farther in the other.
    case slopeNotPositive(slope: Double)
    /// The two maps have little to do with each other.
    case unrelated(explainedRatio: Double)
    case residualTooLarge(ratio: Double, limit: Double)

    package var description: String {
        switch self {
        case .parameter(let name, let expected, let found):
            "calibration parameter: \(name): expected \(expected), found \(found)"
        case .gridCount(let grid, let expected, let found):
            "\(grid): expected \(expected) values, found \(found)"
        case .tooFewSamples(let expected, let found):
            "calibration: expected at least \(expected) pixels with both depths, found \(found)"
        case .tooFewInliers(let expected, let found, let samples):
            "calibration: expected at least \(expected) inliers, found \(found) of \(samples) samples"
        case .degenerateSpread(let ratio):
            "calibration: expected depths that vary, found a spread of \(ratio) of their mean"
        case .slopeNotPositive(let slope):
            "calibration: expected a positive slope, found \(slope)"
        case .unrelated(let ratio):
            "calibration: expected related maps, found that the fit explains only \(ratio) of the variance"
        case .residualTooLarge(let ratio, let limit):
            "calibration: expected a median error of at most \(limit) of the depth, found \(ratio)"
        }
    }
}
