import ArgumentParser
import Exports
import Maps
import Platform
import Recording
import Sessions
import SystemPackage
import Translation

struct MapCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "map",
        abstract: "Fuse a session's depth into one coloured mesh or cloud, or make a map for robots.",
        discussion: """
            Examples:
              mapeverything map room
              mapeverything map room -o room.glb --voxel-size 0.01 --max-memory 4GB
              mapeverything map room -o room.pcd --start 5 --duration 10
              mapeverything map room -o room.yaml --open
            """
    )

    @Argument(help: "A session (folder, .zip, .tar), or a bag of one.", completion: .file()) var session: String

    @Option(
        name: .shortAndLong,
        help: .value(
            "path",
            "File to create: .ply or .obj (mesh, or --cloud), .glb or .stl (mesh), .pcd (cloud) or .las; for robots .yaml (nav2, with its image), .bt (OctoMap) or .tif (heights); a folder; - for standard output. Default: NAME.ply."
        ),
        completion: .file()
    )
    var output: String?

    @Flag(help: "Write the surface's points into a .ply or .obj. Default: the mesh.")
    var cloud = false

    @OptionGroup var force: ForceOptions

    @Flag(help: "Then show it in a browser, until Ctrl-C.") var open = false

    @Option(
        help: .value(
            "metres",
            "Distance between neighbouring samples of the distance field, or the edge of a cell, in metres. Default: 0.02; .yaml, .bt and .tif: 0.05."
        )
    )
    var voxelSize: Double?

    @OptionGroup var floor: FloorMapOptions

    @OptionGroup var span: SpanOptions

    @Option(help: .value("size", "Most memory for the field or the cells; where it is full, no new places are added."))
    var maxMemory = ByteSize("2GB")

    @OptionGroup var workers: WorkerOptions
    @OptionGroup var progress: ProgressOptions
    @OptionGroup var reporting: ReportingOptions

    @Flag(help: ArgumentHelp("Fuse every frame. Default: one each 5 cm, 3 degrees or 0.5 s.", visibility: .rare))
    var allFrames = false

    @Flag(help: .rare("Fuse frames whose tracking was limited or lost, too. Default: leave them out."))
    var keepLimitedTracking = false

    @Option(help: .rare("Drop connected pieces of the mesh below this area, in square metres.", "area"))
    var minComponent = 0.01

    @OptionGroup var pixels: DepthOptions
    @OptionGroup var geoid: GeoidOptions
    @OptionGroup var recording: RecordingOptions

    /// What is made, by the ending of the output.
    func product() throws(UsageError) -> Product {
        guard let output, !isFolder(output) else { return .ply }
        let ending = (FilePath(output).extension ?? "").lowercased()
        if let product = Product.maps.first(where: { $0.ending == ending }) { return product }
        let hint = Product.hint(ending, in: Product.maps) { ".\($0.ending ?? "")" }
        let expected = "a folder, or a name with an ending that `mapeverything help formats` lists"
        throw UsageError("--output", expected: expected, found: output + hint)
    }

    /// The output, and what is beside it; in a folder the name is that of the session.
    func claims(of product: Product, _ sessionName: String? = nil) -> [OutputClaim] {
        let output = output ?? DefaultOutput.name(of: session) + ".ply"
        var path = output
        if isFolder(output) {
            guard let sessionName else { return [] }
            path = FilePath(output).appending(sessionName + ".ply").string
        }
        let file = OutputClaim(path, product.kind, replaces: force.isGiven)
        guard case .space(let space) = product.making, let beside = space.beside(file.path, floor.mode) else {
            return [file]
        }
        return [file, OutputClaim(beside.path.string, beside.kind, replaces: force.isGiven)]
    }

    private func isFolder(_ path: String) -> Bool { path.hasSuffix("/") || FileType(of: FilePath(path)) == .directory }

    func run() async throws {
        let product = try product()
        if output == nil { try DefaultOutput.announce(DefaultOutput.name(of: session) + ".ply", of: session) }
        var use = OptionUse("map", found: output ?? "a .ply file")
        use.product = product
        try use.refuseUnused()
        let opener = try opener(product)
        let path: String?
        switch product.making {
        case .surface(let file): path = try await makeSurface(product, file)
        case .space(let file): path = try await makeRobotMap(product, file)
        default: path = nil
        }
        guard let path, let opener else { return }
        let serving = try ServingOptions.parse(["--port", "0"])
        try await ModelServer(path: path, serving: serving, opener: opener).run(progress)
    }

    /// - Throws: before any work, where the file cannot be shown.
    private func opener(_ product: Product) throws -> PageOpener? {
        guard open else { return nil }
        guard OpenedModel.endings.contains(product.ending ?? ""), StandardOutput.temporary == nil else {
            let expected = "a file that the page shows (\(OpenedModel.endings.map { "." + $0 }.listed))"
            throw UsageError("--open", expected: expected, found: output.map(StandardOutput.named) ?? "none")
        }
        return try PageOpener()
    }

    private func files(_ product: Product, of name: String) throws -> [NewFile] {
        try claims(of: product, name).map { try NewFile($0, inputs: [session]) }
    }

    private func makeSurface(_ product: Product, _ file: SurfaceFile) async throws -> String {
        if cloud, let reason = file.noClouds {
            throw UsageError(
                "--cloud",
                expected: "a file of points, such as NAME.ply",
                found: "\(output ?? ""): \(reason)"
            )
        }
        let surface = try surface()
        let request = span.request
        let heights = FixHeights(geoid: try geoid.grid())
        let opened = try await opened()
        let target = try files(product, of: opened.summary.name)[0]
        let span = try opened.times(request)
        let (mesh, report) = try await surface.mesh(opened.session, span: span, "map", progress)
        let made = try file.make(.init(mesh, of: opened, isCloud: cloud, version: Tool.version, heights: heights))
        try target.write(made.content)
        try Report(report, mesh, path: target.path, made).finish(reporting)
        return target.path
    }

    private func makeRobotMap(_ product: Product, _ file: SpaceFile) async throws -> String {
        let occupancy = try occupancy()
        let request = span.request
        let heights = FixHeights(geoid: try geoid.grid())
        let opened = try await opened()
        let name = opened.summary.name
        let isTilted = opened.summary.worldAlignment == .camera
        if file.isOfFloor, isTilted { throw RobotMapError.tilted(session: name) }
        let targets = try files(product, of: name)
        let span = try opened.times(request)
        let (volume, report) = try await progress.run("map") { tell in
            try await occupancy.map(opened.session, span: span, progress: tell)
        }
        guard volume.blockCount > 0 else { throw EmptyMapError(session: name, report: report, mesh: SurfaceMesh()) }
        let (path, mode) = (FilePath(targets[0].path), floor.mode)
        let made = try file.make(.init(volume, of: opened, at: path, mode, version: Tool.version, heights: heights))
        // What is named by another file gets its name first: a file that is there names one that is there.
        try NewFile.write(zip(targets.reversed(), made.files).map { ($0, FileContent($1.bytes)) })
        switch made.subject {
        case .cells(let tree): try Report(report, tree, path: path.string).finish(reporting)
        case .floor(let map, let coordinates):
            let facts = coordinates?.facts(heights: "heights above the floor") ?? []
            let image = targets.dropFirst().first?.path
            try Report(report, map, path: path.string, image: image, facts).finish(reporting)
        }
        return path.string
    }

    private func opened() async throws -> OpenedRecording {
        try await recording.open(session, for: .surface, jobs: workers.count(), "map", progress)
    }

    private func occupancy() throws -> OccupancyMapper {
        var mapper = OccupancyMapper { Coordinates.mapFromWorld * $0 }
        try floor.apply(to: &mapper.parameters)
        mapper.parameters.maximumBytes = try memory()
        mapper.parameters.resolutionMetres = voxelSize ?? mapper.parameters.resolutionMetres
        let size = mapper.parameters.resolutionMetres
        try UsageError.require((0.005...1).contains(size), "--voxel-size", "0.005 to 1.000 metres", size)
        try pixels.apply(to: &mapper.parameters.depthLimits)
        mapper.rule.takesAll = allFrames
        mapper.keepsLimitedTracking = keepLimitedTracking
        mapper.jobs = try workers.count()
        return mapper
    }

    private func memory() throws -> Int { try maxMemory.bytes("--max-memory", in: 1_000_000...(1 << 40)) }

    private func surface() throws -> SurfaceOfSession {
        var mapper = SessionMapper()
        let areas = 0.0...1_000_000
        try UsageError.require(
            areas.contains(minComponent),
            "--min-component",
            "0.000 to 1000000.000 square metres",
            minComponent
        )
        mapper.parameters.minimumComponentSquareMetres = minComponent
        mapper.parameters.maximumBytes = try memory()
        mapper.rule.takesAll = allFrames
        return try SurfaceOfSession(
            mapper,
            voxelSizeMetres: voxelSize ?? MapParameters().voxelSizeMetres,
            depth: pixels,
            keepsLimitedTracking: keepLimitedTracking,
            jobs: workers.count()
        )
    }
}

