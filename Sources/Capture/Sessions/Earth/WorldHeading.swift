package import Recording

/// The claim of one source about the azimuth of -z of ARKit's world (+y of a level map), clockwise from true north.
package struct HeadingEvidence: Sendable, Hashable {
    package enum Source: Sendable, Hashable {
        /// Given by the user.
        case option
        /// The track against the location fixes.
        case track
        /// ARKit aligned its world to the compass when it began.
        case metadata
        case compass
        /// Nothing says it; the app takes -z for north.
        case assumed

        package var text: String {
            switch self {
            case .option: "--heading"
            case .track: "track of the fixes"
            case .metadata: "world_alignment gravity_and_heading"
            case .compass: "compass"
            case .assumed: "assumed, as the app does"
            }
        }
    }

    package var source: Source
    /// 0 up to 360.
    package var degrees: Double
    /// One standard deviation; `nil` where the source does not say it.
    package var sigmaDegrees: Double?
}

/// A heading measured by the phone's compass over a session, carried over to ARKit's world by the camera's poses.
package struct CompassObservation: Sendable, Hashable {
    /// The azimuth of -z of ARKit's world, clockwise from true north.
    package var headingDegrees: Double
    package var sigmaDegrees: Double

    package init(headingDegrees: Double, sigmaDegrees: Double) {
        self.headingDegrees = headingDegrees
        self.sigmaDegrees = sigmaDegrees
    }
}

/// The decision which heading a session's world has.
package struct WorldHeading: Sendable, Hashable {
    /// The evidence that counts; `nil` where the heading is not known.
    package let chosen: HeadingEvidence?
    /// Everything that says something, the first first.
    package let evidence: [HeadingEvidence]
    private let reasonForAbsence: String

    /// 0 up to 360; `nil` where it is not known.
    package var degrees: Double? { chosen?.degrees }
    /// How it is known, or why it is not.
    package var source: String { chosen?.source.text ?? reasonForAbsence }
    package var isAssumed: Bool { chosen?.source == .assumed }

    /// `unknown (...)`, or the degrees, where they come from, and how well the track tells them.
    package var text: String {
        guard let chosen else { return "unknown (\(reasonForAbsence))" }
        let sigma = chosen.sigmaDegrees.map { ", uncertain by \(tenths($0))" } ?? ""
        return "\(Geodesy.azimuthDegrees(tenths(chosen.degrees))) degrees (\(chosen.source.text)\(sigma))"
    }

    /// - Parameter track: what the fixes say; `nil` where there are too few.
    init(_ request: GeoreferenceRequest, track: TrackAlignment?) {
        let compass = request.compass.map {
            HeadingEvidence(source: .compass, degrees: $0.headingDegrees, sigmaDegrees: $0.sigmaDegrees)
        }
        let tracked = track.flatMap { track in
            track.knowsHeading
                ? HeadingEvidence(
                    source: .track,
                    degrees: track.headingDegrees,
                    sigmaDegrees: track.headingSigmaDegrees
                ) : nil
        }
        let given = request.headingDegrees.map { HeadingEvidence(source: .option, degrees: $0) }
        let isAligned = request.worldAlignment == .gravityAndHeading
        let metadata = isAligned ? HeadingEvidence(source: .metadata, degrees: 0) : nil
        // What a session says of its world counts under every convention.
        let isAssumed = request.assumesHeading && request.worldAlignment == nil
        let assumed = isAssumed ? HeadingEvidence(source: .assumed, degrees: 0) : nil
        // A world that is not level has no heading, whatever is measured.
        let isLevel = request.worldAlignment != .camera
        let all = isLevel ? [given, tracked, metadata, compass, assumed] : []
        evidence = all.compactMap { evidence in
            guard var evidence else { return nil }
            evidence.degrees = Geodesy.azimuthDegrees(evidence.degrees)
            return evidence
        }
        switch request.mode {
        case .track: chosen = evidence.first { $0.source == .track }
        case .auto: chosen = evidence.first
        case .firstFix, .off: chosen = evidence.first { $0.source != .track }
        }
        reasonForAbsence =
            request.mode == .track && isLevel
            ? Self.reason(track) : Self.reason(request.worldAlignment)
    }

    private static func reason(_ alignment: WorldAlignment?) -> String {
        switch alignment {
        case .camera: "world_alignment camera: the world is not level"
        case let alignment?: "world_alignment \(alignment.rawValue)"
        case nil: "the recording does not say how its world is aligned"
        }
    }

    private static func reason(_ track: TrackAlignment?) -> String {
        guard let track else { return "fewer than \(TrackAlignment.fewestPoints) fixes with an accuracy and a pose" }
        if track.isContradicted { return "the fixes do not follow the track" }
        return "\(track.inlierCount) fixes over \(tenths(track.extentMetres)) m do not tell it"
    }
}

