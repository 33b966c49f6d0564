import Perception
import TestSupport
import Testing

@Suite("The nearest point")
struct PointTreeTests {
    @Test("is that of a search through all", arguments: [0, 1, 7, 8, 9, 100, 3000])
    func nearest(count: Int) {
        for seed: UInt64 in 1...3 {
            var random = SeededRandomNumbers(seed: seed)
            // Coarse, so that many are equal; flat for one seed.
            let points = (0..<count).map { _ in
                SIMD3<Float>(
                    Float(Int.random(in: 0..<40, using: &random)) / 10,
                    seed == 2 ? 0 : Float.random(in: -2...2, using: &random),
                    Float(Int.random(in: 0..<9, using: &random)) / 10
                )
            }
            let tree = PointTree(points)
            #expect(tree.count == count)
            for _ in 0..<200 {
                let place = SIMD3<Float>(
                    Float.random(in: -1...5, using: &random),
                    Float.random(in: -3...3, using: &random),
                    Float.random(in: -1...2, using: &random)
                )
                let reach = Float.random(in: 0.01...3, using: &random)
                let distances = points.map { ($0 - place) * ($0 - place) }.map { $0.sum() }
                let expected = distances.min().flatMap { $0 < reach * reach ? $0 : nil }
                let found = tree.nearest(to: place, within: reach)
                #expect(found?.squaredMetres == expected)
                if let found { #expect(distances[found.index] == found.squaredMetres) }
            }
        }
    }
}