/// The surface of a session: its depth fused, for `map` and `export`.
struct SurfaceOfSession: Sendable {
    private(set) var mapper: SessionMapper

    /// - Parameter mapper: with whatever else is asked for.
    init(
        _ mapper: SessionMapper = SessionMapper(),
        voxelSizeMetres: Double,
        depth: DepthOptions,
        keepsLimitedTracking: Bool,
        jobs: Int
    ) throws {
        self.mapper = mapper
        let isSize = (0.001...1).contains(voxelSizeMetres)
        try UsageError.require(isSize, "--voxel-size", "0.001 to 1.000 metres", voxelSizeMetres)
        self.mapper.parameters.voxelSizeMetres = voxelSizeMetres
        try depth.apply(to: &self.mapper.parameters.depthLimits)
        self.mapper.keepsLimitedTracking = keepsLimitedTracking
        self.mapper.jobs = jobs
        try self.mapper.parameters.validate()
    }

    /// Takes a frame each 10 cm, 8 degrees or second.
    var takingFewFrames: SurfaceOfSession {
        var sparse = self
        sparse.mapper.rule.metres = 0.1
        sparse.mapper.rule.radians = 8 * .pi / 180
        sparse.mapper.rule.seconds = 1
        return sparse
    }

    /// Shows how far it is, and ends with the first interrupt.
    ///
    /// - Throws: an ``EmptyMapError`` where there is no surface.
    func mesh(
        _ session: any Session,
        span: ClosedRange<Timestamp>,
        _ command: String,
        _ progress: ProgressOptions
    ) async throws -> (mesh: SurfaceMesh, report: MapReport) {
        let (mesh, report) = try await progress.run(command) { tell in
            try await self.mesh(session, span: span, progress: tell)
        }
        guard !mesh.points.isEmpty else {
            throw EmptyMapError(session: session.summary.name, report: report, mesh: mesh)
        }
        return (mesh, report)
    }

    func mesh(
        _ session: any Session,
        span: ClosedRange<Timestamp>,
        progress: ProgressHandler = { _ in }
    ) async throws -> (mesh: SurfaceMesh, report: MapReport) {
        let (field, report) = try await mapper.map(session, span: span, progress: progress)
        progress(WorkProgress("meshing", 0, of: 1, .steps))
        return (await MeshExtractor(field, jobs: mapper.jobs).mesh(), report)
    }
}