/// A disagreement between the fixes and something else that is known of the world.
package struct Contradiction: Sendable, Hashable {
    package var field: String
    package var expected: String
    package var found: String

    /// A compass in a building is easily this far off.
    private static let fewestDegrees = 15.0

    /// The contradictions to the track: the walk as a whole, or headings that others claim to know.
    static func all(_ track: TrackAlignment, _ heading: WorldHeading) -> [Contradiction] {
        let walk = "\(track.pointCount) fixes over \(tenths(track.extentMetres)) m"
        if track.isContradicted {
            return [
                Contradiction(
                    field: "latitude",
                    expected: "fixes within some \(tenths(3 * track.medianSigmaMetres)) m of the camera's track",
                    found: "a median of \(tenths(track.medianResidualMetres)) m over \(walk), however they are turned"
                )
            ]
        }
        let sigma = track.headingSigmaDegrees
        // What the user gives takes the place of what the others claim.
        let given = heading.evidence.filter { $0.source == .option }
        let claims = given.isEmpty ? heading.evidence.filter { $0.source != .track } : given
        return claims.compactMap { claim in
            let other = claim.sigmaDegrees ?? 0
            let limit = max(fewestDegrees, 3 * (sigma * sigma + other * other).squareRoot())
            let turn = Geodesy.azimuthDegrees(track.headingDegrees - claim.degrees)
            let expected = "a heading of \(tenths(claim.degrees)) degrees (\(claim.source.text))"
            let field = "course of the fixes"
            if track.tellsHeading, min(turn, 360 - turn) > limit, claim.source != .assumed {
                let found = "\(tenths(track.headingDegrees)) degrees, uncertain by \(tenths(sigma)), from \(walk)"
                return Contradiction(field: field, expected: expected, found: found)
            }
            // A compass is far off in a building, and says so; what claims to be exact is held to the fixes.
            guard claim.sigmaDegrees == nil, min(turn, 360 - turn) > fewestDegrees,
                track.excludes(headingDegrees: claim.degrees)
            else { return nil }
            let with = tenths(track.medianResidualMetres(headingDegrees: claim.degrees))
            return Contradiction(
                field: field,
                expected: expected,
                found:
                    "fixes a median of \(with) m from the track with it, \(tenths(track.medianResidualMetres)) m with "
                    + "\(tenths(track.headingDegrees)) degrees, from \(walk)"
            )
        }
    }
}

private func tenths(_ value: Double) -> Double { (value * 10).rounded() / 10 }

/// The azimuth of the world by the phone's compass, over a session: a circular mean, weighted by accuracy.
///
/// Errors of a compass last for as long as the phone is near what disturbs it, so that many samples are no better than
/// one: the deviation is the accuracy that the samples claim, or their own scatter if that is larger.
package struct CompassTrack: Sendable {
    /// The camera looks up or down too steeply for an azimuth below this share of the view direction in the plane.
    private static let leastLevelShare = 0.3
    /// The accuracy of a sample that has none.
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
