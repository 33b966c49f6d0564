import ArgumentParser
import Codecs
import Files
import Messages
import Playback
import PointClouds
import Replay
import SystemPackage

/// What `replay`, `bag` and `inspect` share: which part of a session becomes which messages.
struct PublishingOptions: ParsableArguments {
    @Option(help: "record, app, full, or a YAML file. Default: record.")
    var profile: String?

    @OptionGroup
    var selection: SelectionOptions

    @Option(help: "Put a name before every topic but /tf, /tf_static and /clock.")
    var namespace: String?

    @Option(help: "ros (REP-103, z up, optical frames) or app (the phone app's own).")
    var frames: FramePolicy?

    @Option(help: "Begin here: seconds, frame:N, or RFC 3339.")
    var start: PlaybackPlace?

    @Option(help: "End here: seconds, frame:N, or RFC 3339.")
    var end: PlaybackPlace?

    @Option(help: "Take this many seconds.")
    var duration: Double?

    @Option(help: "Wall clock of the first frame: auto, now, boot, or RFC 3339. Default: auto.")
    var epoch: String?

    @Option(
        parsing: .unconditional,
        help: "Zone of the date in the session's name: Z, +HH:MM, local or a name. Default: UTC."
    )
    var timezone: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Azimuth of the map's +y axis, degrees clockwise from true north. Default: what the session says.",
            discussion:
                "+y is the way that the camera looked when the recording began. Places the map on the Earth where "
                + "the session does not say how its world is aligned, and wins over what it says."
        )
    )
    var heading: Double?

    @Option(help: "Geoid grid (GTX) for heights above sea level. Default: egm96_15.gtx of Debian's proj-data.")
    var geoid: String?

    @Option(help: "Stamp messages with capture time, or with the time of publishing: capture (default) or now.")
    var stamp: StampPolicy?

    @Flag(help: "Publish frames whose tracking was limited or lost, too.")
    var keepLimitedTracking = false

    @Option(help: "Fit of relative depth: auto, inverse, linear or off. Default: auto.")
    var calibration: PreparationSettings.Calibration?

    @Option(name: [.customShort("j", allowingJoined: true), .long], help: "Workers. Default: one for each core.")
    var jobs: Int?

    @OptionGroup
    var reporting: ReportingOptions

    @OptionGroup(title: "Point clouds")
    var clouds: CloudOptions

    /// Everything that does not need the session.
    func plan() throws -> ReplayPlan {
        var plan = ReplayPlan(profile: try loadProfile())
        if let frames { plan.profile.frames = frames }
        try clouds.apply(to: &plan.profile.clouds)
        plan.selection = try selection.selection()
        plan.naming.namespace = namespace ?? ""
        plan.naming.remaps = try plan.profile.remaps + selection.remaps()
        plan.span.start = start
        plan.span.end = end
        plan.span.durationSeconds = try durationSeconds()
        plan.epoch = try parseEpoch()
        if let timezone { plan.zoneOffset = try CivilTime.zone(timezone) }
        plan.headingDegrees = try parseHeading()
        plan.geoid = try openGeoid()
        plan.optionsForFixes = forFixes.names
        plan.nowNanoseconds = { WallClock.nowNanoseconds() }
        plan.stamp = stamp ?? .capture
        plan.keepsLimitedTracking = keepLimitedTracking
        plan.calibration = calibration ?? .auto
        plan.decodesFullSize = clouds.colour == .full
        plan.jobs = try workerCount()
        plan.toolVersion = Tool.version
        return plan
    }

    func durationSeconds() throws -> Double? {
        guard let duration else { return nil }
        guard duration > 0, duration.isFinite else {
            throw UsageError("--duration", expected: "seconds above 0", found: "\(duration)")
        }
        return duration
    }

    private func loadProfile() throws -> Profile {
        let profile = profile ?? "record"
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
        return heading
    }

    /// Where Debian's package proj-data puts its geoid.
    private static let installedGeoid = "/usr/share/proj/egm96_15.gtx"

    /// The grid that was named; without, the one that may be installed.
    private func openGeoid() throws -> GeoidGrid? {
        guard let geoid else { return try? GeoidGrid(path: Self.installedGeoid) }
        do {
            return try GeoidGrid(path: geoid)
        } catch {
            throw UsageError("--geoid", expected: "a geoid grid in GTX format", found: "\(geoid) (\(error))")
        }
    }

    private func workerCount() throws -> Int {
        guard let jobs else { return Machine.coreCount }
        guard (1...256).contains(jobs) else { throw UsageError("-j", expected: "1 to 256", found: "\(jobs)") }
        return jobs
    }

    private func parseEpoch() throws -> EpochPolicy {
        let epoch = epoch ?? "auto"
        switch epoch {
        case "auto": return .automatic
        case "now": return .now
        case "boot": return .boot
        default:
            // The seconds of a ROS stamp are 32 bits with a sign.
            guard let time = CivilTime.nanoseconds(rfc3339: epoch), time >= 0, time < 2_147_000_000_000_000_000 else {
                throw UsageError(
                    "--epoch",
                    expected: "auto, now, boot or RFC 3339 from 1970 to 2037, such as 2026-03-27T14:22:33Z",
                    found: epoch
                )
            }
            return .firstFrame(unixNanoseconds: time)
        }
    }
}

