/// Fits `metric = curve(predicted) * (1 + a) + b * unit`, with a and b bilinear on the grid, to a frame's samples.
///
/// All unknowns are solved for at once, so that a scene whose depth goes with the place in the image (a floor) is not
/// split wrongly between curve and grid. Reweighted least squares with Tukey's weights start from medians.
struct GridFit {
    static let cells = GridCalibration.columns * GridCalibration.rows
    private static let knots = CalibrationCurve.knotCount
    private static let unknowns = knots + 2 * cells
    private static let iterations = 5
    /// Tukey's cutoff in standard deviations.
    private static let cutoff: Float = 4.685
    /// Errors of neighbouring pixels go together: so many samples count as one.
    private static let correlated: Float = 16

    /// Standard deviations that are expected of the unknowns beforehand, as parts of the metric quantity.
    private enum Prior {
        /// From one cell to the next.
        static let neighbour = 0.01
        /// Of a cell from the curve alone.
        static let cell = 0.1
        /// Of a knot from the line alone.
        static let knot = 0.3
        /// Of the curve's second derivative by the logarithm of the metric quantity.
        static let bend = 0.5
    }

    private(set) var curve: CalibrationCurve
    private(set) var gains = [Float](repeating: 0, count: cells)
    private(set) var addends = [Float](repeating: 0, count: cells)
    /// The weighted mean of the metric quantity.
    private(set) var unit: Float
    /// Of the samples' errors after the fit, in metres, over the inliers.
    private(set) var rmseMetres = 0.0

    private let samples: [GridSample]
    private let isInverse: Bool

    /// `nil` where the samples determine nothing.
    init?(_ all: [GridSample], isInverse: Bool) {
        guard let curve = CalibrationCurve(all, isInverse: isInverse) else { return nil }
        self.curve = curve
        self.isInverse = isInverse
        samples = all.filter { $0.predicted >= curve.first && $0.predicted <= curve.last }
        var total = 0.0
        var sum = 0.0
        for sample in samples {
            let weight = Double(sample.precision * sample.precision)
            total += weight
            sum += weight * Double(sample.metric)
        }
        unit = Float(sum / total)
        guard unit > 0, unit.isFinite else { return nil }
        start()
        for _ in 0..<Self.iterations where !improve() { return nil }
        assess()
    }

    // MARK: Start

    /// The curve through the medians of the samples' errors around each knot.
    private mutating func start() {
        var errors = [[Float]](repeating: [], count: Self.knots)
        for sample in samples {
            let (interval, part) = curve.place(sample.predicted)
            let knot = part < 0.5 ? interval : interval + 1
            errors[knot].append((sample.metric - sample.predicted) / curve.levels[knot])
        }
        let known = errors.indices.filter { errors[$0].count >= 12 }
        let counts = errors.map(\.count)
        for knot in known { errors[knot].sort() }
        var after = 0
        for knot in 0..<Self.knots {
            while after < known.count, known[after] < knot { after += 1 }
            // The nearest knots with enough samples on either side; the same one beyond the outermost.
            guard let right = after < known.count ? known[after] : known.last else { return }
            let left = right <= knot || after == 0 ? right : known[after - 1]
            let part = right > left ? Float(knot - left) / Float(right - left) : 1
            let low = errors[left][errors[left].count / 2]
            let high = errors[right][errors[right].count / 2]
            curve.values[knot] += (low + (high - low) * part) * curve.levels[knot]
        }
        curve.rise(from: mostCertain(counts.map(Double.init)))
    }

    private func mostCertain(_ weights: [Double]) -> Int {
        weights.indices.max { weights[$0] < weights[$1] } ?? 0
    }

    // MARK: Steps

    /// One step of reweighted least squares; whether it was possible.
    private mutating func improve() -> Bool {
        let deviation = spread()
        var system = GridEquations(count: Self.unknowns)
        var indices = [Int](repeating: 0, count: 10)
        var factors = [Double](repeating: 0, count: 10)
        let scale = 1 / (deviation * Self.correlated.squareRoot())
        for sample in samples {
            let row = row(sample)
            let closeness = 1 - square(row.error * sample.precision / (Self.cutoff * deviation))
            guard closeness > 0 else { continue }
            let weight = closeness * sample.precision * scale
            indices[0] = row.interval
            indices[1] = row.interval + 1
            factors[0] = Double(weight * (1 - row.part) * curve.levels[row.interval] * row.gain)
            factors[1] = Double(weight * row.part * curve.levels[row.interval + 1] * row.gain)
            for corner in 0..<4 {
                indices[2 + corner] = Self.knots + row.cells[corner]
                indices[6 + corner] = Self.knots + Self.cells + row.cells[corner]
                factors[2 + corner] = Double(weight * row.base * row.shares[corner])
                factors[6 + corner] = Double(weight * unit * row.shares[corner])
            }
            system.add(indices, factors, error: Double(weight * row.error))
        }
        let certain = mostCertain((0..<Self.knots).map { system.diagonal($0) })
        let found = current()
        addPriors(&system, found)
        guard let step = system.solve() else { return false }
        for knot in 0..<Self.knots { curve.values[knot] += Float(step[knot]) * curve.levels[knot] }
        curve.rise(from: certain)
        for cell in 0..<Self.cells {
            gains[cell] = max(-0.8, min(Float(found[Self.knots + cell] + step[Self.knots + cell]), 4))
            addends[cell] = Float(found[Self.knots + Self.cells + cell] + step[Self.knots + Self.cells + cell])
        }
        return true
    }

