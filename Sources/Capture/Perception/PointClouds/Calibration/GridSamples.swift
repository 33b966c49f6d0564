import Recording

/// What the global line says of a value of the network, in the quantity in which the line is fitted.
struct LinePrediction: Sendable, Hashable {
    /// Whether the quantity is `1 / z`; otherwise it is z.
    var isInverse: Bool
    var gain: Float
    var addend: Float

    /// `nil` where the line holds numbers that are of no use.
    init?(_ line: RelativeDepthCalibration) {
        isInverse = line.model == .inverseDepth
        // 1 / z = (value + shift) / scale, or z = scale * value + offset.
        gain = Float(isInverse ? 1 / line.scale : line.scale)
        addend = Float(isInverse ? line.inverseShift / line.scale : line.offset)
        guard gain.isFinite && addend.isFinite && gain != 0 else { return nil }
    }

    @inline(__always)
    func callAsFunction(_ value: Float) -> Float { gain * value + addend }
}

/// A pixel of the LiDAR's grid with what the network says there.
struct GridSample {
    /// The line's prediction of `metric`.
    var predicted: Float
    /// The LiDAR's `1 / z` or z.
    var metric: Float
    /// The expected deviation of `metric`.
    var deviation: Float
    /// One over the deviation, less where there is reason for doubt.
    var precision: Float
    /// In cells, whole numbers are centres of cells.
    var column: Float
    var row: Float
}

/// Gathers at most some 12,000 samples of a frame, evenly spaced.
struct GridSampler {
    private static let maximumCount = 12_500
    /// The bend of the prediction, as a part of the depth, at which a sample counts half.
    private static let halfBend: Float = 0.01

    var depth: DepthMap
    var map: RelativeDepthMap
    var prediction: LinePrediction
    var parameters: CalibrationParameters
    /// Whether the corners' pixels fall on each other, instead of the views' borders.
    var cornerAligned: Bool

    /// The samples in row-major order; the sizes of both maps were checked.
    func samples() -> [GridSample] {
        var step = max(1, min(parameters.stride, GridLimits.maximumSide))
        func count(_ step: Int) -> Int { ((depth.width + step - 1) / step) * ((depth.height + step - 1) / step) }
        while count(step) > Self.maximumCount { step += 1 }
        let reach = max(1, map.width / depth.width + 1)
        var samples: [GridSample] = []
        samples.reserveCapacity(count(step))
        depth.metres.withUnsafeBufferPointer { metres in
            map.values.withUnsafeBufferPointer { values in
                for row in stride(from: 0, to: depth.height, by: step) {
                    let y = place(row, depth.height, map.height)
                    for column in stride(from: 0, to: depth.width, by: step) {
                        let index = row * depth.width + column
                        let z = metres[index]
                        guard z > Float(parameters.minimumDepthMetres), z < Float(parameters.maximumDepthMetres) else {
                            continue
                        }
                        let x = place(column, depth.width, map.width)
                        guard let value = interpolate(values, x, y) else { continue }
                        let metric = prediction.isInverse ? 1 / z : z
                        let predicted = prediction(value)
                        guard predicted.isFinite && metric > 0 && metric.isFinite else { continue }
                        let bend = abs(prediction.gain * bend(values, x, y, reach)) / (metric * Self.halfBend)
                        let deviation = lidarDeviation(z, inverse: prediction.isInverse)
                        let precision = trust(index) / (deviation * (1 + bend * bend).squareRoot())
                        guard precision > 0 && precision.isFinite else { continue }
                        samples.append(
                            GridSample(
                                predicted: predicted,
                                metric: metric,
                                deviation: deviation,
                                precision: precision,
                                column: gridPlace(column, depth.width, GridCalibration.columns),
                                row: gridPlace(row, depth.height, GridCalibration.rows)
                            )
                        )
                    }
                }
            }
        }
        return samples
    }

    /// The place on the network's grid, in pixels from the first one's centre.
    private func place(_ index: Int, _ size: Int, _ mapSize: Int) -> Float {
        let place =
            cornerAligned
            ? Float(index) * Float(mapSize - 1) / Float(max(size - 1, 1))
            : (Float(index) + 0.5) * Float(mapSize) / Float(size) - 0.5
        return max(0, min(place, Float(mapSize - 1)))
    }

    /// The value between four pixels; `nil` where one of them has none.
    private func interpolate(_ values: UnsafeBufferPointer<Float>, _ x: Float, _ y: Float) -> Float? {
        let left = Int(x)
        let top = Int(y)
        let right = min(left + 1, map.width - 1)
        let bottom = min(top + 1, map.height - 1)
        let a = values[top * map.width + left]
        let b = values[top * map.width + right]
        let c = values[bottom * map.width + left]
        let d = values[bottom * map.width + right]
        guard min(min(a, b), min(c, d)) > 0, max(max(a, b), max(c, d)) < .infinity else { return nil }
        let across = x - Float(left)
        let upper = a + (b - a) * across
        let lower = c + (d - c) * across
        return upper + (lower - upper) * (y - Float(top))
    }

    /// The larger second difference over `2 * reach` pixels along both axes.
    ///
    /// Inverse depth is linear on a plane, so that this is large only at edges, where the network and the LiDAR blur
    /// differently. NaN, near values without depth, makes a precision of NaN: the sample is then left out.
    private func bend(_ values: UnsafeBufferPointer<Float>, _ x: Float, _ y: Float, _ reach: Int) -> Float {
        guard map.width > 2 * reach, map.height > 2 * reach else { return 0 }
        let column = max(reach, min(Int(x + 0.5), map.width - 1 - reach))
        let row = max(reach, min(Int(y + 0.5), map.height - 1 - reach))
        let centre = row * map.width + column
        let twice = 2 * values[centre]
        let across = abs(values[centre - reach] + values[centre + reach] - twice)
        let down = abs(values[centre - reach * map.width] + values[centre + reach * map.width] - twice)
        // Not `max`, which may drop a NaN.
        return across > down ? across : across.isNaN ? across : down
    }

    /// The square roots of the weights 0.20, 0.65 and 1 that the line gives to the confidences.
    private func trust(_ index: Int) -> Float {
        guard let level = depth.confidence?[index] else { return 1 }
        return level == 0 ? 0.447 : level == 1 ? 0.806 : 1
    }
}

/// The place of a pixel's centre on the grid, in cells from the first cell's centre.
func gridPlace(_ index: Int, _ size: Int, _ cells: Int) -> Float {
    (Float(index) + 0.5) * Float(cells) / Float(size) - 0.5
}
