import ArgumentParser
import Codecs
import Maps
import Messages
import Perception
import Platform
import Sessions
import SystemPackage
import Translation

/// The choice of messages that are made of a session, for `replay`, `bag`, `inspect` and `serve`.
struct PublishingOptions: ParsableArguments {
    @Option(
        help: .value(
            "profile",
            "Topics, rates, conventions: data, record, app, full, streams or a YAML file. Default: data; replay: record."
        ),
        completion: .list(Profile.names)
    )
    var profile: String?

    @Option(
        help: .value("hz", "Ceiling of images and depth images; all: every frame. Default: the profile's (data: 10).")
    )
    var maxHz: String?

    @OptionGroup var selection: SelectionOptions

    @Option(help: .rare("Prefix for all topics except /tf, /tf_static and /clock. Default: none.", "prefix"))
    var namespace: String?

    @Option(
        help: .rare(
            "Coordinate frames: ros (REP-103, optical frames) or app (the phone app's). Default: the profile's.",
            "axes"
        )
    )
    var frames: FramePolicy?

    @OptionGroup var span: SpanOptions
    @OptionGroup var recording: RecordingOptions

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Azimuth of the map's +y axis, degrees clockwise from true north. Default: what track and session say.",
            discussion:
                "+y is the direction in which the camera looked when the recording began. With a GPS origin this "
                + "places the map on the Earth (earth -> map). Overrides every other source of the heading.",
            valueName: "degrees",
            visibility: .rare
        )
    )
    var heading: Double?

    @Option(
        help: ArgumentHelp(
            "Place of the map on the Earth: auto, track, first-fix or off. Default: auto; profile app: first-fix.",
            discussion:
                "track takes place and heading from all GPS fixes along the track; auto takes what is missing from the "
                + "first accurate fix and from the session; first-fix, as the phone app, does without the track.",
            valueName: "mode",
            visibility: .rare
        )
    )
    var georeference: GeoreferenceMode?

    @OptionGroup var geoid: GeoidOptions

    @Option(help: .rare("Stamps: capture (time of capture) or now (time of publishing). Default: capture.", "stamps"))
    var stamp: StampPolicy?

    @Flag(help: .rare("Also publish frames whose tracking was limited or lost. Default: leave them out."))
    var keepLimitedTracking = false

    @Option(
        help: .rare(
            "Model that fits relative depth to LiDAR depth: auto, inverse, linear or off. Default: auto.",
            "model"
        )
    )
    var calibration: PreparationSettings.Calibration?

    @OptionGroup var workers: WorkerOptions
    @OptionGroup var tags: TagPublishingOptions
    @OptionGroup(title: "Report") var reporting: ReportingOptions

    /// Everything that does not need the session.
    ///
    /// - Parameter preset: the profile that is taken where none is named.
    func plan(clouds: CloudOptions, preset: String = "data") throws -> ReplayPlan {
        var plan = ReplayPlan(profile: try loadProfile(preset))
        if let maxHz { plan.profile.limitFrames(toHertz: try Self.ceiling(maxHz)) }
        if let frames { plan.profile.axes = frames }
        try clouds.apply(to: &plan.profile.clouds)
        plan.selection = try selection.selection()
        plan.naming.namespace = namespace ?? ""
        plan.naming.remaps = try plan.profile.remaps + selection.remaps()
        plan.span = span.request
        plan.georeference = georeference
        plan.headingDegrees = try parseHeading()
        plan.geoid = try geoid.grid()
        plan.optionsForFixes = GivenOptions.onCommandLine.among(OptionUse.forFixes)
        plan.nowNanoseconds = { WallClock.nowNanoseconds() }
        plan.stamp = stamp ?? .capture
        plan.keepsLimitedTracking = keepLimitedTracking
        plan.calibration = calibration ?? .auto
        plan.decodesFullSize = clouds.colour == .full
        plan.tags.families = [try tags.tagFamily()]
        plan.tagFrames = try tags.frames()
        if !plan.tagFrames.isEmpty { plan.profile.addTags() }
        if recording.depth.isDenseGiven { plan.profile.addDenseDepth() }
        plan.jobs = try workers.count()
        plan.toolVersion = Tool.version
        return plan
    }

    /// The number of `--max-hz`; 0 for all.
    static func ceiling(_ text: String) throws -> Double {
        if text.lowercased() == "all" { return 0 }
        guard let hertz = Double(text), hertz >= 0.001, hertz <= 10_000 else {
            throw UsageError("--max-hz", expected: "a number above 0 (0.001 to 10000, or all)", found: text)
        }
        return hertz
    }

    private func loadProfile(_ preset: String) throws -> Profile {
        let profile = profile ?? preset
        if let profile = Profile.named(profile.lowercased()) { return profile }
        let expected = "\(Profile.names.joined(separator: ", ")) or a YAML file"
        guard let text = TextFile.read(profile, maximumBytes: 1 << 20) else {
            let hint = CommandHints.hint(profile, among: Profile.names)
            throw UsageError("--profile", expected: expected, found: profile + hint)
        }
        return try ProfileFile.parse(text, file: FilePath(profile).lastComponent?.string ?? profile)
    }

    private func parseHeading() throws -> Double? {
        guard let heading else { return nil }
        try UsageError.require((-360...360).contains(heading), "--heading", "degrees from -360 to 360", heading)
        let takesHeading = georeference != .track
        try UsageError.require(takesHeading, "--heading", "a mode that takes a heading", "--georeference track")
        return heading
    }
}

