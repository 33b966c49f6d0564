import Platform

/// Statistics of one feature, as LeRobot normalises by them: least, largest, mean, standard deviation and quantiles, one of
/// each for every element or channel.
package struct FeatureStatistics: Sendable, Hashable {
    /// The quantiles that LeRobot has, by their names.
    package static let quantiles: [(name: String, share: Double)] = [
        ("q01", 0.01), ("q10", 0.1), ("q50", 0.5), ("q90", 0.9), ("q99", 0.99),
    ]
    /// All names but `count`, in the order in which they are written.
    package static let names = ["min", "max", "mean", "std"] + quantiles.map(\.name)

    /// By ``names``, then by elements.
    package var values: [[Double]]
    package var count: Int

    package init(values: [[Double]], count: Int) {
        self.values = values
        self.count = count
    }

    /// The statistics of several parts together: exact but for quantiles, which are those of the distributions that the parts'
    /// quantiles draw. (LeRobot takes their mean, which is no quantile where episodes differ.)
    package init(joining parts: [FeatureStatistics]) {
        let total = parts.reduce(0) { $0 + $1.count }
        guard let first = parts.first, total > 0 else {
            self.init(values: parts.first?.values ?? [], count: 0)
            return
        }
        var values = first.values
        for element in first.values[0].indices {
            func mean(_ value: (FeatureStatistics) -> Double) -> Double {
                parts.reduce(0) { $0 + value($1) * Double($1.count) } / Double(total)
            }
            values[0][element] = parts.map { $0.values[0][element] }.min() ?? 0
            values[1][element] = parts.map { $0.values[1][element] }.max() ?? 0
            let centre = mean { $0.values[2][element] }
            values[2][element] = centre
            values[3][element] =
                mean { part in
                    let (deviation, offset) = (part.values[3][element], part.values[2][element] - centre)
                    return deviation * deviation + offset * offset
                }.squareRoot()
            for (place, quantile) in Self.quantiles.enumerated() {
                var (low, high) = (values[0][element], values[1][element])
                for _ in 0..<64 where low < high {
                    let middle = low + (high - low) / 2
                    if mean({ $0.share(below: middle, element) }) < quantile.share {
                        low = middle
                    } else {
                        high = middle
                    }
                }
                values[4 + place][element] = high
            }
        }
        self.init(values: values, count: total)
    }

    /// The part of the values up to one: between two quantiles it grows evenly.
    private func share(below value: Double, _ element: Int) -> Double {
        let shares = [0] + Self.quantiles.map(\.share) + [1]
        let knots = [values[0][element]] + values[4...].map { $0[element] } + [values[1][element]]
        guard let next = knots.firstIndex(where: { $0 > value }) else { return 1 }
        guard next > 0 else { return 0 }
        let part = (value - knots[next - 1]) / (knots[next] - knots[next - 1])
        return shares[next - 1] + part * (shares[next] - shares[next - 1])
    }
}

/// Collects the statistics of vectors that come one after the other, in bounded memory.
struct VectorStatistics {
    /// Quantiles are those of at most twice as many vectors, evenly spread.
    private static let sampleCount = 4096

    private var count = 0
    private var low: [Double]
    private var high: [Double]
    private var mean: [Double]
    private var squares: [Double]
    /// Each `stride`-th vector, one after the other.
    private var samples: [Double] = []
    private var stride = 1
    private let size: Int

    init(size: Int) {
        self.size = size
        low = [Double](repeating: .infinity, count: size)
        high = [Double](repeating: -.infinity, count: size)
        mean = [Double](repeating: 0, count: size)
        squares = mean
    }

    mutating func add(_ vector: some RandomAccessCollection<Double>) {
        if count % stride == 0 { samples += vector }
        count += 1
        for (index, value) in vector.enumerated() where index < size {
            low[index] = min(low[index], value)
            high[index] = max(high[index], value)
            // Welford (1962).
            let step = value - mean[index]
            mean[index] += step / Double(count)
            squares[index] += step * (value - mean[index])
        }
        guard samples.count >= 2 * Self.sampleCount * max(1, size) else { return }
        let kept = Swift.stride(from: 0, to: samples.count / size, by: 2)
        samples = kept.flatMap { samples[($0 * size)..<(($0 + 1) * size)] }
        stride *= 2
    }

    var result: FeatureStatistics {
        let columns = (0..<size).map { index in
            Swift.stride(from: index, to: samples.count, by: size).map { samples[$0] }.sorted()
        }
        let deviations = squares.map { ($0 / Double(max(1, count))).squareRoot() }
        let quantiles = FeatureStatistics.quantiles.map { quantile in
            columns.map { Self.interpolated($0, quantile.share) }
        }
        return FeatureStatistics(values: [low, high, mean, deviations] + quantiles, count: count)
    }

    /// The quantile of sorted values, between the two that are nearest to it.
    private static func interpolated(_ values: [Double], _ share: Double) -> Double {
        guard let last = values.last else { return 0 }
        let place = share * Double(values.count - 1)
        let index = Int(place)
        guard index + 1 < values.count else { return last }
        let (one, other) = (values[index], values[index + 1])
        return one + (other - one) * (place - Double(index))
    }
}

/// Collects the statistics of pictures: how often each value occurs in each channel.
struct PictureStatistics {
    /// By channels.
    private var counts: [BinCounts]
    private var pictures = 0
    /// What a value stands for.
    private let meaning: [Double]

    init(channels: Int, meaning: [Double]) {
        self.meaning = meaning
        counts = [BinCounts](repeating: BinCounts(), count: channels)
    }

    /// - Parameter picture: how often each value is in the picture, by channels.
    mutating func add(_ picture: [[UInt32]]) {
        pictures += 1
        for channel in counts.indices {
            for (value, count) in picture[channel].enumerated() { counts[channel].add(Int(count), toBin: value) }
        }
    }

    /// `count` is the number of pictures.
    var result: FeatureStatistics {
        var values = [[Double]](repeating: [], count: FeatureStatistics.names.count)
        for channel in counts {
            func sum(_ body: (Double) -> Double) -> Double {
                zip(channel.bins, self.meaning).reduce(0) { $1.0 == 0 ? $0 : $0 + Double($1.0) * body($1.1) }
                    / Double(max(1, channel.count))
            }
            func meaning(_ bin: Int?) -> Double { bin.map { self.meaning[$0] } ?? 0 }
            let mean = sum { $0 }
            values[0].append(meaning(channel.bins.firstIndex { $0 > 0 }))
            values[1].append(meaning(channel.bins.indices.last))
            values[2].append(mean)
            values[3].append(sum { ($0 - mean) * ($0 - mean) }.squareRoot())
            for (place, quantile) in FeatureStatistics.quantiles.enumerated() {
                values[4 + place].append(meaning(channel.bin(ofQuantile: quantile.share, .lower)))
            }
        }
        return FeatureStatistics(values: values, count: pictures)
    }
}
