import Maps
import Recording
import Sessions

/// The surface of a session: its depth fused, as `map` does it.
struct SurfaceOfSession: Sendable {
    private(set) var mapper = SessionMapper()

    init(voxelSizeMetres: Double, depth: DepthOptions, keepsLimitedTracking: Bool, jobs: Int) throws {
        guard (0.001...1).contains(voxelSizeMetres) else {
            throw UsageError("--voxel-size", expected: "0.001 to 1.000 metres", found: "\(voxelSizeMetres)")
        }
        mapper.parameters.voxelSizeMetres = voxelSizeMetres
        try depth.apply(to: &mapper.parameters.depthLimits)
        mapper.keepsLimitedTracking = keepsLimitedTracking
        mapper.jobs = jobs
        try mapper.parameters.validate()
    }

    /// Takes a frame each 10 cm, 8 degrees or second.
    var takingFewFrames: SurfaceOfSession {
        var sparse = self
        sparse.mapper.rule.metres = 0.1
        sparse.mapper.rule.radians = 8 * .pi / 180
        sparse.mapper.rule.seconds = 1
        return sparse
    }

    func mesh(
        _ session: any Session,
        span: ClosedRange<Timestamp>,
        progress: @Sendable (Double) async -> Void = { _ in }
    ) async throws -> (mesh: SurfaceMesh, report: MapReport) {
        let (field, report) = try await mapper.map(session, span: span, progress: progress)
        return (await MeshExtractor(field, jobs: mapper.jobs).mesh(), report)
    }
}
