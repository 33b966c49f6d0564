package import Recording

/// How the relative depth of one frame becomes metres: `metres = scale * relativeDepth + offset`.
///
/// For one frame only, as the normalisation differs from image to image.
package struct RelativeDepthCalibration: Sendable, Hashable {
    package enum Model: String, Sendable, Hashable, CaseIterable {
        /// `1 / z = a * r + b`, and the published relative depth is `1 / (r + b / a)`.
        case inverseDepth = "inverse_depth"
        /// `z = scale * r + offset`, and the published relative depth is r itself.
        case straightLine = "straight_line"
    }

    package var model: Model
    /// How the line was fitted.
    package var method: CalibrationParameters.Method
    /// The meaning of the original map's values.
    package var kind: RelativeDepthMap.Kind
    /// Metres for each unit of the published relative depth.
    package var scale: Double
    package var offset: Double
    /// The addend of a value before it is inverted, `b / a`; 0 for a straight line.
    package var inverseShift: Double
    /// The number of pixels with both depths.
    package var sampleCount: Int
    package var inlierCount: Int
    /// Over the inliers, which all lie inside the LiDAR's range.
    package var rmseMetres: Double
    /// Over all samples, of which at most 4096 are looked at, evenly spaced.
    package var medianAbsoluteErrorMetres: Double
    /// The part of the metric grid that gave samples.
    package var coverage: Double

    package init(
        model: Model,
        method: CalibrationParameters.Method,
        kind: RelativeDepthMap.Kind,
        scale: Double,
        offset: Double,
        inverseShift: Double,
        sampleCount: Int,
        inlierCount: Int = 0,
        rmseMetres: Double = 0,
        medianAbsoluteErrorMetres: Double = 0,
        coverage: Double
    ) {
        self.model = model
        self.method = method
        self.kind = kind
        self.scale = scale
        self.offset = offset
        self.inverseShift = inverseShift
        self.sampleCount = sampleCount
        self.inlierCount = inlierCount
        self.rmseMetres = rmseMetres
        self.medianAbsoluteErrorMetres = medianAbsoluteErrorMetres
        self.coverage = coverage
    }

    package var inlierRatio: Double { sampleCount == 0 ? 0 : Double(inlierCount) / Double(sampleCount) }

    /// The relative depth that is published, larger is farther; 0 where a value has no depth.
    package func relativeDepth(_ map: RelativeDepthMap) -> RelativeDepthMap {
        var published = map
        published.kind = .depth
        guard model == .inverseDepth else { return published }
        let shift = Float(inverseShift)
        published.values = [Float](unsafeUninitializedCapacity: map.values.count) { output, initialized in
            map.values.withUnsafeBufferPointer { input in invert(input, shift, output) }
            initialized = map.values.count
        }
        return published
    }
}

/// Writes `1 / (input + shift)`, or 0 where that is not finite and positive.
private func invert(_ input: UnsafeBufferPointer<Float>, _ shift: Float, _ output: UnsafeMutableBufferPointer<Float>) {
    for index in input.indices {
        let inverse = 1 / (input[index] + shift)
        output[index] = inverse > 0 && inverse < .infinity ? inverse : 0
    }
}

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

extension CalibrationError {
    /// Throws unless a grid has a possible size and as many values.
    static func check(_ grid: String, _ width: Int, _ height: Int, _ found: Int) throws(CalibrationError) {
        let sides = 1...GridLimits.maximumSide
        let isPossible = sides.contains(width) && sides.contains(height)
        guard isPossible && width * height == found else {
            throw .gridCount(grid: grid, expected: isPossible ? width * height : 0, found: found)
        }
    }
}

extension RelativeDepthMap {
    /// How far the aspect of a grid may be from the image's.
    private static let mostAspectError = 0.02

    /// The map on a grid that has the aspect of an image of the same view: networks with an input of fixed size squeeze it.
    package func ofShape(_ image: GridSize) -> RelativeDepthMap {
        guard width > 0, height > 0, values.count == width * height, image.width > 0, image.height > 0 else {
            return self
        }
        let wanted = Double(width) * Double(image.height) / Double(image.width)
        guard abs(wanted - Double(height)) > Self.mostAspectError * Double(height), wanted <= 1e4 else { return self }
        let rows = max(1, Int(wanted.rounded()))
        var map = self
        map.height = rows
        map.values = (0..<rows).flatMap { row -> [Float] in
            let place = min(max((Double(row) + 0.5) * Double(height) / Double(rows) - 0.5, 0), Double(height - 1))
            let upper = Int(place)
            let (lower, share) = (min(upper + 1, height - 1), Float(place - Double(upper)))
            return (0..<width).map { column in
                let (a, b) = (values[upper * width + column], values[lower * width + column])
                return a + (b - a) * share
            }
        }
        return map
    }
}
