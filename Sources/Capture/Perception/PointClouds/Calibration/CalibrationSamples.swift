import Recording

/// Pairs of metric and relative depth of the same points of the view, in row-major order of the metric grid.
///
/// `metric` holds what the relative values are fitted to: depth, or its inverse. The arrays are padded with samples of no
/// weight to a multiple of eight.
struct CalibrationSamples {
    var metric: UnsafeMutablePointer<Float>
    var relative: UnsafeMutablePointer<Float>
    var weight: UnsafeMutablePointer<Float>
    var count: Int
    /// The number of pixels of the metric grid that were looked at.
    var examined: Int

    /// The count with padding.
    var paddedCount: Int { (count + 7) & ~7 }
}

/// Gathers the samples of a frame.
final class CalibrationSampler {
    private let metric = Scratch<Float>()
    private let relative = Scratch<Float>()
    private let weight = Scratch<Float>()
    private let columns = Scratch<Int32>()

    /// The samples of two maps whose sizes were checked.
    ///
    /// - Parameters:
    ///   - inverse: whether the metric quantity is `1 / z`.
    ///   - cornerAligned: whether the corners' pixels fall on each other, as in the phone app, instead of the views'
    ///     borders.
    func samples(
        depth: DepthMap,
        relative map: RelativeDepthMap,
        parameters: CalibrationParameters,
        inverse: Bool,
        cornerAligned: Bool
    ) -> CalibrationSamples {
        let step = parameters.stride
        let wide = (depth.width + step - 1) / step
        let high = (depth.height + step - 1) / step
        var samples = CalibrationSamples(
            metric: metric.reserve(wide * high + 8),
            relative: relative.reserve(wide * high + 8),
            weight: weight.reserve(wide * high + 8),
            count: 0,
            examined: wide * high
        )
        let columns = columns.reserve(wide)
        for index in 0..<wide {
            let column = lookup(index * step, from: depth.width, to: map.width, cornerAligned)
            columns[index] = Int32(truncatingIfNeeded: column)
        }
        let reader = SampleReader(depth: depth, map: map, parameters: parameters, inverse: inverse, columns: columns)
        for row in stride(from: 0, to: depth.height, by: step) {
            let mapRow = lookup(row, from: depth.height, to: map.height, cornerAligned)
            reader.read(row: row, mapRow: mapRow, into: &samples)
        }
        for index in samples.count..<samples.paddedCount {
            samples.metric[index] = 0
            samples.relative[index] = 0
            samples.weight[index] = 0
        }
        return samples
    }

    /// The pixel of the relative map at the place of a pixel of the metric map, along one axis.
    private func lookup(_ index: Int, from size: Int, to mapSize: Int, _ cornerAligned: Bool) -> Int {
        // (index + 0.5) / size * mapSize, rounded down.
        cornerAligned ? index * (mapSize - 1) / max(size - 1, 1) : (2 * index + 1) * mapSize / (2 * size)
    }
}

private struct SampleReader {
    var depth: DepthMap
    var map: RelativeDepthMap
    var stride: Int
    var nearest: Float
    var farthest: Float
    var inverse: Bool
    var columns: UnsafePointer<Int32>
    /// The weight of confidence 0, 1, 2 and, at 3, of no confidence map.
    let confidenceWeights: SIMD4<Float> = SIMD4(0.20, 0.65, 1, 1)

    init(
        depth: DepthMap,
        map: RelativeDepthMap,
        parameters: CalibrationParameters,
        inverse: Bool,
        columns: UnsafePointer<Int32>
    ) {
        self.depth = depth
        self.map = map
        stride = parameters.stride
        nearest = Float(parameters.minimumDepthMetres)
        farthest = Float(parameters.maximumDepthMetres)
        self.inverse = inverse
        self.columns = columns
    }

    /// Appends the valid samples of a row.
    func read(row: Int, mapRow: Int, into samples: inout CalibrationSamples) {
        let start = row * depth.width
        let mapStart = mapRow * map.width
        depth.metres.withUnsafeBufferPointer { metres in
            map.values.withUnsafeBufferPointer { values in
                var count = samples.count
                var place = 0
                var index = start
                while index < start &+ depth.width {
                    let z = metres[index]
                    let value = values[mapStart &+ Int(columns[place])]
                    if z > nearest && z < farthest && value > 0 && value < .infinity {
                        samples.metric[count] = inverse ? 1 / z : z
                        samples.relative[count] = value
                        samples.weight[count] = weight(z, confidence: index)
                        count &+= 1
                    }
                    place &+= 1
                    index &+= stride
                }
                samples.count = count
            }
        }
    }

    /// Confidence over the variance of the metric quantity.
    @inline(__always)
    private func weight(_ z: Float, confidence index: Int) -> Float {
        let metricDeviation = lidarDeviation(z, inverse: inverse)
        let level = depth.confidence.map { Int(min($0[index], 2)) } ?? 3
        return confidenceWeights[level] / (metricDeviation * metricDeviation)
    }
}

/// The deviation of a LiDAR depth, taken as max(0.015, 0.012 + 0.004 z²) metres, or that of its inverse, which is this over z².
@inline(__always)
func lidarDeviation(_ z: Float, inverse: Bool) -> Float {
    let deviation = max(0.015, 0.012 + 0.004 * z * z)
    return inverse ? deviation / (z * z) : deviation
}
