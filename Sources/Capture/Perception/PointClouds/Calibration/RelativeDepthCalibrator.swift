package import Recording

/// Fits relative depth to LiDAR depth, frame by frame, in memory that it keeps: have one per worker.
package final class RelativeDepthCalibrator {
    private let sampler = CalibrationSampler()
    private let robust = RobustLineFit()
    private let errors = Scratch<Float>()

    package init() {}

    /// The calibration of one frame.
    ///
    /// The two grids may differ in size and cover the same view. Metric pixels are weighted by confidence and by the
    /// expected accuracy of their depth.
    package func calibrate(
        depth: DepthMap,
        relativeDepth: RelativeDepthMap,
        parameters: CalibrationParameters = CalibrationParameters()
    ) throws(CalibrationError) -> RelativeDepthCalibration {
        try check(depth, relativeDepth, parameters)
        let isRobust = parameters.method == .robust
        let isInverse = isRobust && relativeDepth.kind == .inverseDepth
        let samples = sampler.samples(
            depth: depth,
            relative: relativeDepth,
            parameters: parameters,
            inverse: isInverse,
            cornerAligned: !isRobust
        )
        guard samples.count > parameters.minimumInliers else {
            throw .tooFewSamples(expected: parameters.minimumInliers + 1, found: samples.count)
        }
        return try isRobust
            ? robustFit(samples, relativeDepth.kind, parameters) : leastSquaresFit(samples, relativeDepth.kind)
    }

    // MARK: Robust

    private func robustFit(
        _ samples: CalibrationSamples,
        _ kind: RelativeDepthMap.Kind,
        _ parameters: CalibrationParameters
    ) throws(CalibrationError) -> RelativeDepthCalibration {
        let isInverse = kind == .inverseDepth
        guard let fit = robust.fit(samples) else { throw .degenerateSpread(ratio: 0) }
        // Sums are around the first sample.
        let mean = fit.sums.meanX + Double(samples.metric[0])
        let spread = fit.sums.varianceX.squareRoot() / mean
        guard spread >= parameters.minimumSpreadRatio else { throw .degenerateSpread(ratio: spread) }
        guard fit.line.slope > 0 else { throw .slopeNotPositive(slope: Double(fit.line.slope)) }
        guard fit.sums.explainedRatio >= parameters.minimumExplainedRatio else {
            throw .unrelated(explainedRatio: fit.sums.explainedRatio)
        }
        // relative = slope * metric + intercept, turned round.
        let slope = 1 / Double(fit.line.slope)
        let intercept = -Double(fit.line.intercept) / Double(fit.line.slope)
        var calibration = RelativeDepthCalibration(
            model: isInverse ? .inverseDepth : .straightLine,
            method: .robust,
            kind: kind,
            scale: isInverse ? 1 / slope : slope,
            offset: isInverse ? 0 : intercept,
            inverseShift: isInverse ? intercept / slope : 0,
            sampleCount: samples.count,
            coverage: Double(samples.count) / Double(samples.examined)
        )
        let errorRatio = assess(&calibration, samples, fit.line, limit: 3 * fit.deviation)
        guard calibration.inlierCount >= parameters.minimumInliers else {
            throw .tooFewInliers(
                expected: parameters.minimumInliers,
                found: calibration.inlierCount,
                samples: samples.count
            )
        }
        guard errorRatio <= parameters.maximumErrorRatio else {
            throw .residualTooLarge(ratio: errorRatio, limit: parameters.maximumErrorRatio)
        }
        return calibration
    }

    // MARK: Least squares

    private func leastSquaresFit(
        _ samples: CalibrationSamples,
        _ kind: RelativeDepthMap.Kind
    ) throws(CalibrationError) -> RelativeDepthCalibration {
        let weighting = WeightedSums(originX: samples.metric[0], originY: samples.relative[0])
        let sums = weighting.sums(samples, Line(slope: 0, intercept: 0), cutoff: .infinity)
        // The app's condition, on sums around another origin.
        guard sums.varianceY * sums.weight * sums.weight > 1e-6 else {
            throw .degenerateSpread(ratio: sums.varianceY.squareRoot())
        }
        let scale = sums.covariance / sums.varianceY
        let offset = sums.meanX + Double(weighting.originX) - scale * (sums.meanY + Double(weighting.originY))
        guard scale.isFinite && offset.isFinite else { throw .degenerateSpread(ratio: 0) }
        var calibration = RelativeDepthCalibration(
            model: .straightLine,
            method: .leastSquares,
            kind: kind,
            scale: scale,
            offset: offset,
            inverseShift: 0,
            sampleCount: samples.count,
            coverage: Double(samples.count) / Double(samples.examined)
        )
        _ = assess(&calibration, samples, Line(slope: 0, intercept: 0), limit: .infinity)
        return calibration
    }

    // MARK: Errors

    /// Fills in inliers and errors; returns the median of error / depth.
    ///
    /// Inliers are the samples within `limit` of the line, in the unit of the relative depth.
    private func assess(
        _ calibration: inout RelativeDepthCalibration,
        _ samples: CalibrationSamples,
        _ line: Line,
        limit: Float
    ) -> Double {
        let isInverse = calibration.model == .inverseDepth
        let scale = Float(calibration.scale)
        let addend = Float(isInverse ? calibration.inverseShift : calibration.offset)

        func errorAndDepth(_ index: Int) -> (error: Float, depth: Float) {
            let value = samples.relative[index]
            guard isInverse else { return (abs(scale * value + addend - samples.metric[index]), samples.metric[index]) }
            let depth = 1 / samples.metric[index]
            let denominator = value + addend
            // Where the model has no depth, the error is infinite.
            return (denominator > 0 ? abs(scale / denominator - depth) : .greatestFiniteMagnitude, depth)
        }
        var squares = 0.0
        var inliers = 0
        for index in 0..<samples.count {
            let residual = samples.relative[index] - line.slope * samples.metric[index] - line.intercept
            guard abs(residual) <= limit else { continue }
            let error = Double(errorAndDepth(index).error)
            squares += error * error
            inliers &+= 1
        }
        calibration.inlierCount = inliers
        calibration.rmseMetres = inliers == 0 ? 0 : (squares / Double(inliers)).squareRoot()

        let count = min(samples.count, 4096)
        let errors = errors.reserve(count)
        for index in 0..<count { errors[index] = errorAndDepth(index * samples.count / count).error }
        calibration.medianAbsoluteErrorMetres = Double(median(errors, count: count))
        for index in 0..<count {
            let (error, depth) = errorAndDepth(index * samples.count / count)
            errors[index] = min(error / depth, .greatestFiniteMagnitude)
        }
        return Double(median(errors, count: count))
    }

    private func check(
        _ depth: DepthMap,
        _ relative: RelativeDepthMap,
        _ parameters: CalibrationParameters
    ) throws(CalibrationError) {
        guard parameters.stride >= 1 else {
            throw .parameter(name: "stride", expected: "1 or more", found: Double(parameters.stride))
        }
        guard parameters.minimumInliers >= 2 else {
            throw .parameter(name: "minimumInliers", expected: "2 or more", found: Double(parameters.minimumInliers))
        }
        guard parameters.minimumDepthMetres >= 0 else {
            throw .parameter(name: "minimumDepthMetres", expected: "0 or more", found: parameters.minimumDepthMetres)
        }
        try CalibrationError.check("depth map", depth.width, depth.height, depth.metres.count)
        try CalibrationError.check("relative depth map", relative.width, relative.height, relative.values.count)
        if let confidence = depth.confidence {
            try CalibrationError.check("confidence map", depth.width, depth.height, confidence.count)
        }
    }
}
