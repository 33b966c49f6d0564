package import Recording

/// How the relative depth of one frame becomes metres: a global line, corrected by a rising curve and on a grid.
///
/// In the quantity in which the line is fitted, depth or its inverse: `metric = scale * curve(line(value)) + shift`, where
/// scale and shift are bilinear between the centres of cells (and go on linearly to the image's borders). Beyond the
/// LiDAR's range, the correction fades to that of the line alone. For one frame only, as the line is.
package struct GridCalibration: Sendable, Hashable {
    package static let columns = 8
    package static let rows = 6
    /// The table's intervals between the curve's ends.
    private static let intervals = 1024

    /// The global line.
    package let line: RelativeDepthCalibration
    /// Without unit, row-major, `columns * rows`.
    package let scales: [Float]
    /// In the metric quantity, row-major, `columns * rows`.
    package let shifts: [Float]
    /// What the line says at the knots of the curve, and what that is corrected to before the grid; both rise.
    package let knots: [Float]
    package let knotValues: [Float]
    /// Over the inliers, against the LiDAR.
    package let rmseMetres: Double
    package let sampleCount: Int

    private let prediction: LinePrediction
    private let table: [Float]
    /// The prediction at the range's far end, the curve there, and how far beyond it the correction has faded.
    private let farEnd: Float
    private let farValue: Float
    private let fadeWidth: Float
    /// The prediction at the near end, and the curve's slope beyond it.
    private let nearEnd: Float
    private let nearSlope: Float

    /// Corrects a line by the frame that it was fitted to.
    ///
    /// The two grids may differ in size and cover the same view.
    package init(
        _ line: RelativeDepthCalibration,
        depth: DepthMap,
        relativeDepth: RelativeDepthMap,
        parameters: CalibrationParameters = CalibrationParameters()
    ) throws(CalibrationError) {
        try CalibrationError.check("depth map", depth.width, depth.height, depth.metres.count)
        try CalibrationError.check(
            "relative depth map",
            relativeDepth.width,
            relativeDepth.height,
            relativeDepth.values.count
        )
        if let confidence = depth.confidence {
            try CalibrationError.check("confidence map", depth.width, depth.height, confidence.count)
        }
        guard let prediction = LinePrediction(line) else { throw .degenerateSpread(ratio: 0) }
        let samples = GridSampler(
            depth: depth,
            map: relativeDepth,
            prediction: prediction,
            parameters: parameters,
            cornerAligned: line.method == .leastSquares
        ).samples()
        let least = max(2, parameters.minimumInliers)
        guard samples.count >= least else { throw .tooFewSamples(expected: least, found: samples.count) }
        guard let fit = GridFit(samples, isInverse: prediction.isInverse) else { throw .degenerateSpread(ratio: 0) }
        self.line = line
        self.prediction = prediction
        scales = fit.gains.map { 1 + $0 }
        shifts = fit.addends.map { $0 * fit.unit }
        knots = fit.curve.knots
        knotValues = fit.curve.values
        rmseMetres = fit.rmseMetres
        sampleCount = samples.count

        let curve = fit.curve
        table = (0...Self.intervals).map { index in
            let predicted = curve.first + (curve.last - curve.first) * Float(index) / Float(Self.intervals)
            let (interval, part) = curve.place(predicted)
            return curve.values[interval] + (curve.values[interval + 1] - curve.values[interval]) * part
        }
        let end = CalibrationCurve.knotCount - 1
        farEnd = prediction.isInverse ? curve.first : curve.last
        farValue = prediction.isInverse ? curve.values[0] : curve.values[end]
        nearEnd = prediction.isInverse ? curve.last : curve.first
        nearSlope = max(0.5, min(curve.slope(after: prediction.isInverse ? end - 1 : 0), 2))
        let (scales, shifts, farEnd, farValue) = (scales, shifts, farEnd, farValue)
        let largest = (0..<Self.columns * Self.rows).reduce(Float(0)) { largest, cell in
            max(largest, abs(scales[cell] * farValue + shifts[cell] - farEnd))
        }
        // At twice the range, or sooner where it falls anyway; but wider than the correction, so that what is farther in
        // the network's eyes stays so.
        let widest = (prediction.isInverse ? 0.5 : 1) * abs(farEnd)
        let trend = curve.fall(beyond: prediction.isInverse ? 0 : end)
        fadeWidth = max(min(widest, trend), 2 * largest, .leastNormalMagnitude)
    }

    // MARK: Metres

    /// Metres on the map's own grid, which may differ from the one of the fit; 0 where there is no depth.
    ///
    /// An empty map for a map whose count does not match its size.
    package func metres(_ map: RelativeDepthMap) -> DepthMap {
        guard (try? CalibrationError.check("", map.width, map.height, map.values.count)) != nil else {
            return DepthMap(width: 0, height: 0, metres: [])
        }
        let places = (0..<map.width).map { gridInterval(gridPlace($0, map.width, Self.columns), Self.columns) }
        let metres = [Float](unsafeUninitializedCapacity: map.values.count) { output, filled in
            map.values.withUnsafeBufferPointer { values in
                for row in 0..<map.height {
                    let nodes = nodes(gridPlace(row, map.height, Self.rows))
                    let start = row * map.width
                    write(
                        UnsafeBufferPointer(rebasing: values[start..<start + map.width]),
                        places,
                        nodes,
                        map.kind,
                        UnsafeMutableBufferPointer(rebasing: output[start..<start + map.width])
                    )
                }
            }
            filled = map.values.count
        }
        return DepthMap(width: map.width, height: map.height, metres: metres)
    }

    /// Scale and shift at the centres of columns, at the height of a row.
    private func nodes(_ place: Float) -> [(scale: Float, shift: Float)] {
        let (row, down) = gridInterval(place, Self.rows)
        return (0..<Self.columns).map { column in
            let upper = row * Self.columns + column
            let lower = upper + Self.columns
            return (
                scales[upper] + (scales[lower] - scales[upper]) * down,
                shifts[upper] + (shifts[lower] - shifts[upper]) * down
            )
        }
    }

    private func write(
        _ values: UnsafeBufferPointer<Float>,
        _ places: [(index: Int, part: Float)],
        _ nodes: [(scale: Float, shift: Float)],
        _ kind: RelativeDepthMap.Kind,
        _ output: UnsafeMutableBufferPointer<Float>
    ) {
        let first = min(farEnd, nearEnd)
        let perInterval = Float(Self.intervals) / abs(farEnd - nearEnd)
        // A network's depth of 0 is none; its inverse depth of 0 is the farthest.
        let isZeroDepth = kind == .inverseDepth
        // Signed so that beyond the ends is more than 0.
        let away: Float = prediction.isInverse ? -1 : 1
        table.withUnsafeBufferPointer { table in
            for index in values.indices {
                let value = values[index]
                let predicted = prediction(value)
                guard predicted.isFinite, isZeroDepth || value > 0 else {
                    output[index] = 0
                    continue
                }
                let (node, part) = places[index]
                let scale = nodes[node].scale + (nodes[node + 1].scale - nodes[node].scale) * part
                let shift = nodes[node].shift + (nodes[node + 1].shift - nodes[node].shift) * part
                let beyond = (predicted - farEnd) * away
                var metric: Float
                if beyond > 0 {
                    let correction = scale * farValue + shift - farEnd
                    metric = predicted + correction * max(0, 1 - beyond / fadeWidth)
                } else {
                    let place = max(0, min((predicted - first) * perInterval, Float(Self.intervals)))
                    let interval = min(Int(place), Self.intervals - 1)
                    let base = table[interval] + (table[interval + 1] - table[interval]) * (place - Float(interval))
                    let over = (nearEnd - predicted) * away
                    metric = scale * (over > 0 ? base - over * away * nearSlope : base) + shift
                }
                if prediction.isInverse { metric = 1 / metric }
                output[index] = metric > 0 && metric < .infinity ? metric : 0
            }
        }
    }
}