/// How clouds are made.
struct CloudOptions: ParsableArguments {
    enum Colour: String, ExpressibleByArgument, CaseIterable {
        case eighth
        case full
    }

    @Option(help: "Least confidence, 0, 1 or 2.")
    var minConfidence: Int?

    @Option(help: "Depths above this many metres.")
    var minDepth: Double?

    @Option(help: "Depths below this many metres.")
    var maxDepth: Double?

    @Option(help: "Edge of a voxel in metres; 0 for no grid.")
    var voxelSize: Double?

    @Option(help: "Which point stands for a voxel: first or centroid.")
    var voxelPoint: CloudParameters.VoxelPoint?

    @Option(help: "Outlier filter: neighbours, radius or off. Default: neighbours.")
    var outlier: OutlierChoice?

    @Option(help: "Voxel size of the outlier filter's neighbourhood in metres. Default: --voxel-size, at least 0.1.")
    var outlierVoxel: Double?

    @Option(help: "Occupied neighbouring voxels, or points within the radius, that a point needs. Default: 3.")
    var outlierNeighbours: Int?

    @Flag(inversion: .prefixedNo, help: "Drop flying pixels at the edges of things.")
    var edgeFilter: Bool?

    @Option(help: "Colours from the image at an eighth of its size, or from all of it: eighth (default) or full.")
    var colour: Colour?

    func apply(to parameters: inout CloudParameters) throws {
        if let minConfidence {
            guard (0...2).contains(minConfidence) else {
                throw UsageError("--min-confidence", expected: "0, 1 or 2", found: "\(minConfidence)")
            }
            parameters.minimumConfidence = UInt8(minConfidence)
        }
        if let minDepth { parameters.minimumDepthMetres = minDepth }
        if let maxDepth { parameters.maximumDepthMetres = maxDepth }
        if let voxelSize { parameters.voxelSizeMetres = voxelSize }
        if let voxelPoint {
            guard let size = parameters.voxelSizeMetres, size != 0 else {
                throw UsageError("--voxel-point", expected: "a voxel size above 0", found: "none")
            }
            parameters.voxelPoint = voxelPoint
        }
        if let edgeFilter { parameters.edgeFilter = edgeFilter }
        let request = OutlierRequest(choice: outlier, minimum: outlierNeighbours, sizeMetres: outlierVoxel)
        if request.contradictsItself {
            throw UsageError("--outlier", expected: "a filter for the options about it", found: "off")
        }
        request.apply(to: &parameters.outlierFilter)
        try parameters.validate()
    }
}

extension FramePolicy: ExpressibleByArgument {}
extension OutlierChoice: ExpressibleByArgument {}
extension StampPolicy: ExpressibleByArgument {}
extension PreparationSettings.Calibration: ExpressibleByArgument {}
extension CloudParameters.VoxelPoint: ExpressibleByArgument {}

extension PlaybackPlace: ExpressibleByArgument {
    init?(argument: String) {
        if argument.hasPrefix("frame:") {
            guard let index = Int(argument.dropFirst(6)), index >= 0 else { return nil }
            self = .frame(index)
        } else if let seconds = Double(argument), seconds.isFinite, seconds >= 0 {
            self = .seconds(seconds)
        } else if let time = CivilTime.nanoseconds(rfc3339: argument) {
            self = .date(nanoseconds: time)
        } else {
            return nil
        }
    }
}
