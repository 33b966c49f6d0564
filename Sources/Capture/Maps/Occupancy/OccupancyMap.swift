import Recording

/// A map of the floor for robots, in the frame `map`: what stands on it, what is free, and what is not known.
///
/// A cell is occupied where something is between the least and the greatest height above the floor. It is free where
/// nothing is, and a ray passed between these heights or the floor itself was seen. Everything else is unknown; so is what
/// lies lower than the floor without the floor above it, as a robot would fall there.
package struct OccupancyMap: Sendable {
    package static let unknown: Int8 = -1
    package static let free: Int8 = 0
    package static let occupied: Int8 = 100

    package let resolutionMetres: Double
    package let width: Int
    package let height: Int
    /// The index of the lower left cell, which begins at so many times the resolution.
    package let first: SIMD2<Int32>
    /// Row by row from the least y, each from the least x: unknown, free or occupied.
    package let cells: [Int8]
    /// The same in steps: 0 for what is surely free up to 100 for what is surely occupied, -1 for what is unknown.
    package let likelihood: [Int8]
    /// The highest thing up to the greatest height, above the floor in metres; no number where none was seen.
    package let heights: [Float]
    package let floor: Floor
    /// Cells that are unknown as they lie lower than the floor.
    package let lowerCount: Int
    /// Cells that one ray alone says are occupied, with nothing beside them: they are taken for noise.
    package let speckCount: Int

    /// The lower left corner in metres.
    package var origin: (x: Double, y: Double) {
        (Double(first.x) * resolutionMetres, Double(first.y) * resolutionMetres)
    }

    package func count(of state: Int8) -> Int { cells.count { $0 == state } }

    /// The area of cells of a state, in square metres.
    package func squareMetres(of state: Int8) -> Double { squareMetres(count(of: state)) }

    package func squareMetres(_ count: Int) -> Double { Double(count) * resolutionMetres * resolutionMetres }

    /// - Throws: a ``MissingFloor`` without a floor in view, an ``OversizeMap`` where the cells would be too many.
    package init(_ volume: OccupancyVolume) throws {
        let occupied = OccupiedCells(volume)
        let floor = try FloorFinder(volume, occupied).floor()
        var sheet = try MapSheet(volume, floor)
        sheet.take(occupied)
        sheet.takeFree(volume)
        let box = sheet.known
        self.floor = floor
        resolutionMetres = volume.parameters.resolutionMetres
        (first, width, height) = (box.first, box.width, box.height)
        var (cells, likelihood, heights): ([Int8], [Int8], [Float]) = ([], [], [])
        for row in 0..<box.height {
            for column in 0..<box.width {
                let cell = sheet.cell(box.first.x &+ Int32(column), box.first.y &+ Int32(row))
                cells.append(cell.state)
                likelihood.append(cell.likelihood)
                heights.append(cell.height)
            }
        }
        (self.cells, self.likelihood, self.heights) = (cells, likelihood, heights)
        (lowerCount, speckCount) = (sheet.lowerCount, sheet.speckCount)
    }
}

/// A map that would have more cells than it may.
package struct OversizeMap: Error, Sendable, CustomStringConvertible {
    package var widthMetres: Double
    package var heightMetres: Double
    package var limit: Int

    package var description: String {
        "map: expected at most \(limit) cells, found \(widthMetres.rounded()) x \(heightMetres.rounded()) m of them: "
            + "choose larger cells, or a span in which poses do not jump"
    }
}

/// The columns of a volume over the ground, while a map is made of them.
private struct MapSheet {
    struct Column {
        /// The greatest logarithm of odds of what stands there; 0 without.
        var obstacle: Int16 = 0
        /// That of what rays passed; 0 without.
        var passed: Int16 = 0
        /// How many cells rays passed, up to 255.
        var passedCells: UInt8 = 0
        var flags: UInt8 = 0
        /// How many rays ended in what stands there, up to 255.
        var hits: UInt8 = 0
        var height: Float = .nan
    }

