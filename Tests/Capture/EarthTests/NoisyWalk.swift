import Foundation
import Sessions
import TestSupport

/// A walk at 1.2 m/s as GPS sees it once a second: a bias, noise that lasts for a minute, wild fixes.
struct NoisyWalk {
    enum Shape: CaseIterable {
        /// One street.
        case straight
        /// Around a corner.
        case corner
        /// Around a block, back to where it began.
        case block
        /// Along the rows of a field.
        case rows
    }

    static let metresPerSecond = 1.2

    var shape = Shape.corner
    /// The diagonal of the box around the walk.
    var extentMetres = 60.0
    /// How often it is walked.
    var laps = 1
    var headingDegrees = 0.0
    /// Of noise along one axis, and what the fixes claim.
    var noiseMetres = 3.0
    var claimedMetres = 3.0
    /// Of the noise (an Ornstein-Uhlenbeck process); 0 for independent errors.
    var correlationSeconds = 60.0
    var bias = SIMD2(4.0, -3)
    /// The share of wild fixes, anywhere within 300 m.
    var wildShare = 0.2

    /// The corners of the walk in the axes of the track.
    private var corners: [SIMD2<Double>] {
        let e = extentMetres
        switch shape {
        case .straight: return [SIMD2(0, 0), SIMD2(0, e)]
        case .corner: return [SIMD2(0, 0), SIMD2(0, 0.8 * e), SIMD2(0.6 * e, 0.8 * e)]
        case .block:
            return [SIMD2(0, 0), SIMD2(0, 0.8 * e), SIMD2(0.6 * e, 0.8 * e), SIMD2(0.6 * e, 0), SIMD2(0, 0)]
        case .rows:
            return (0...3).flatMap { row -> [SIMD2<Double>] in
                let x = 0.2 * e * Double(row)
                return row % 2 == 0 ? [SIMD2(x, 0), SIMD2(x, 0.8 * e)] : [SIMD2(x, 0.8 * e), SIMD2(x, 0)]
            }
        }
    }

    /// The place after each second.
    var places: [SIMD2<Double>] {
        var places: [SIMD2<Double>] = []
        var carried = 0.0
        for lap in 0..<laps {
            let corners = lap % 2 == 0 ? corners : corners.reversed()
            for (from, to) in zip(corners, corners.dropFirst()) {
                let way = to - from
                let length = (way * way).sum().squareRoot()
                while carried <= length {
                    places.append(from + way * (carried / length))
                    carried += Self.metresPerSecond
                }
                carried -= length
            }
        }
        return places
    }

    /// East and north of a place of the track, without any error: y points to (sin, cos) of the heading, x to its right.
    func truth(_ place: SIMD2<Double>) -> SIMD2<Double> {
        let (s, c) = (sin(headingDegrees * .pi / 180), cos(headingDegrees * .pi / 180))
        return SIMD2(place.x * c + place.y * s, place.y * c - place.x * s)
    }

    /// The same seed gives the same fixes.
    func points(seed: UInt64) -> [TrackPoint] {
        var numbers = SeededRandomNumbers(seed: seed)
        let kept = correlationSeconds > 0 ? exp(-1 / correlationSeconds) : 0
        var noise = noiseMetres * normal(&numbers)
        return places.enumerated().map { second, place in
            var fix = truth(place) + bias + noise
            if Double.random(in: 0..<1, using: &numbers) < wildShare {
                fix += SIMD2(.random(in: -300...300, using: &numbers), .random(in: -300...300, using: &numbers))
            }
            noise = kept * noise + noiseMetres * (1 - kept * kept).squareRoot() * normal(&numbers)
            return TrackPoint(seconds: Double(second), track: place, fix: fix, sigmaMetres: claimedMetres)
        }
    }

    /// Two numbers of a normal distribution (Box and Muller).
    private func normal(_ numbers: inout SeededRandomNumbers) -> SIMD2<Double> {
        let (a, b) = (Double.random(in: 1e-12..<1, using: &numbers), Double.random(in: 0..<1, using: &numbers))
        return (-2 * log(a)).squareRoot() * SIMD2(cos(2 * .pi * b), sin(2 * .pi * b))
    }
}

/// The smaller angle between two azimuths in degrees.
func angle(_ a: Double, _ b: Double) -> Double {
    abs((a - b + 900).truncatingRemainder(dividingBy: 360) - 180)
}
