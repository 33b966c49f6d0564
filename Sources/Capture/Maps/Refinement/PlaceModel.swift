import Perception
import Recording

/// The surfaces of a whole walk, in one cloud: what two walks of one place have in common.
///
/// Both stand upright, so that two walks differ by a turn about the vertical and a shift: the turn is told by the directions of
/// walls, the shift over ground by walls of one direction, the shift of heights by floors and tables.
struct PlaceModel: Sendable {
    /// Where a walk may lie in another one.
    struct Candidate: Sendable {
        var targetFromSource: Transform
        var votes: Float
    }

    private static let turnBins = 360
    /// Walls of one bin of 15 degrees may be one.
    private static let wallBins = 24
    private static let shiftMetres: Float = 0.2
    private static let heightMetres: Float = 0.05
    private static let mostWalls = 2500
    private static let (turnsKept, shiftsKept, heightsKept) = (8, 5, 2)

    /// As a submap, whose axes are those of the walk's world.
    let surface: Submap
    private let turns: [Float]
    private let walls: [(place: SIMD2<Float>, azimuth: Float)]
    private let floors: [Float]

    /// - Parameter surface: In the walk's world, y up.
    init?(_ surface: Submap?) {
        guard let surface else { return nil }
        self.surface = surface
        var turns = [Float](repeating: 0, count: Self.turnBins)
        var (walls, floors): ([(place: SIMD2<Float>, azimuth: Float)], [Float]) = ([], [])
        for index in 0..<surface.count {
            let (place, normal) = (surface.tree.points[index], surface.normal(index))
            if abs(normal.y) < 0.3 {
                let azimuth = Float(arcTangent(Double(normal.x), Double(normal.z)))
                turns[Self.bin(azimuth, of: Self.turnBins)] += 1
                walls.append((SIMD2(place.x, place.z), azimuth))
            } else if normal.y > 0.9 {
                floors.append(place.y)
            }
        }
        (self.turns, self.floors) = (turns, floors)
        let step = max(1, (walls.count + Self.mostWalls - 1) / Self.mostWalls)
        self.walls = stride(from: 0, to: walls.count, by: step).map { walls[$0] }
    }

    /// Where a walk may lie in this one, the likeliest first.
    func candidates(for source: PlaceModel) -> [Candidate] {
        let heights = heights(for: source)
        return turnsBetween(source).flatMap { turn -> [Candidate] in
            let rotation = Quaternion(angleRadians: Double(turn), axis: Vector3(0, 1, 0))
            return shifts(for: source, turnedBy: turn).flatMap { shift in
                heights.map { height in
                    Candidate(
                        targetFromSource: Transform(
                            rotation: rotation,
                            translation: Vector3(Double(shift.place.x), Double(height), Double(shift.place.y))
                        ),
                        votes: shift.votes
                    )
                }
            }
        }.sorted { $0.votes > $1.votes }
    }

    /// The turns about the vertical, in radians, by which the walls of both face the same ways.
    private func turnsBetween(_ source: PlaceModel) -> [Float] {
        let count = Self.turnBins
        let smooth = source.turns.indices.map { index in
            (-2...2).reduce(Float(0)) { $0 + source.turns[(index + $1 + count) % count] }
        }
        let votes = (0..<count).map { shift in
            (0..<count).reduce(Float(0)) { $0 + turns[($1 + shift) % count] * smooth[$1] }
        }
        let order = votes.indices.sorted { (votes[$0], $1) > (votes[$1], $0) }
        var kept: [Int] = []
        for shift in order where kept.count < Self.turnsKept {
            let isNear = kept.contains { min(abs($0 - shift), count - abs($0 - shift)) < 8 }
            if !isNear { kept.append(shift) }
        }
        return kept.map { Float($0) * 2 * .pi / Float(count) }
    }

    /// The shifts over ground by which walls of one direction lie on one another: each pair of them has a vote.
    private func shifts(for source: PlaceModel, turnedBy turn: Float) -> [(place: SIMD2<Float>, votes: Float)] {
        let (sine, cosine) = (Float(Recording.sine(Double(turn))), Float(Recording.cosine(Double(turn))))
        var own = [[SIMD2<Float>]](repeating: [], count: Self.wallBins)
        for wall in walls { own[Self.bin(wall.azimuth, of: Self.wallBins)].append(wall.place) }
        var votes: [SIMD2<Int16>: Float] = [:]
        for wall in source.walls {
            let place = SIMD2(
                cosine * wall.place.x + sine * wall.place.y,
                cosine * wall.place.y - sine * wall.place.x
            )
            for other in own[Self.bin(wall.azimuth + turn, of: Self.wallBins)] {
                let cell = ((other - place) / Self.shiftMetres).rounded(.toNearestOrEven)
                guard abs(cell.x) < 30_000, abs(cell.y) < 30_000 else { continue }
                votes[SIMD2<Int16>(truncatingIfNeeded: SIMD2<Int32>(cell)), default: 0] += 1
            }
        }
        func around(_ cell: SIMD2<Int16>) -> Float {
            var sum: Float = 0
            for x in Int16(-1)...1 { for y in Int16(-1)...1 { sum += votes[cell &+ SIMD2(x, y)] ?? 0 } }
            return sum
        }
        let best = votes.sorted { ($0.value, $1.key.x, $1.key.y) > ($1.value, $0.key.x, $0.key.y) }.prefix(200)
        let ranked = best.map { (cell: $0.key, votes: around($0.key)) }
            .sorted { ($0.votes, $1.cell.x, $1.cell.y) > ($1.votes, $0.cell.x, $0.cell.y) }
        var kept: [(cell: SIMD2<Int16>, votes: Float)] = []
        for entry in ranked where kept.count < Self.shiftsKept {
            let isNear = kept.contains { other in
                abs(Int(other.cell.x) - Int(entry.cell.x)) <= 2 && abs(Int(other.cell.y) - Int(entry.cell.y)) <= 2
            }
            if !isNear { kept.append(entry) }
        }
        return kept.map { (SIMD2<Float>(SIMD2<Int32>(truncatingIfNeeded: $0.cell)) * Self.shiftMetres, $0.votes) }
    }

    /// The differences of heights by which level surfaces lie on one another.
    private func heights(for source: PlaceModel) -> [Float] {
        func histogram(_ values: [Float]) -> [Int: Float] {
            values.reduce(into: [:]) { $0[Int(($1 / Self.heightMetres).rounded(.down)), default: 0] += 1 }
        }
        let (own, others) = (histogram(floors), histogram(source.floors))
        var votes: [Int: Float] = [:]
        for (height, count) in own {
            for (other, value) in others { votes[height - other, default: 0] += min(count, value) }
        }
        let best = votes.sorted { ($0.value, -abs($0.key), $0.key) > ($1.value, -abs($1.key), $1.key) }
        var kept: [Int] = []
        for (height, _) in best where kept.count < Self.heightsKept && !kept.contains(where: { abs($0 - height) <= 3 })
        {
            kept.append(height)
        }
        return kept.isEmpty ? [0] : kept.map { Float($0) * Self.heightMetres }
    }

    private static func bin(_ radians: Float, of count: Int) -> Int {
        let share = radians / (2 * .pi)
        return min(count - 1, Int((share - share.rounded(.down)) * Float(count)))
    }
}
