import ArgumentParser
import Exports
import Files
import Recording
import Replay
import Sessions
import SystemPackage
import Trimming

struct ExportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "export",
        abstract:
            "Write a session or a bag as files of other tools: COLMAP, nerfstudio, TUM, KITTI, EuRoC, CSV, GPX ...",
        discussion: """
            Examples:
              mapeverything export room --to colmap -o room_colmap
              mapeverything export room --to nerfstudio -o room_nerf --every 3
              mapeverything export room --to tum -o room.txt
              mapeverything export room_bag --to csv -o room_tables
            """
    )

    @Argument(
        help:
            "A session (folder, .zip, .tar); for tum, kitti, csv, parquet, gpx, geojson, kml and ply also a bag (folder, .db3, .mcap)."
    )
    var path: String

    @Option(help: ArgumentHelp("Format.", valueName: "format"))
    var to: ExportFormat

    @Option(name: .shortAndLong, help: "Folder or file to create.")
    var output: String

    @Flag(help: "Replace an existing file. Folders are never replaced.")
    var force = false

    @Flag(help: "Print the report as JSON.")
    var json = false

    @OptionGroup
    var progress: ProgressOptions

    @OptionGroup(title: "Which frames")
    var selection: FrameOptions

    @OptionGroup(title: "How")
    var form: FrameFormOptions

    @OptionGroup(title: "Depth")
    var pixels: DepthOptions

    @Option(
        help: "Distance between neighbouring points of the surface, in metres. Default: 0.03; ply, pcd and glb: 0.02."
    )
    var voxelSize: Double?

    @OptionGroup
    var workers: WorkerOptions

    @OptionGroup
    var geoid: GeoidOptions

    @OptionGroup(title: "Bag input")
    var bag: BagExportOptions

    @OptionGroup
    var reporting: ReportingOptions

    func run() async throws {
        let kind = try InputKind(path)
        // What no bag can be exported to is said first.
        if kind == .bag { _ = try BagExport.types(to) }
        try refuseUnused(kind)
        switch kind {
        case .bag: try await BagExport(command: self).run()
        case .session: try await runSession()
        }
    }

    private func runSession() async throws {
        switch to {
        case .frames(let format): try await FrameExport(command: self, format: format).run()
        case .surface(let form): try await SurfaceExport(command: self, form: form).run()
        case .track(let form): try await TrackFileExport(command: self, form: form).run()
        case .table(let form): try await TableExport(command: self, form: form).run()
        }
    }

    /// The mapper of the session's surface.
    func mapper(voxelSize standard: Double) throws -> SurfaceOfSession {
        try SurfaceOfSession(
            voxelSizeMetres: voxelSize ?? standard,
            depth: pixels,
            keepsLimitedTracking: selection.keepLimitedTracking,
            jobs: workers.count()
        )
    }
}

/// Which frames of a session are exported.
struct FrameOptions: ParsableArguments {
    @OptionGroup
    var span: SpanOptions

    @OptionGroup
    var recording: RecordingOptions

    @Option(help: ArgumentHelp("Take each N-th of the frames that are left. Default: 1.", valueName: "n"))
    var every: Int?

    @Option(
        name: [.long, .customLong("min-motion")],
        help: "Take a frame after this many metres, or after --min-angle. Default: every frame."
    )
    var minDistance: Double?

    @Option(help: "Take a frame after a turn of this many degrees, or after --min-distance. Default: every frame.")
    var minAngle: Double?

    @Option(
        help: "Leave out frames whose sharpness (variance of the Laplacian) is known and below this. Default: none."
    )
    var minSharpness: Double?

    @Flag(help: "Also take frames whose tracking was limited or lost. Default: leave them out.")
    var keepLimitedTracking = false

    func apply(to plan: inout ExportPlan) throws {
        plan.span = try span.request()
        plan.epoch = try recording.policy()
        plan.zoneOffset = try recording.zoneOffset()
        try apply(to: &plan.rule)
    }

    func apply(to rule: inout FrameRule) throws {
        rule.every = try UsageError.count("--every", every ?? 1, from: 1, to: 1_000_000)
        rule.keyFrames = KeyFrameRule(
            afterMetres: try positive("--min-distance", minDistance, "metres"),
            orRadians: try positive("--min-angle", minAngle, "degrees") * .pi / 180
        )
        rule.minimumSharpness = minSharpness
        rule.keepsLimitedTracking = keepLimitedTracking
    }

    private func positive(_ option: String, _ value: Double?, _ unit: String) throws(UsageError) -> Double {
        guard let value else { return 0 }
        guard value > 0, value < 1000 else {
            throw UsageError(option, expected: "\(unit) above 0 and below 1000", found: "\(value)")
        }
        return value
    }
}