    /// The unknowns as parts of the metric quantity; 0 is the line.
    private func current() -> [Double] {
        (0..<Self.knots).map { Double((curve.values[$0] - curve.knots[$0]) / curve.levels[$0]) }
            + gains.map(Double.init) + addends.map(Double.init)
    }

    private func addPriors(_ system: inout GridEquations, _ found: [Double]) {
        func expect(_ indices: [Int], _ factors: [Double], deviation: Double) {
            let value = zip(indices, factors).reduce(0) { $0 + found[$1.0] * $1.1 }
            system.add(indices, factors.map { $0 / deviation }, error: -value / deviation)
        }
        for knot in 0..<Self.knots { expect([knot], [1], deviation: Prior.knot) }
        let bend = Prior.bend * Double(curve.spacing * curve.spacing)
        for knot in 1..<Self.knots - 1 {
            expect([knot - 1, knot, knot + 1], [1, -2, 1], deviation: max(bend, 1e-6))
        }
        for first in [Self.knots, Self.knots + Self.cells] {
            for cell in 0..<Self.cells {
                expect([first + cell], [1], deviation: Prior.cell)
                if (cell + 1) % GridCalibration.columns != 0 {
                    expect([first + cell, first + cell + 1], [-1, 1], deviation: Prior.neighbour)
                }
                if cell + GridCalibration.columns < Self.cells {
                    let below = first + cell + GridCalibration.columns
                    expect([first + cell, below], [-1, 1], deviation: Prior.neighbour)
                }
            }
        }
    }

    // MARK: Errors

    /// What one sample says.
    private struct Row {
        var interval: Int
        var part: Float
        var cells: SIMD4<Int>
        var shares: SIMD4<Float>
        /// The curve at the prediction.
        var base: Float
        /// One and the grid's gain.
        var gain: Float
        /// What was measured less what is fitted.
        var error: Float
    }

    private func row(_ sample: GridSample) -> Row {
        let (interval, part) = curve.place(sample.predicted)
        let base = curve.values[interval] + (curve.values[interval + 1] - curve.values[interval]) * part
        let (column, across) = gridInterval(sample.column, GridCalibration.columns)
        let (row, down) = gridInterval(sample.row, GridCalibration.rows)
        let cell = row * GridCalibration.columns + column
        let cells = SIMD4(cell, cell + 1, cell + GridCalibration.columns, cell + GridCalibration.columns + 1)
        let shares = SIMD4(
            (1 - across) * (1 - down),
            across * (1 - down),
            (1 - across) * down,
            across * down
        )
        var gain: Float = 1
        var addend: Float = 0
        for corner in 0..<4 {
            gain += shares[corner] * gains[cells[corner]]
            addend += shares[corner] * addends[cells[corner]]
        }
        return Row(
            interval: interval,
            part: part,
            cells: cells,
            shares: shares,
            base: base,
            gain: gain,
            error: sample.metric - base * gain - addend * unit
        )
    }

    /// A standard deviation of error over expected deviation, from the median; never quite 0.
    private func spread() -> Float {
        let step = max(1, samples.count / 3000)
        var errors = stride(from: 0, to: samples.count, by: step).map { index in
            let error = abs(row(samples[index]).error * samples[index].precision)
            return error.isFinite ? error : .greatestFiniteMagnitude
        }
        guard !errors.isEmpty else { return 1 }
        let middle = errors.withUnsafeMutableBufferPointer { errors in
            errors.baseAddress.map { median($0, count: errors.count) } ?? 1
        }
        return max(1.4826 * middle, 1e-3)
    }

    private mutating func assess() {
        let limit = 3 * spread()
        var sum = 0.0
        var count = 0
        for sample in samples {
            let error = row(sample).error
            guard abs(error) <= limit * sample.deviation else { continue }
            let fitted = sample.metric - error
            guard fitted > 0 else { continue }
            sum += Double(square(isInverse ? 1 / fitted - 1 / sample.metric : error))
            count += 1
        }
        rmseMetres = count == 0 ? 0 : (sum / Double(count)).squareRoot()
    }
}

/// The interval between two centres of cells and the part of it; less than 0 or more than 1 beyond the outer centres.
func gridInterval(_ place: Float, _ cells: Int) -> (index: Int, part: Float) {
    let index = max(0, min(Int(place), cells - 2))
    return (index, place - Float(index))
}

private func square(_ value: Float) -> Float { value * value }
