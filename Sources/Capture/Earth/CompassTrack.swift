package import Recording

/// What the phone's compass says of the azimuth of the world, over a session: a circular mean, weighted by accuracy.
///
/// Errors of a compass last for as long as the phone is near what disturbs it, so that many samples are no better than
/// one: the deviation is the accuracy that the samples claim, or their own scatter if that is larger.
package struct CompassTrack: Sendable {
    /// The camera looks up or down too steeply for an azimuth below this share of the view direction in the plane.
    private static let leastLevelShare = 0.3
    /// What a sample without an accuracy is taken to have.
    private static let unknownAccuracyDegrees = 45.0

    private var along = 0.0
    private var across = 0.0
    private var weight = 0.0
    private var sumOfAccuracies = 0.0
    package private(set) var count = 0

    package init() {}

    /// Adds a sample with the camera's pose at its time; `heading` is the azimuth of the camera.
    package mutating func add(_ sample: HeadingSample, worldFromCamera: Transform) {
        guard let degrees = sample.trueDegrees else { return }
        let view = worldFromCamera.rotation.rotating(Vector3(0, 0, -1))
        guard view.x * view.x + view.z * view.z > Self.leastLevelShare * Self.leastLevelShare else { return }
        let accuracy = max(1, sample.accuracyDegrees ?? Self.unknownAccuracyDegrees)
        // The azimuth of the view against -z of the world.
        let turn = degrees * .pi / 180 - arcTangent(view.x, -view.z)
        let share = 1 / (accuracy * accuracy)
        along += share * cosine(turn)
        across += share * sine(turn)
        weight += share
        sumOfAccuracies += share * accuracy
        count += 1
    }

    /// `nil` where no sample could be used, or where they contradict each other.
    package var observation: CompassObservation? {
        guard count > 0 else { return nil }
        let length = (along * along + across * across).squareRoot() / weight
        // Below, the samples point everywhere.
        guard length > 0.5 else { return nil }
        let scatter = (max(0, -2 * naturalLogarithm(min(1, length)))).squareRoot() * 180 / .pi
        return CompassObservation(
            headingDegrees: Geodesy.azimuthDegrees(arcTangent(across, along) * 180 / .pi),
            sigmaDegrees: max(sumOfAccuracies / weight, scatter)
        )
    }
}
