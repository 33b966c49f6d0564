package import Codecs
package import Messages
package import Perception
package import Playback
package import Sessions

/// Everything that decides what is published and when; validated, and independent of the command line.
package struct ReplayPlan: Sendable {
    package var profile: Profile
    package var selection = TopicSelection()
    package var naming = TopicNaming()
    package var span = SpanRequest()
    /// How the map's place on the Earth is looked for; `nil` for the way of the profile.
    package var georeference: GeoreferenceMode?
    /// The azimuth of the map's +y axis in degrees clockwise from true north, where the user knows it.
    package var headingDegrees: Double?
    /// Heights of the geoid, for fixes that have their height above sea level only.
    package var geoid: GeoidGrid?
    /// Options that were given and mean something only where there are location fixes.
    package var optionsForFixes: [String] = []
    package var nowNanoseconds: @Sendable () -> Int64 = { 0 }
    package var stamp = StampPolicy.capture
    package var keepsLimitedTracking = false
    package var calibration = PreparationSettings.Calibration.auto
    package var decodesFullSize = false
    /// The tags that `/mapping/tags` looks for in images.
    package var tags = TagDetectorParameters()
    /// Tags of a map, which become frames below `map`.
    package var tagFrames: [TagFrame] = []
    package var jobs = 1
    /// How it is played: rate, loops, clock, stamps.
    package var playback = PlaybackOptions()
    /// How often `/clock` is published; `nil` for never.
    package var clockHertz: Double?
    package var toolVersion = ""

    package init(profile: Profile) {
        self.profile = profile
    }
}

/// Which stamps messages get.
package enum StampPolicy: String, Sendable, Hashable, CaseIterable {
    /// Capture time.
    case capture
    /// The wall clock when the message is published.
    case now
}

/// Which part of a session is wanted.
package struct SpanRequest: Sendable, Hashable {
    package var start: PlaybackPlace?
    package var end: PlaybackPlace?
    package var durationSeconds: Double?

    package init() {}
}

/// Why a plan cannot be carried out on a session.
package enum PlanError: Error, Sendable, CustomStringConvertible {
    /// `nil` where there is none at all.
    case noSuchFrame(index: Int, held: ClosedRange<Int>?)
    case noTopic(reasons: [String])
    case badName(String)
    /// A heading is given for a world that is aligned to the camera.
    case tiltedWorld
    /// Topics that would have the same name after remapping.
    case sameName(String)

    package var description: String {
        switch self {
        case .noSuchFrame(let index, let held):
            "frame: expected a number that the session has "
                + "(\(held.map { "\($0.lowerBound) to \($0.upperBound)" } ?? "none")), found \(index)"
        case .noTopic(let reasons):
            "topics: expected at least one that the session has data for, found none"
                + (reasons.isEmpty ? "" : " (\(reasons.joined(separator: "; ")))")
        case .badName(let name):
            "topics: \(name): expected a ROS name (letters, digits and _ between slashes), found another"
        case .tiltedWorld:
            "--heading: expected a session whose world is aligned to gravity, found world_alignment camera"
        case .sameName(let name):
            "topics: \(name): expected a name for each topic, found two topics with this one"
        }
    }
}

/// The word for an outlier filter on the command line and in profiles.
package enum OutlierChoice: String, Sendable, Hashable, CaseIterable {
    case neighbours
    case radius
    case off
}

/// A request for the outlier filter, on the command line or in a profile; a value that is `nil` stays as it is.
package struct OutlierRequest: Sendable, Hashable {
    package var choice: OutlierChoice?
    /// Neighbours that a point needs.
    package var minimum: Int?
    /// The edge of the neighbourhood's voxels, from which a radius follows.
    package var sizeMetres: Double?

    package init(choice: OutlierChoice? = nil, minimum: Int? = nil, sizeMetres: Double? = nil) {
        self.choice = choice
        self.minimum = minimum
        self.sizeMetres = sizeMetres
    }

    /// True if numbers are given although the same choice switches the filter off.
    package var contradictsItself: Bool { choice == .off && (minimum != nil || sizeMetres != nil) }

    /// Changes a filter; numbers alone switch on one that is off.
    package func apply(to filter: inout CloudParameters.OutlierFilter) {
        guard self != OutlierRequest() else { return }
        let old = Settings(filter)
        let minimum = minimum ?? old.minimum
        let size = sizeMetres ?? old.sizeMetres
        switch choice ?? old.choice {
        case .off: filter = .off
        case .neighbours: filter = .neighbours(minimum: minimum, voxelSizeMetres: size)
        case .radius:
            let metres = size.map { $0 * CloudParameters.OutlierFilter.radiusInVoxels }
            filter = .radius(metres: metres, minimum: minimum)
        }
    }

    /// The settings that every filter has in one form or another.
    private struct Settings {
        var choice = OutlierChoice.neighbours
        var minimum = 3
        var sizeMetres: Double?

        init(_ filter: CloudParameters.OutlierFilter) {
            switch filter {
            case .off: break
            case .neighbours(let minimum, let size): (self.minimum, sizeMetres) = (minimum, size)
            case .radius(let metres, let minimum):
                choice = .radius
                self.minimum = minimum
                sizeMetres = metres.map { $0 / CloudParameters.OutlierFilter.radiusInVoxels }
            }
        }
    }
}
