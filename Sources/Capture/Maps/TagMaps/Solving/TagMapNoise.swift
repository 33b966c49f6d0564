package import Recording

/// How wrong measurements are, as standard deviations.
///
/// The figures are ordinary ones of visual odometry: a centimetre for each half second of walking, which is two for a root
/// of a metre, half a per cent of scale, and for sightings 5 cm and a tenth of a radian beside what their corners say. One
/// is not: headings break where the phone is swung round, as the picture blurs, so that their noise grows with the square
/// of the rate of turning. `StoredMapTests` choose it for each stored map by the other ones.
package struct TagMapNoise: Sendable {
    /// The noise of each step, whatever its length.
    package var stepMetres = 0.001
    package var stepHeadingRadians = 0.02 * Double.pi / 180
    /// For a root of a metre.
    package var walkMetres = 0.02
    package var walkHeadingRadians = 0.1 * Double.pi / 180
    /// For a metre: scale.
    package var scale = 0.005
    /// For half a second at a radian a second.
    package var turningHeadingRadians = 0.015
    package var tiltRadians = 0.1 * Double.pi / 180
    package var gravityRadians = 0.5 * Double.pi / 180
    /// Faster than people walk: the tracking jumped, and its step says little.
    package var jumpMetresPerSecond = 3.0
    package var jumpFactor = 100.0

    /// The noise of sightings beside that of their corners: of places, of ranges by range, of directions.
    package var sightingMetres = 0.05
    package var sightingRange = 0.02
    package var sightingRadians = 0.1
    /// The noise of a coordinate of a corner that a phone measured.
    package var cornerPixels = 1.0
    /// The noise of sightings without corners.
    package var blindMetres = 0.1
    package var blindRadians = 0.1
    /// The noise of sightings whose covariance is known, beside it: the error of the camera's own pose.
    package var poseMetres = 0.005
    package var poseRadians = 0.2 * Double.pi / 180
    package var waypointMetres = 0.05
    package var waypointRadians = 0.1
    /// The width of Cauchy's kernel about sightings.
    package var kernel = 1.0

    package init() {}

    /// True if a step is a jump of the tracking.
    func isJump(_ step: Transform, seconds: Double) -> Bool {
        step.translation.length > jumpMetresPerSecond * max(seconds, 0.02) + 0.05
    }

    /// The covariance of a step of the walk, in the frame where it ends.
    package func odometry(_ step: Transform, seconds: Double, up: Vector3) -> Matrix6 {
        let (length, time) = (step.translation.length, max(seconds, 0.01))
        let rate = step.rotation.rotationVector.length / time
        let swing = turningHeadingRadians * rate * rate
        var place = stepMetres * stepMetres + walkMetres * walkMetres * length + scale * scale * length * length
        var heading =
            stepHeadingRadians * stepHeadingRadians + walkHeadingRadians * walkHeadingRadians * length
            + swing * swing * time / 0.5
        if isJump(step, seconds: seconds) {
            place *= jumpFactor * jumpFactor
            heading *= jumpFactor * jumpFactor
        }
        let tilt = tiltRadians * tiltRadians
        // Half a turn is as much as a heading can be wrong by.
        let about = Matrix3(outer: up, up) * max(0, min(heading, 10) - tilt)
        return Matrix6(
            tt: Matrix3(diagonal: Vector3(repeating: place)),
            rr: Matrix3(diagonal: Vector3(repeating: tilt)) + about
        )
    }

    static func isotropic(metres: Double, radians: Double) -> Matrix6 {
        Matrix6(diagonal: Vector6(Vector3(repeating: metres * metres), Vector3(repeating: radians * radians)))
    }
}
