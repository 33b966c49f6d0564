import ArgumentParser
import Codecs
import Earth
import Files
import Messages
import Playback
import Replay
import SystemPackage
import Tags

/// What `replay`, `bag` and `inspect` share: which part of a session becomes which messages.
struct PublishingOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Topics, rates and conventions: record, app (as the phone app), full, streams (what a phone streams), "
                + "or a YAML file. Default: record; streams for Arvos."
        )
    )
    var profile: String?

    @OptionGroup
    var selection: SelectionOptions

    @Option(help: "Prefix for all topics except /tf, /tf_static and /clock. Default: none.")
    var namespace: String?

    @Option(
        help: "Coordinate frames: ros (REP-103, z up, optical frames) or app (the phone app's). Default: the profile's."
    )
    var frames: FramePolicy?

    @OptionGroup
    var span: SpanOptions

    @OptionGroup
    var recording: RecordingOptions

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Azimuth of the map's +y axis, degrees clockwise from true north. Default: what track and session say.",
            discussion:
                "+y is the direction in which the camera looked when the recording began. With a GPS origin this "
                + "places the map on the Earth (earth -> map). Overrides every other source of the heading."
        )
    )
    var heading: Double?

    @Option(
        help: ArgumentHelp(
            "Place of the map on the Earth: auto, track, first-fix or off. Default: auto; profile app: first-fix.",
            discussion:
                "track takes place and heading from all GPS fixes along the track; auto takes what is missing from the "
                + "first accurate fix and from the session; first-fix, as the phone app, does without the track."
        )
    )
    var georeference: GeoreferenceMode?

    @OptionGroup
    var geoid: GeoidOptions

    @Option(help: "Stamps: capture (time of capture) or now (time of publishing). Default: capture.")
    var stamp: StampPolicy?

    @Flag(help: "Also publish frames whose tracking was limited or lost. Default: leave them out.")
    var keepLimitedTracking = false

    @Option(help: "Model that fits relative depth to LiDAR depth: auto, inverse, linear or off. Default: auto.")
    var calibration: PreparationSettings.Calibration?

    @OptionGroup
    var workers: WorkerOptions

    @OptionGroup
    var tags: TagPublishingOptions

    @OptionGroup
    var reporting: ReportingOptions

    /// Everything that does not need the session.
    ///
    /// - Parameter preset: the profile that is taken where none is named.
    func plan(clouds: CloudOptions, preset: String = "record") throws -> ReplayPlan {
        var plan = ReplayPlan(profile: try loadProfile(preset))
        if let frames { plan.profile.frames = frames }
        try clouds.apply(to: &plan.profile.clouds)
        plan.selection = try selection.selection()
        plan.naming.namespace = namespace ?? ""
        plan.naming.remaps = try plan.profile.remaps + selection.remaps()
        plan.span = try span.request()
        plan.epoch = try recording.policy()
        plan.zoneOffset = try recording.zoneOffset()
        plan.georeference = georeference
        plan.headingDegrees = try parseHeading()
        plan.geoid = try geoid.grid()
        plan.optionsForFixes = forFixes.names
        plan.nowNanoseconds = { WallClock.nowNanoseconds() }
        plan.stamp = stamp ?? .capture
        plan.keepsLimitedTracking = keepLimitedTracking
        plan.calibration = calibration ?? .auto
        plan.decodesFullSize = clouds.colour == .full
        plan.tags.families = [try tags.tagFamily()]
        plan.tagFrames = try tags.frames()
        plan.jobs = try workers.count()
        plan.toolVersion = Tool.version
        return plan
    }

    private func loadProfile(_ preset: String) throws -> Profile {
        let profile = profile ?? preset
        if let profile = Profile.named(profile) { return profile }
        let expected = "\(Profile.names.joined(separator: ", ")) or a YAML file"
        guard let text = TextFile.read(profile, maximumBytes: 1 << 20) else {
            throw UsageError("--profile", expected: expected, found: profile)
        }
        return try ProfileFile.parse(text, file: FilePath(profile).lastComponent?.string ?? profile)
    }

    private func parseHeading() throws -> Double? {
        guard let heading else { return nil }
        guard (-360...360).contains(heading) else {
            throw UsageError("--heading", expected: "degrees from -360 to 360", found: "\(heading)")
        }
        guard georeference != .track else {
            throw UsageError("--heading", expected: "a mode that takes a heading", found: "--georeference track")
        }
        return heading
    }
}

extension FramePolicy: ExpressibleByArgument {}
extension GeoreferenceMode: ExpressibleByArgument {}
extension StampPolicy: ExpressibleByArgument {}
extension PreparationSettings.Calibration: ExpressibleByArgument {}
