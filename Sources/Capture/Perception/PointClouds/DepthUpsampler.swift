package import Recording

/// Metric depth as fine as its image: joint bilateral upsampling (Kopf, Cohen, Lischinski and Uyttendaele 2007).
///
/// Each pixel of the image takes the depth of the LiDAR pixels around it (4 x 4) whose colour is like its own. Inverse depth is
/// averaged along the slope of each LiDAR pixel, as planes have straight slopes in it. Where the LiDAR pixels are of two
/// surfaces, those of the one with more weight count alone: nothing is put between them. A pixel has no depth where no
/// LiDAR pixel around it has.
///
/// In memory that it keeps: have one per worker.
package final class DepthUpsampler {
    /// The window's side, in LiDAR pixels.
    fileprivate static let side = 4
    /// In LiDAR pixels.
    private static let placeSigma: Float = 1.1
    /// In levels of a colour channel.
    private static let colourSigma: Float = 12
    /// The least sum of the weights by distance and confidence: less is a lone pixel at the window's corner.
    private static let leastSupport: Float = 0.05
    /// Inverse depths with a larger deviation than this share are of two surfaces.
    private static let deviationShare: Float = 0.015
    /// A chosen surface with less of the weight gets the confidence 0.
    private static let clearShare: Float = 0.8

    private var planes = LidarPlanes()

    package init() {}

    /// The depth map at the size of an image of the same view; `nil` where the sizes are impossible.
    ///
    /// Confidence: that of the LiDAR pixels that count, 0 to 2; 0 where two surfaces fit nearly alike, and at most 1 where one
    /// is only likelier.
    ///
    /// - Parameter guide: In the axes of the sensor, as the depth.
    package func upsampled(_ depth: DepthMap, guide: RGBImage) -> DepthMap? {
        let (width, height) = (guide.width, guide.height)
        guard depth.width > 0, depth.height > 0, depth.metres.count == depth.size.count, width > 0, height > 0,
            guide.pixels.count == 3 * width * height, depth.confidence.map({ $0.count == depth.size.count }) ?? true
        else { return nil }
        planes.fill(depth, guide)
        let (columns, rows) = (Self.windows(width, of: depth.width), Self.windows(height, of: depth.height))
        var confidence = [UInt8](repeating: 0, count: width * height)
        let metres = [Float](unsafeUninitializedCapacity: width * height) { metres, filled in
            confidence.withUnsafeMutableBufferPointer { confidence in
                guide.pixels.withUnsafeBufferPointer { pixels in
                    planes.withPointers { planes in
                        for row in 0..<height {
                            for column in 0..<width {
                                let place = row * width + column
                                let (r, g, b) = (pixels[3 * place], pixels[3 * place + 1], pixels[3 * place + 2])
                                let pixel = Pixel(
                                    planes,
                                    columns[column],
                                    rows[row],
                                    SIMD3(Float(r), Float(g), Float(b))
                                )
                                (metres[place], confidence[place]) = pixel.depth
                            }
                        }
                    }
                }
            }
            filled = width * height
        }
        return DepthMap(width: width, height: height, metres: metres, confidence: confidence)
    }

    private static func windows(_ count: Int, of coarse: Int) -> [Window] {
        (0..<count).map { index in
            let place = (Float(index) + 0.5) * Float(coarse) / Float(count) - 0.5
            let low = place.rounded(.down)
            var window = Window(first: Int(low) + LidarPlanes.border - 1)
            for tap in 0..<side {
                let step = place - (low + Float(tap - 1))
                window.steps[tap] = step
                window.weights[tap] = exponential(-step * step / (2 * placeSigma * placeSigma))
            }
            return window
        }
    }

    /// The exponential function, to a hundredth of itself, for -4 to 0.
    private static func exponential(_ x: Float) -> Float {
        var power = max(0, 1 + x / 256)
        for _ in 0..<8 { power *= power }
        return power
    }

    /// Where a pixel lies among the LiDAR's, in one direction.
    fileprivate struct Window {
        /// The first of the window, in the planes.
        var first: Int
        /// By distance.
        var weights = SIMD4<Float>.zero
        var steps = SIMD4<Float>.zero
    }

    /// A pixel and the LiDAR pixels around it.
    private struct Pixel {
        private static let falloff = 1 / (8 * colourSigma * colourSigma)

        private let planes: LidarPlanes.Pointers
        private let column: Window
        private let row: Window
        private let colour: SIMD3<Float>

        @inline(__always)
        init(_ planes: LidarPlanes.Pointers, _ column: Window, _ row: Window, _ colour: SIMD3<Float>) {
            (self.planes, self.column, self.row, self.colour) = (planes, column, row, colour)
        }

        /// Four LiDAR pixels of a row: their weights by distance and confidence, the same with colour, and their inverse depths.
        @inline(__always)
        private func taps(
            _ tap: Int
        ) -> (trust: SIMD4<Float>, weight: SIMD4<Float>, inverse: SIMD4<Float>, level: SIMD4<Float>) {
            let start = (row.first + tap) * planes.stride + column.first
            let r = planes[.red, start] - colour.x
            let g = planes[.green, start] - colour.y
            let b = planes[.blue, start] - colour.z
            let apart = r * r + g * g + b * b
            // A Gaussian is (1 + x / n)^-n for large n; this one ends more slowly.
            let like = 1 / (1 + apart * Self.falloff)
            let squared = like * like
            let trust = column.weights * row.weights[tap] * planes[.trust, start]
            let right = planes[.slopeRight, start] * column.steps
            let down = planes[.slopeDown, start] * row.steps[tap]
            let inverse = planes[.inverse, start] + (right + down)
            return (trust, trust * (squared * squared), inverse, planes[.level, start])
        }

        @inline(__always)
        var depth: (metres: Float, confidence: UInt8) {
            var (trusts, weights, levels) = (SIMD4<Float>.zero, SIMD4<Float>.zero, SIMD4<Float>.zero)
            var (sums, squares) = (SIMD4<Float>.zero, SIMD4<Float>.zero)
            for tap in 0..<side {
                let (trust, weight, inverse, level) = taps(tap)
                let product = weight * inverse
                trusts += trust
                weights += weight
                sums += product
                squares += product * inverse
                levels += weight * level
            }
            let weight = weights.sum()
            guard trusts.sum() > leastSupport, weight > 1e-9 else { return (0, 0) }
            let (mean, level) = (sums.sum() / weight, levels.sum() / weight)
            guard mean > 0 else { return (0, 0) }
            let (variance, limit) = (squares.sum() / weight - mean * mean, deviationShare * mean)
            if variance > limit * limit { return chosen(mean, level) }
            return (1 / planes.within(mean), UInt8(level.rounded()))
        }

        /// The depth of the surface with more weight, of those nearer and farther than the mean.
        @inline(never)
        private func chosen(_ mean: Float, _ level: Float) -> (metres: Float, confidence: UInt8) {
            var near = (weights: SIMD4<Float>.zero, sums: SIMD4<Float>.zero)
            var far = near
            for tap in 0..<side {
                let (_, weight, inverse, _) = taps(tap)
                let isNear = inverse .> mean
                let (nearWeight, farWeight) = (
                    weight.replacing(with: 0, where: .!isNear), weight.replacing(with: 0, where: isNear)
                )
                near.weights += nearWeight
                near.sums += nearWeight * inverse
                far.weights += farWeight
                far.sums += farWeight * inverse
            }
            let (n, f) = (near.weights.sum(), far.weights.sum())
            let inverse = n > f ? near.sums.sum() / n : far.sums.sum() / f
            guard inverse > 0, inverse < .infinity else { return (0, 0) }
            return (1 / planes.within(inverse), max(n, f) > clearShare * (n + f) ? min(1, UInt8(level.rounded())) : 0)
        }
    }
}
