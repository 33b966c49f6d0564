import Foundation
import Recording

/// A second geodesy, from other formulas than the product's: the ellipse by its reduced latitude, axes by differences.
enum NaiveEarth {
    private static let a = 6_378_137.0
    private static let b = 6_378_137.0 * (1 - 1 / 298.257223563)

    /// ECEF of a place in degrees and metres above the ellipsoid.
    static func position(_ latitude: Double, _ longitude: Double, _ height: Double) -> Vector3 {
        let (phi, lambda) = (latitude * .pi / 180, longitude * .pi / 180)
        let beta = atan2(b * sin(phi), a * cos(phi))
        let normal = Vector3(cos(phi) * cos(lambda), cos(phi) * sin(lambda), sin(phi))
        return Vector3(a * cos(beta) * cos(lambda), a * cos(beta) * sin(lambda), b * sin(beta)) + height * normal
    }

    /// ECEF of a point so many metres east, north and up of a place.
    static func position(
        eastNorthUp enu: Vector3,
        of place: (latitude: Double, longitude: Double, height: Double)
    )
        -> Vector3
    {
        let (origin, axes) = (position(place.latitude, place.longitude, place.height), axes(place))
        return origin + enu.x * axes.east + enu.y * axes.north + enu.z * axes.up
    }

    /// The place of an ECEF point, found step by step from a place nearby.
    static func place(
        of point: Vector3,
        near place: (latitude: Double, longitude: Double, height: Double)
    ) -> (latitude: Double, longitude: Double, height: Double) {
        var found = place
        for _ in 0..<12 {
            let rest = point - position(found.latitude, found.longitude, found.height)
            let axes = axes(found)
            found.latitude += dot(rest, axes.north) / a * 180 / .pi
            found.longitude += dot(rest, axes.east) / (a * cos(found.latitude * .pi / 180)) * 180 / .pi
            found.height += dot(rest, axes.up)
        }
        return found
    }

    private static func axes(
        _ p: (latitude: Double, longitude: Double, height: Double)
    )
        -> (east: Vector3, north: Vector3, up: Vector3)
    {
        func direction(_ latitude: Double, _ longitude: Double, _ height: Double) -> Vector3 {
            let step =
                position(p.latitude + latitude, p.longitude + longitude, p.height + height)
                - position(p.latitude - latitude, p.longitude - longitude, p.height - height)
            return step / step.length
        }
        return (direction(0, 1e-4, 0), direction(1e-4, 0, 0), direction(0, 0, 10))
    }
}
