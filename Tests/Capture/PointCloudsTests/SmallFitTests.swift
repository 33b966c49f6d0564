import Perception
import Recording
import TestSupport
import Testing

/// The robust fit of a few pixels, against the same fit written plainly and in double precision.
@Suite struct SmallFitTests {
    /// A pixel of both maps: metric depth, and what the model said.
    private struct Pixel {
        var metric: Double
        var relative: Double
        var confidence: UInt8
    }

    /// With few samples every pair of the lower and the upper third is drawn, and five rounds are not yet the end.
    @Test(arguments: 3...12) func fewSamples(count: Int) throws {
        let calibrator = RelativeDepthCalibrator()
        var random = SeededRandomNumbers(seed: UInt64(count))
        var compared = 0
        for round in 0..<60 {
            let pixels = (0..<count).map { _ -> Pixel in
                // Far and unsure samples weigh least, so that nothing is small beside their sums.
                let metric = Double(Float(Double.random(in: round % 2 == 0 ? 3..<4.9 : 0.5..<1.5, using: &random)))
                var relative = 0.7 * metric + 0.3 + 0.05 * random.normal()
                if Int.random(in: 0..<5, using: &random) == 0 { relative += 1 }
                return Pixel(metric: metric, relative: Double(Float(relative)), confidence: UInt8(round % 3))
            }
            let expected = PlainFit(pixels.map { ($0.metric, $0.relative, weight(of: $0)) })
            guard expected.slope > 0.1 else { continue }
            let found = try calibrate(pixels, calibrator)
            let (scale, offset) = (1 / expected.slope, -expected.intercept / expected.slope)
            #expect(abs(found.scale - scale) < 1e-4 * scale, "\(round): \(found.scale), \(scale)")
            #expect(abs(found.offset - offset) < 1e-4 * max(1, abs(offset)), "\(round): \(found.offset), \(offset)")
            #expect(found.inlierCount == expected.inlierCount, "\(round)")
            compared += 1
        }
        #expect(compared > 20)
    }

    /// More than half of the samples lie exactly on one line, the others on another one.
    @Test(arguments: [1, 2, 3, 4, 5, 6] as [UInt64]) func theLineOfTheMoreSamples(seed: UInt64) throws {
        var random = SeededRandomNumbers(seed: seed)
        let pixels = (0..<201).map { index in
            let metric = Double(Float(Double.random(in: 0.5..<4, using: &random)))
            return Pixel(metric: metric, relative: index % 20 < 11 ? metric / 2 + 0.25 : 3 - metric / 2, confidence: 2)
        }
        let found = try calibrate(pixels.shuffled(using: &random), RelativeDepthCalibrator())
        #expect(abs(found.scale - 2) < 1e-4 && abs(found.offset + 0.5) < 1e-4, "\(found)")
    }

    /// The deviation of samples that all lie on a line is a millionth of the first one's value: what is within three of
    /// these is on the line.
    @Test func whatIsOnALineOfNoNoise() throws {
        // The first value is 2 * 0.5 + 0.25, of which the two parts count.
        for (parts, isInlier) in [(2.6, true), (3.4, false)] {
            var pixels = (0..<400).map { index in
                let metric = index == 0 ? 2 : 0.5 + Double(index % 29) / 8
                return Pixel(metric: metric, relative: metric / 2 + 0.25, confidence: 2)
            }
            // One above the line, and one as much below it.
            let distance = parts * 1.25e-6
            for sign in [1.0, -1] {
                pixels.append(Pixel(metric: 1.5, relative: 1 + sign * distance, confidence: 2))
            }
            let found = try calibrate(pixels, RelativeDepthCalibrator())
            #expect(found.inlierCount == (isInlier ? 402 : 400), "\(parts)")
        }
    }

    /// Without the accuracy of depth in the sensor's terms: confidence over its variance.
    private func weight(of pixel: Pixel) -> Double {
        let deviation = max(0.015, 0.012 + 0.004 * pixel.metric * pixel.metric)
        return [0.20, 0.65, 1][Int(pixel.confidence)] / (deviation * deviation)
    }

    private func calibrate(
        _ pixels: [Pixel],
        _ calibrator: RelativeDepthCalibrator
    ) throws -> RelativeDepthCalibration {
        var depth = DepthMap(width: pixels.count, height: 1, metres: pixels.map { Float($0.metric) })
        depth.confidence = pixels.map(\.confidence)
        let values = pixels.map { Float($0.relative) }
        let relative = RelativeDepthMap(width: pixels.count, height: 1, kind: .depth, values: values)
        var parameters = CalibrationParameters()
        parameters.minimumInliers = 2
        parameters.minimumSpreadRatio = 0
        parameters.minimumExplainedRatio = 0
        parameters.maximumErrorRatio = .infinity
        return try calibrator.calibrate(depth: depth, relativeDepth: relative, parameters: parameters)
    }
}

/// The least median of squares over all pairs of the lower and the upper third, and five rounds of Tukey's weights.
private struct PlainFit {
    private(set) var slope = 0.0
    private(set) var intercept = 0.0
    /// The samples within three deviations of the line.
    private(set) var inlierCount = 0

    init(_ samples: [(x: Double, y: Double, weight: Double)]) {
        let sorted = samples.sorted { $0.x < $1.x }
        let third = (samples.count + 2) / 3
        var least = Double.infinity
        for lower in sorted.prefix(third) {
            for upper in sorted.suffix(third) where upper.x > lower.x {
                let slope = (upper.y - lower.y) / (upper.x - lower.x)
                let intercept = lower.y - slope * lower.x
                let median = samples.map { abs($0.y - slope * $0.x - intercept) }.sorted()[samples.count / 2]
                if median < least { (least, self.slope, self.intercept) = (median, slope, intercept) }
            }
        }
        var deviation = 0.0
        for _ in 1...5 {
            let residuals = samples.map { abs($0.y - slope * $0.x - intercept) }
            deviation = 1.4826 * residuals.sorted()[samples.count / 2]
            deviation = max(deviation, 1e-6 * (abs(slope * samples[0].x) + abs(intercept)))
            let weights = zip(samples, residuals).map { sample, residual in
                let ratio = residual / (4.685 * deviation)
                return ratio < 1 ? sample.weight * (1 - ratio * ratio) * (1 - ratio * ratio) : 0
            }
            let sum = weights.reduce(0, +)
            let meanX = zip(samples, weights).reduce(0) { $0 + $1.0.x * $1.1 } / sum
            let meanY = zip(samples, weights).reduce(0) { $0 + $1.0.y * $1.1 } / sum
            let covariance = zip(samples, weights).reduce(0) { $0 + ($1.0.x - meanX) * ($1.0.y - meanY) * $1.1 }
            let variance = zip(samples, weights).reduce(0) { $0 + ($1.0.x - meanX) * ($1.0.x - meanX) * $1.1 }
            slope = covariance / variance
            intercept = meanY - slope * meanX
        }
        inlierCount = samples.count { abs($0.y - slope * $0.x - intercept) <= 3 * deviation }
    }
}