    private static let floorSeen: UInt8 = 1
    private static let lowerSeen: UInt8 = 2

    private let parameters: OccupancyParameters
    private let floor: Floor
    private let first: SIMD2<Int32>
    private let width: Int
    private let rows: Int
    private var columns: [Column]
    private let frameCount: Int
    /// So many cells of a column are passed by rays where it is free: noise lets some rays end behind a wall.
    private let leastPassed: UInt8
    private(set) var lowerCount = 0
    private(set) var speckCount = 0

    /// What a cell takes while the map is made: its column, its likelihood, its height, its pixel.
    private static let cellBytes = 24

    init(_ volume: OccupancyVolume, _ floor: Floor) throws {
        parameters = volume.parameters
        frameCount = volume.frameCount
        let band = (parameters.maximumHeightMetres - parameters.minimumHeightMetres) / parameters.resolutionMetres
        leastPassed = band < 8 ? 1 : 2
        self.floor = floor
        var (low, high) = (SIMD2<Int32>(repeating: .max), SIMD2<Int32>(repeating: .min))
        for key in volume.keys {
            low = SIMD2(min(low.x, key.place.x), min(low.y, key.place.y))
            high = SIMD2(max(high.x, key.place.x), max(high.y, key.place.y))
        }
        guard low.x <= high.x else { throw MissingFloor(areaSquareMetres: 0) }
        first = low &* 8
        (width, rows) = (8 * (Int(high.x) - Int(low.x) + 1), 8 * (Int(high.y) - Int(low.y) + 1))
        let (count, isOver) = width.multipliedReportingOverflow(by: rows)
        guard !isOver, count <= min(parameters.maximumMapCells, parameters.maximumBytes / Self.cellBytes) else {
            throw OversizeMap(
                widthMetres: Double(width) * parameters.resolutionMetres,
                heightMetres: Double(rows) * parameters.resolutionMetres,
                limit: min(parameters.maximumMapCells, parameters.maximumBytes / Self.cellBytes)
            )
        }
        columns = [Column](repeating: Column(), count: count)
    }

    private func index(_ x: Int32, _ y: Int32) -> Int { Int(y &- first.y) * width + Int(x &- first.x) }

    private func ground(_ x: Int32, _ y: Int32) -> Double {
        let metres = parameters.resolutionMetres
        return floor.height(x: (Double(x) + 0.5) * metres, y: (Double(y) + 0.5) * metres)
    }

    mutating func take(_ occupied: OccupiedCells) {
        let (low, high) = (Float(parameters.minimumHeightMetres), Float(parameters.maximumHeightMetres))
        let level = max(low, Self.levelMetres)
        let leastHits = frameCount < Self.fewFrames ? 1 : Self.speckHits
        for cell in occupied.cells {
            let ground = Float(ground(cell.x, cell.y))
            let place = index(cell.x, cell.y)
            let height = cell.height - ground
            guard height <= high else { continue }
            if height >= low {
                columns[place].obstacle = max(columns[place].obstacle, cell.logOdds)
                columns[place].hits = UInt8(clamping: Int(columns[place].hits) + Int(cell.hits))
            } else if height >= -level {
                // What one ray alone saw, with none above it, may be noise of a wall's foot.
                if !cell.surface.isNaN || cell.hits >= leastHits { columns[place].flags |= Self.floorSeen }
            } else if !cell.surface.isNaN {
                columns[place].flags |= Self.lowerSeen
            }
            // Cells come upward: the last one is the highest.
            columns[place].height = cell.surface.isNaN ? height : cell.surface - ground
        }
        dropSpecks()
        lowerCount = columns.count { $0.obstacle == 0 && $0.flags == Self.lowerSeen }
    }

