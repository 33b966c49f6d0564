import Foundation
import Recording
import Sessions
import TestSupport
import Testing

/// The alignment of a track with fixes, against walks that were turned by known angles.
@Suite struct TrackAlignmentTests {
    /// A walk around two corners of a block, one point a second.
    private static let walk: [SIMD2<Double>] = (0..<90).map { second in
        let metres = 1.3 * Double(second)
        if metres < 50 { return SIMD2(0, metres) }
        if metres < 80 { return SIMD2(metres - 50, 50) }
        return SIMD2(30, 50 - (metres - 80))
    }

    /// The walk as fixes see it: y of the track points to the azimuth `heading`, written with sines and cosines alone.
    private func points(
        heading: Double,
        sigma: Double = 3,
        noise: Double = 0,
        scale: Double = 1,
        seed: UInt64 = 1,
        wildEach: Int? = nil
    ) -> [TrackPoint] {
        var numbers = SeededRandomNumbers(seed: seed)
        let (s, c) = (sin(heading * .pi / 180), cos(heading * .pi / 180))
        return Self.walk.enumerated().map { second, place in
            // y to (sin, cos) east and north, x to the right of it.
            var fix = SIMD2(place.x * c + place.y * s, -place.x * s + place.y * c) * scale + SIMD2(1000, -2000)
            fix += noise * SIMD2(normal(&numbers), normal(&numbers))
            if let wildEach, second % wildEach == 0 { fix += SIMD2(300, -500) * Double(second % 7 - 3) }
            return TrackPoint(seconds: Double(second), track: place, fix: fix, sigmaMetres: sigma)
        }
    }

    private func normal(_ numbers: inout SeededRandomNumbers) -> Double {
        let (a, b) = (Double.random(in: 1e-12..<1, using: &numbers), Double.random(in: 0..<1, using: &numbers))
        return (-2 * log(a)).squareRoot() * cos(2 * .pi * b)
    }

    private func difference(_ a: Double, _ b: Double) -> Double {
        abs((a - b + 540).truncatingRemainder(dividingBy: 360) - 180)
    }

    @Test(arguments: [0.0, 17, 90, 130, 180, 271, 359.5])
    func exactFixesGiveTheHeading(heading: Double) throws {
        let found = try #require(TrackAlignment(points(heading: heading)))
        #expect(difference(found.headingDegrees, heading) < 1e-6)
        #expect(found.worstResidualMetres < 1e-6 && found.inlierCount == 90 && found.pointCount == 90)
        // The box around the walk: 30 m by 50 m.
        #expect(abs(found.extentMetres - (900.0 + 2500).squareRoot()) < 1)
        #expect(found.tellsHeading && !found.isContradicted)
    }

    /// A third of the fixes may be anywhere.
    @Test(arguments: 0..<8)
    func wildFixesDoNoHarm(seed: UInt64) throws {
        let heading = Double(seed) * 47
        let found = try #require(TrackAlignment(points(heading: heading, noise: 2, seed: seed, wildEach: 3)))
        #expect(difference(found.headingDegrees, heading) < 3 * found.headingSigmaDegrees)
        #expect(difference(found.headingDegrees, heading) < 5)
        #expect(found.inlierCount >= 55 && found.inlierCount <= 70 && found.tellsHeading)
    }

    /// Independent noise of the claimed size: what is found is within what is claimed, since that allows for noise that
    /// lasts.
    @Test func uncertaintyIsHonest() throws {
        var worst = 0.0
        for seed in 0..<40 as Range<UInt64> {
            let found = try #require(TrackAlignment(points(heading: 200, noise: 3, seed: seed)))
            worst = max(worst, difference(found.headingDegrees, 200) / found.headingSigmaDegrees)
            #expect(!found.isContradicted)
        }
        #expect(worst > 0.01 && worst < 2)
    }

    /// A track of a metre says nothing against fixes of 3 m.
    @Test func shortTracksSayNothing() throws {
        let short = points(heading: 80, noise: 3).map { point in
            TrackPoint(seconds: point.seconds, track: point.track / 60, fix: point.fix, sigmaMetres: 50)
        }
        let found = try #require(TrackAlignment(short))
        #expect(!found.tellsHeading && !found.isContradicted)
        let still = points(heading: 80).map { point in
            TrackPoint(seconds: point.seconds, track: SIMD2(2, 3), fix: SIMD2(5, 6), sigmaMetres: 3)
        }
        let standing = try #require(TrackAlignment(still))
        #expect(standing.headingSigmaDegrees == 180 && !standing.tellsHeading && standing.extentMetres == 0)
        #expect(TrackAlignment(Array(points(heading: 0).prefix(2))) == nil)
    }

    /// Poses in another unit, or a walk of somebody else.
    @Test(arguments: [0.001, 10])
    func anotherWalkIsAContradiction(scale: Double) throws {
        #expect(try #require(TrackAlignment(points(heading: 10, scale: scale))).isContradicted)
        #expect(try !#require(TrackAlignment(points(heading: 10, noise: 3))).isContradicted)
    }
}
