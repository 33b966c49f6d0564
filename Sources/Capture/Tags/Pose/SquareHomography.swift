/// The projective map of a square to four points (Heckbert 1989, "Fundamentals of Texture Mapping and Image Warping", 2.2.3).
package struct SquareHomography: Sendable {
    /// Of (s, t) in the unit square: (origin + s first + t second) / (1 + s g + t h).
    let origin: SIMD2<Double>
    let first: SIMD2<Double>
    let second: SIMD2<Double>
    let g: Double
    let h: Double

    /// - Parameter points: Of (0, 0), (1, 0), (1, 1), (0, 1); nil where three of them lie in a line.
    init?(_ points: [SIMD2<Double>]) {
        guard points.count == 4 else { return nil }
        let (p0, p1, p2, p3) = (points[0], points[1], points[2], points[3])
        let (d1, d2, d3) = (p1 - p2, p3 - p2, p0 - p1 + p2 - p3)
        let determinant = d1.x * d2.y - d2.x * d1.y
        guard abs(determinant) > 1e-14 else { return nil }
        g = (d3.x * d2.y - d2.x * d3.y) / determinant
        h = (d1.x * d3.y - d3.x * d1.y) / determinant
        origin = p0
        first = p1 - p0 + g * p1
        second = p3 - p0 + h * p3
    }

    /// By rows, from AprilTag's square, with the corners of a detection at (-1, 1), (1, 1), (1, -1), (-1, -1); nil where
    /// three of them lie in a line.
    package static func rows(_ corners: [SIMD2<Double>]) -> [Double]? {
        // The unit square from (-1, -1), which is the top left one: s = (x + 1) / 2, t = (y + 1) / 2.
        guard corners.count == 4, let map = SquareHomography([corners[3], corners[2], corners[1], corners[0]]) else {
            return nil
        }
        let middle = map.origin + (map.first + map.second) / 2
        return [
            map.first.x / 2, map.second.x / 2, middle.x, map.first.y / 2, map.second.y / 2, middle.y, map.g / 2,
            map.h / 2,
            1 + (map.g + map.h) / 2,
        ]
    }
}