extension FramePolicy: Choice {}
extension GeoreferenceMode: Choice {}
extension StampPolicy: Choice {}
extension PreparationSettings.Calibration: Choice {}

/// The grid that tells the height of the sea level.
struct GeoidOptions: ParsableArguments {
    @Option(
        name: .customLong("geoid"),
        help: .rare(
            "Geoid grid (GTX) for heights above sea level. Default: egm96_15.gtx of Debian's proj-data.",
            "file"
        ),
        completion: .file()
    )
    var file: String?

    /// The grid of Debian's package proj-data, where that is installed.
    static var installedGrid: GeoidGrid? { try? GeoidGrid(path: "/usr/share/proj/egm96_15.gtx") }

    /// The grid that was named; without, the one that may be installed.
    func grid() throws(UsageError) -> GeoidGrid? {
        guard let file else { return Self.installedGrid }
        do {
            return try GeoidGrid(path: file)
        } catch {
            throw UsageError("--geoid", expected: "a geoid grid in GTX format", found: "\(file) (\(error))")
        }
    }
}

/// The AprilTags that are published of a session.
struct TagPublishingOptions: ParsableArguments {
    @Option(
        name: .customLong("tag-map"),
        help: ArgumentHelp(
            "Map of AprilTags, as tags map writes it: its tags become frames below map, such as tag36h11:7.",
            discussion: "The map has to be in the session's world: made of this session alone, or with --corrected.",
            valueName: "file",
            visibility: .rare
        )
    )
    var map: String?

    @Option(
        name: .customLong("tag-family"),
        help: .rare("Family of the tags of --tag-map and of the topic /mapping/tags. Default: tag36h11.", "family")
    )
    var family: String?

    func tagFamily() throws(UsageError) -> TagFamily {
        try family.map { name throws(UsageError) in try TagFamily.named(name, by: "--tag-family") } ?? .tag36h11
    }

    /// The tags of the map by their numbers.
    func frames() throws -> [TagFrame] {
        guard let path = map else { return [] }
        let family = try tagFamily()
        return try TagFiles.processedMap(path).tags.sorted { $0.key < $1.key }.map { id, worldFromTag in
            TagFrame(name: "\(family.rawValue):\(id)", worldFromTag: worldFromTag)
        }
    }
}
