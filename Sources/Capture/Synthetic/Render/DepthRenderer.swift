import Recording

/// Renders z-depth at the pixel centres of a grid, exact to the precision of a Float.
struct DepthRenderer {
    let room: Room

    /// Row-major metres for the grid that the view's intrinsics describe.
    func render(_ view: PinholeView) -> [Float] {
        let caster = RayCaster(room: room, origin: view.origin)
        let candidates = caster.allCandidates
        let (width, height) = (view.intrinsics.width, view.intrinsics.height)
        var metres = [Float](repeating: 0, count: width * height)
        for row in 0..<height {
            let direction = view.rowDirection(row)
            for column in stride(from: 0, to: width, by: 4) {
                let hit = caster.cast(view.directions(direction, fromColumn: column), candidates)
                for lane in 0..<min(4, width - column) { metres[row * width + column + lane] = hit.depth[lane] }
            }
        }
        return metres
    }
}

/// The model of a LiDAR scanner, applied to exact depth.
struct LidarModel {
    static let grid = GridSize(width: 256, height: 192)
    /// Deviation of a measurement, as a part of the depth.
    static let relativeDeviation: Float = 0.004
    /// Beyond this depth confidence is medium.
    static let confidentMetres: Float = 4.5
    /// A pixel whose neighbours differ by more than this may fly between them.
    static let edgeMetres: Float = 0.08
    /// The part of the pixels that are 0, and that are no number.
    static let zeroPart: Float = 0.008
    static let invalidPart: Float = 0.006

    /// Confidence of noise-free depth.
    static func confidence(of metres: [Float]) -> [UInt8] {
        metres.map { $0 > confidentMetres ? 1 : 2 }
    }

    /// Adds noise, flying pixels and invalid pixels, with the confidence that goes with them.
    ///
    /// - Parameter flies: False where depth mixes surfaces by itself.
    static func measured(
        _ exact: [Float],
        seed: UInt64,
        image: Int,
        flies: Bool
    ) -> (metres: [Float], confidence: [UInt8]) {
        var random = SeededRandom(seed: seed, stream: UInt64(image) | 2 << 60)
        var metres = exact
        var confidence = confidence(of: exact)
        for row in 0..<grid.height {
            for column in 0..<grid.width {
                let place = row * grid.width + column
                let depth = exact[place]
                let far = neighbour(of: place, row: row, column: column, in: exact)
                let isEdge = abs(far - depth) > edgeMetres
                let kind = random.uniform()
                var value = depth
                if isEdge && kind < 0.5 {
                    if flies { value += (far - depth) * random.uniform() }
                    confidence[place] = random.uniform() < 0.8 ? 0 : 1
                } else if isEdge {
                    confidence[place] = min(confidence[place], 1)
                }
                value *= 1 + relativeDeviation * random.normal()
                let fate = random.uniform()
                if fate < zeroPart + invalidPart {
                    value = fate < zeroPart ? 0 : .nan
                    confidence[place] = 0
                }
                metres[place] = value
            }
        }
        return (metres, confidence)
    }

    /// The one of the four neighbours whose depth differs most.
    private static func neighbour(of place: Int, row: Int, column: Int, in metres: [Float]) -> Float {
        let depth = metres[place]
        var best = depth
        func offer(_ other: Int) {
            if abs(metres[other] - depth) > abs(best - depth) { best = metres[other] }
        }
        if column > 0 { offer(place - 1) }
        if column + 1 < grid.width { offer(place + 1) }
        if row > 0 { offer(place - grid.width) }
        if row + 1 < grid.height { offer(place + grid.width) }
        return best
    }
}

/// The output of a monocular model: inverse depth, normalised to 0...1 in each image.
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
