import Maps
import Recording
import TestSupport
import Testing

/// Where one can walk in a map.
@Suite struct WalkwaysTests {
    private func walk(_ points: [(Double, Double, Double)]) -> [Transform] {
        points.map { Transform(rotation: .identity, translation: Vector3($0.0, $0.1, $0.2)) }
    }

    @Test("two walks that cross share a place, and the way leads over it")
    func crossing() throws {
        let walkways = Walkways([
            walk([(-2, 0, 0), (2, 0, 0)]), walk([(0, 0.2, -2), (0, 0.2, 2)]), walk([(0, 3, -1), (1, 3, 1)]),
        ])
        // The third is a floor higher.
        try #require(walkways.places.count == 7 && walkways.crossings == 1)
        #expect(walkways.places[6].neighbours == [0, 1, 2, 3])
        #expect((walkways.places[6].pose.translation - Vector3(0, 0.1, 0)).length < 1e-12)
        let path = try #require(walkways.path(from: 0, to: 3))
        #expect(path.places == [0, 6, 3] && abs(path.metres - 2 * (4 + 0.01).squareRoot()) < 1e-9)
        #expect(walkways.path(from: 0, to: 4) == nil && walkways.path(from: 0, to: 99) == nil)
        #expect(walkways.place(nearestTo: Vector3(1.8, 0, 0.1)) == 1)
    }

    /// Two thousand steps in one room cross hundreds of thousands of times: places stay as few as the room is small.
    @Test("a long walk in one room has one place for crossings that are close together")
    func dense() {
        var generator = SeededRandomNumbers(seed: 9)
        func random() -> Double { Double.random(in: -2...2, using: &generator) }
        let points = (0..<2_000).map { _ in (random(), 0.0, random()) }
        let walkways = Walkways([walk(points)])
        // The room has 16 cells of 0.25 m a side, and crossings on their edges may be in the next ones.
        #expect(walkways.crossings > 200 && walkways.crossings <= 18 * 18)
        let path = walkways.path(from: 0, to: 1_999)
        #expect((path?.metres ?? 99) < 8, "\(String(describing: path?.metres))")
    }

    @Test("steps straight along an axis, of no length and far away end nothing")
    func odd() {
        let far = 9e5
        let walkways = Walkways([
            walk([(0, 0, 0), (0, 0, 1), (0, 0, 1), (1e-300, 0, 2), (far, 0, far), (far, 0, far + 1), (1e300, 0, 0)]),
            walk([(-1, 0, 0.5), (1, 0, 0.5)]),
        ])
        #expect(walkways.crossings == 1)
    }

    /// Floyd and Warshall's way, which tries everything.
    @Test("paths are the shortest", arguments: [1, 2, 3] as [UInt64])
    func shortest(seed: UInt64) throws {
        var generator = SeededRandomNumbers(seed: seed)
        func random() -> Double { Double.random(in: -4...4, using: &generator) }
        let walkways = Walkways((0..<4).map { _ in walk((0..<8).map { _ in (random(), 0, random()) }) })
        let count = walkways.places.count
        var distance = (0..<count).map { a in (0..<count).map { $0 == a ? 0 : Double.infinity } }
        for (index, place) in walkways.places.enumerated() {
            for other in place.neighbours {
                #expect(walkways.places[other].neighbours.contains(index))
                distance[index][other] = (place.pose.translation - walkways.places[other].pose.translation).length
            }
        }
        for middle in 0..<count {
            for a in 0..<count {
                for b in 0..<count {
                    distance[a][b] = min(distance[a][b], distance[a][middle] + distance[middle][b])
                }
            }
        }
        #expect(walkways.crossings > 5)
        for end in 0..<count {
            let found = walkways.path(from: 0, to: end)?.metres ?? .infinity
            #expect(abs(found - distance[0][end]) < 1e-9 || found == distance[0][end])
        }
    }
}
