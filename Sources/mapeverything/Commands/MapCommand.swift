import ArgumentParser
import Containers
import Files
import JSONText
import Maps
import Recording
import Replay
import Sessions
import SystemPackage

struct MapCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "map",
        abstract: "Fuse a session's depth into one mesh or cloud with colours.",
        discussion: """
            Examples:
              mapeverything map room -o room.ply
              mapeverything map room -o room.glb --voxel-size 0.01 --max-memory 4GB
            """
    )

    enum Depth: String, ExpressibleByArgument, CaseIterable {
        case lidar
        case relative
    }

    @Argument(help: "A session: folder, .zip or .tar.")
    var session: String

    @Option(name: .shortAndLong, help: "File to write: .ply (mesh, or --cloud), .glb (mesh) or .pcd (cloud).")
    var output: String

    @Flag(help: "Write the surface's points to a .ply, with normal, colour and weight. Default: the mesh.")
    var cloud = false

    @Option(help: "Distance between neighbouring samples of the distance field, in metres.")
    var voxelSize = 0.02

    @Option(help: "Drop connected pieces of the mesh below this area, in square metres.")
    var minComponent = 0.01

    @Option(help: "Depth that is fused: lidar, or relative (a model's, brought to metres by each frame's LiDAR depth).")
    var depth = Depth.lidar

    @Flag(help: "Fuse every frame. Default: one each 5 cm, 3 degrees or 0.5 s.")
    var every = false

    @Flag(help: "Fuse frames whose tracking was limited, too. Default: leave them out.")
    var keepLimitedTracking = false

    @Option(help: "Most memory for the map; beyond it no new places are added, and it is said.")
    var maxMemory = ByteSize("2GB")

    @Option(
        name: [.customShort("j", allowingJoined: true), .long],
        help: "Number of worker threads. Default: one for each core, at most 16."
    )
    var jobs: Int?

    @Flag(help: "Print the report as JSON.")
    var json = false

    @OptionGroup
    var reporting: ReportingOptions

    private enum Form: String {
        case ply
        case glb
        case pcd
    }

    func run() async throws {
        let form = try form()
        let mapper = try mapper()
        let session = try SessionFormats.open(path: session)
        let seconds = Int(session.summary.durationSeconds.rounded())
        let (field, report) = try await Signals.cancelling {
            try await mapper.map(session) { done in
                guard Terminal.isErrorInteractive else { return }
                Terminal.showProgress("\(Int(done)) of \(seconds) s")
            }
        }
        let extractor = MeshExtractor(field, jobs: mapper.jobs)
        let mesh = await extractor.mesh()
        if Terminal.isErrorInteractive { Terminal.showProgress("") }
        do {
            try DurableFiles.replace(FilePath(output), with: bytes(of: mesh, form), synchronized: false)
        } catch {
            throw OutputError(description: "\(error)")
        }
        let outcome = MapOutcome(report, mesh, output: output)
        try outcome.finish(json: json, reporting)
    }

    private func form() throws -> Form {
        let suffix = FilePath(output).extension ?? ""
        guard let form = Form(rawValue: suffix.lowercased()) else {
            throw UsageError("--output", expected: "a name that ends in .ply, .glb or .pcd", found: output)
        }
        guard !cloud || form != .glb else {
            throw UsageError("--cloud", expected: "a .ply or .pcd file", found: output)
        }
        return form
    }

    private func mapper() throws -> SessionMapper {
        var mapper = SessionMapper()
        mapper.parameters.voxelSizeMetres = voxelSize
        mapper.parameters.minimumComponentSquareMetres = minComponent
        mapper.parameters.maximumBytes = try maxMemory.bytes("--max-memory", in: 1_000_000...(1 << 40))
        mapper.rule.takesAll = every
        mapper.keepsLimitedTracking = keepLimitedTracking
        mapper.usesRelativeDepth = depth == .relative
        mapper.jobs = try UsageError.count("-j", jobs ?? Machine.coreCount, from: 1, to: 256)
        do {
            try mapper.parameters.validate()
        } catch {
            throw UsageError("--voxel-size, --min-component", expected: "numbers that make sense", found: "\(error)")
        }
        return mapper
    }

    private func bytes(of mesh: SurfaceMesh, _ form: Form) -> [UInt8] {
        switch form {
        case .ply: cloud ? PLYFile.bytes(mesh.points) : PLYFile.bytes(mesh)
        case .glb: GLBFile.bytes(mesh)
        case .pcd: PCDFile.bytes(mesh.points)
        }
    }
}

/// A file that could not be written.
struct OutputError: Error, CustomStringConvertible {
    let description: String
}

/// What became of a session on the way into a map.
struct MapOutcome {
    let facts: [Fact]
    let hasLosses: Bool
    private let problems: String

    init(_ report: MapReport, _ mesh: SurfaceMesh, output: String) {
        let bytes = report.byteCount
        facts = [
            Fact("map", output, "map", .string(output)),
            Fact(
                "frames",
                "\(report.keyFrameCount) fused of \(report.frameCount)",
                "frames_fused",
                .integer(report.keyFrameCount)
            ),
            .json("frames", .integer(report.frameCount)),
            Fact("mesh", "\(mesh.points.count) points, \(mesh.triangles.count) triangles"),
            .json("points", .integer(mesh.points.count)),
            .json("triangles", .integer(mesh.triangles.count)),
            Fact("memory", "\(Format.bytes(bytes)) in \(report.blockCount) blocks", "map_bytes", .integer(bytes)),
            Fact(
                "limited",
                report.limitedTracking == 0 ? "" : "\(report.limitedTracking) frames of limited tracking were left out",
                "limited_tracking",
                .integer(report.limitedTracking)
            ),
            Fact(
                "no depth",
                report.withoutDepth == 0 ? "" : "\(report.withoutDepth) key-frames had no depth that can be used",
                "without_depth",
                .integer(report.withoutDepth)
            ),
            Fact(
                "no colour",
                report.withoutColour == 0 ? "" : "\(report.withoutColour) key-frames had no image that can be used",
                "without_colour",
                .integer(report.withoutColour)
            ),
            Fact(
                "jumps",
                report.jumpCount == 0
                    ? ""
                    : "\(report.jumpCount) poses jumped faster than 3 m/s, the first at \(report.firstJump?.seconds ?? 0) s",
                "pose_jumps",
                .integer(report.jumpCount)
            ),
            Fact(
                "full",
                report.refusedBlocks == 0
                    ? "" : "the map reached --max-memory; what came later is only in places that were there already",
                "refused_blocks",
                .integer(report.refusedBlocks)
            ),
        ]
        problems = SessionText.problems(report.diagnostics, ReplayCounts())
        hasLosses = report.diagnostics.lostCount > 0 || report.refusedBlocks > 0 || report.withoutDepth > 0
    }

    func finish(json: Bool, _ reporting: ReportingOptions) throws {
        let value = JSONValue.object(JSONObject(facts.members.map { JSONObject.Member(key: $0.0, value: $0.1) }))
        if let report = reporting.report, !TextFile.write(value.text(style: .pretty) + "\n", to: report) {
            throw ReportError(path: report)
        }
        let text = problems.isEmpty ? facts.text : facts.text + "\n\n" + problems
        Terminal.print(json ? value.text(style: .pretty) : text)
        if reporting.strict, hasLosses { throw ExitStatus.lossy }
    }
}
