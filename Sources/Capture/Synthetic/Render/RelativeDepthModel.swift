import Recording

/// What a monocular model would give: inverse depth, normalised to 0...1 in each image.
struct RelativeDepthModel {
    static let grid = GridSize(width: 518, height: 392)
    static let deviation: Float = 0.004
    /// The part of the values that are wrong altogether, under noise.
    static let outlierPart: Float = 0.05

    /// Row-major values r with 1 / z = a * r + b, before noise.
    var values: [Float]
    /// 1 / m.
    var a: Double
    /// 1 / m.
    var b: Double

    init(exactMetres: [Float]) {
        let inverse = exactMetres.map { 1 / Double($0) }
        let low = inverse.min() ?? 0
        let high = inverse.max() ?? 1
        (a, b) = (high - low, low)
        let span = high - low
        values = inverse.map { span > 0 ? Float(($0 - low) / span) : 0 }
    }

    mutating func addNoise(seed: UInt64, image: Int) {
        var random = SeededRandom(seed: seed, stream: UInt64(image) | 3 << 60)
        for place in values.indices {
            let noise = RelativeDepthModel.noise(&random)
            values[place] = max(0, min(1, values[place] + noise))
        }
    }

    private static func noise(_ random: inout SeededRandom) -> Float {
        if random.uniform() < outlierPart { return (random.uniform() - 0.5) * 0.8 }
        return deviation * random.normal()
    }
}
