import Maps
import Recording
import Sessions
import Work

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
        guard (0.001...1).contains(voxelSizeMetres) else {
            throw UsageError("--voxel-size", expected: "0.001 to 1.000 metres", found: "\(voxelSizeMetres)")
        }
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
