import ArgumentParser
import Containers
import Files
import Maps
import Recording
import Replay
import Sessions
import SystemPackage

struct MapCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "map",
        abstract: "Fuse a session's depth into one coloured mesh or cloud.",
        discussion: """
            Examples:
              mapeverything map room -o room.ply
              mapeverything map room -o room.glb --voxel-size 0.01 --max-memory 4GB
              mapeverything map room -o room.pcd --start 5 --duration 10
            """
    )

    enum Depth: String, ExpressibleByArgument, CaseIterable {
        case lidar
        case relative
    }

    @Argument(help: "A session: folder, .zip or .tar.")
    var session: String

    @Option(
        name: .shortAndLong,
        help:
            "File to create: .ply (mesh, or --cloud), .glb (mesh) or .pcd (cloud); or a folder, for SESSION.ply in it."
    )
    var output: String

    @Flag(help: "Write the surface's points into a .ply, with normal, colour and weight. Default: the mesh.")
    var cloud = false

    @Flag(help: "Replace an existing file.")
    var force = false

    @Option(help: "Distance between neighbouring samples of the distance field, in metres.")
    var voxelSize = 0.02

    @Option(help: "Depth to fuse: lidar, or relative (a model's, brought to metres by each frame's LiDAR depth).")
    var depth = Depth.lidar

    @OptionGroup
    var span: SpanOptions

    @Option(help: "Most memory for the distance field; where it is full, no new places are added.")
    var maxMemory = ByteSize("2GB")

    @OptionGroup
    var workers: WorkerOptions

    @Flag(help: "Print the report as JSON.")
    var json = false

    @OptionGroup
    var progress: ProgressOptions

    @OptionGroup
    var reporting: ReportingOptions

    @Flag(help: ArgumentHelp("Fuse every frame. Default: one each 5 cm, 3 degrees or 0.5 s."))
    var every = false

    @Flag(help: "Fuse frames whose tracking was limited or lost, too. Default: leave them out.")
    var keepLimitedTracking = false

    @Option(help: "Drop connected pieces of the mesh below this area, in square metres.")
    var minComponent = 0.01

    @OptionGroup
    var pixels: DepthOptions

    func run() async throws {
        let surface = try surface()
        let request = try span.request()
        let session = try SessionFormats.openExamined(path: session)
        let target = try MapFile(
            output,
            of: self.session,
            sessionName: session.summary.name,
            isCloud: cloud,
            replaces: force
        )
        let span = try request.times(of: session, nowNanoseconds: WallClock.nowNanoseconds())
        let (mesh, report) = try await surface.mesh(session, span: span, "map", progress)
        let coordinates = try target.write(mesh, of: session)
        try MapOutcome(report, mesh, path: target.path, coordinates).finish(json: json, reporting)
    }

    private func surface() throws -> SurfaceOfSession {
        var mapper = SessionMapper()
        mapper.parameters.minimumComponentSquareMetres = try number(
            "--min-component",
            minComponent,
            0...1_000_000,
            "square metres"
        )
        mapper.parameters.maximumBytes = try maxMemory.bytes("--max-memory", in: 1_000_000...(1 << 40))
        mapper.rule.takesAll = every
        mapper.usesRelativeDepth = depth == .relative
        return try SurfaceOfSession(
            mapper,
            voxelSizeMetres: voxelSize,
            depth: pixels,
            keepsLimitedTracking: keepLimitedTracking,
            jobs: workers.count()
        )
    }

    private func number(
        _ option: String,
        _ value: Double,
        _ range: ClosedRange<Double>,
        _ unit: String
    ) throws(UsageError) -> Double {
        guard range.contains(value) else {
            let bounds = [range.lowerBound, range.upperBound].map { Format.number($0, decimals: 3) }
            throw UsageError(option, expected: "\(bounds[0]) to \(bounds[1]) \(unit)", found: "\(value)")
        }
        return value
    }
}
