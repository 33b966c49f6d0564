import Earth
import Recording

/// Finds fixes that lie farther from the one before than anything travels in the time between.
struct LeapCheck {
    /// Faster than an airliner with a tailwind.
    private static let fastestMetresPerSecond = 400.0
    /// How far off a fix of unknown accuracy may be.
    private static let unknownRadiusMetres = 1000.0
    /// A fix may be this many of its radii off.
    private static let radii = 3.0

    /// What the fixes are read from, as problems name it.
    let file: String
    private var last: LocationSample?

    init(file: String) {
        self.file = file
    }

    /// The problem with a fix, in time order.
    mutating func add(_ fix: LocationSample, line: Int?) -> Problem? {
        defer { last = fix }
        guard let last else { return nil }
        let seconds = max(0, fix.time.seconds(since: last.time))
        let metres = (Self.place(fix) - Self.place(last)).length
        let doubt = Self.radii * (Self.radius(fix) + Self.radius(last))
        guard metres > Self.fastestMetresPerSecond * seconds + doubt else { return nil }
        let expected = "a place that can be reached within \((seconds * 10).rounded() / 10) s of the fix before"
        let found = "one that is \((metres / 100).rounded() / 10) km away"
        return Problem(.fixLeaps, file: file, line: line, field: "latitude", expected: expected, found: found)
    }

    private static func radius(_ fix: LocationSample) -> Double {
        fix.horizontalAccuracyMetres ?? unknownRadiusMetres
    }

    /// At sea level; the chord through the Earth is never longer than the way along the ground.
    private static func place(_ fix: LocationSample) -> Vector3 {
        Geodesy.earthPosition(
            latitudeDegrees: fix.latitudeDegrees,
            longitudeDegrees: fix.longitudeDegrees,
            heightMetres: 0
        )
    }
}