    /// Takes out what a single ray saw, with nothing beside it that more rays saw.
    private mutating func dropSpecks() {
        guard frameCount >= Self.fewFrames else { return }
        var specks: [Int] = []
        for (place, column) in columns.enumerated() where column.hits > 0 && column.hits < Self.speckHits {
            let (x, y) = (place % width, place / width)
            let isBeside = (max(0, y - 1)...min(rows - 1, y + 1)).contains { row in
                (max(0, x - 1)...min(width - 1, x + 1)).contains { columns[row * width + $0].hits >= Self.speckHits }
            }
            if !isBeside { specks.append(place) }
        }
        for place in specks { (columns[place].obstacle, columns[place].height) = (0, .nan) }
        speckCount = specks.count
    }

    /// Flying pixels come once in a place.
    private static let speckHits: UInt8 = 2
    private static let fewFrames = 8

    /// Noise puts a floor this far below itself.
    private static let levelMetres: Float = 0.05

    /// Looks where rays passed between the two heights.
    mutating func takeFree(_ volume: OccupancyVolume) {
        let metres = parameters.resolutionMetres
        for (number, key) in volume.keys.enumerated() {
            let (x, y, z) = (key.place.x &* 8, key.place.y &* 8, Double(key.place.z) * 8)
            // The cells whose centres lie between the heights.
            let bounds = (0..<64 as Range<Int32>).map { bit -> (low: Int, high: Int) in
                let ground = ground(x &+ bit & 7, y &+ bit &>> 3)
                let low = ((ground + parameters.minimumHeightMetres) / metres - 0.5 - z).rounded(.up)
                let high = ((ground + parameters.maximumHeightMetres) / metres - 0.5 - z).rounded(.down)
                return (Int(min(max(low, 0), 8)), Int(min(max(high, -1), 7)))
            }
            let passed = volume.read(number) { block in
                bounds.enumerated().map { bit, bounds -> (odds: Int16, cells: Int) in
                    var (odds, cells) = (Int16.min, 0)
                    var z = bounds.low
                    while z <= bounds.high {
                        let value = block[z &* 64 &+ bit]
                        if value < 0 { (odds, cells) = (max(odds, value), cells &+ 1) }
                        z &+= 1
                    }
                    return (odds, cells)
                }
            }
            for (bit, found) in (passed ?? []).enumerated() where found.cells > 0 {
                let place = index(x &+ Int32(bit & 7), y &+ Int32(bit &>> 3))
                let old = columns[place].passed
                columns[place].passed = old == 0 ? found.odds : max(old, found.odds)
                columns[place].passedCells = UInt8(clamping: Int(columns[place].passedCells) + found.cells)
            }
        }
    }

    /// The cells around all that is known.
    var known: (first: SIMD2<Int32>, width: Int, height: Int) {
        var (low, high) = ((x: Int.max, y: Int.max), (x: -1, y: -1))
        for (place, column) in columns.enumerated() where isKnown(column) {
            let (x, y) = (place % width, place / width)
            low = (min(low.x, x), min(low.y, y))
            high = (max(high.x, x), max(high.y, y))
        }
        guard high.x >= 0 else { return (first, 0, 0) }
        return (
            SIMD2(first.x &+ Int32(low.x), first.y &+ Int32(low.y)), high.x - low.x + 1, high.y - low.y + 1
        )
    }

    private func isKnown(_ column: Column) -> Bool { state(column) != OccupancyMap.unknown || !column.height.isNaN }

    private func state(_ column: Column) -> Int8 {
        if column.obstacle > 0 { return OccupancyMap.occupied }
        if column.flags & Self.floorSeen != 0 { return OccupancyMap.free }
        if column.flags & Self.lowerSeen != 0 { return OccupancyMap.unknown }
        return column.passedCells >= leastPassed ? OccupancyMap.free : OccupancyMap.unknown
    }

    func cell(_ x: Int32, _ y: Int32) -> (state: Int8, likelihood: Int8, height: Float) {
        let column = columns[index(x, y)]
        let state = state(column)
        guard state != OccupancyMap.unknown else { return (state, state, column.height) }
        let odds =
            state == OccupancyMap.occupied
            ? column.obstacle : column.passed == 0 ? OccupancyBlock.least : column.passed
        return (state, OccupancyBlock.percent(odds), column.height)
    }
}
