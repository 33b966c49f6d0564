import Maps
import Messages
import Recording
import Sessions

/// The map as it grows along a replay: one for all topics that show it.
///
/// It is a surface and a volume of what is occupied, or the one of them that is shown.
final class LiveMap {
    /// Counts the passes over the session: each begins with an empty map.
    private(set) var pass = 0
    private(set) var parameters: MapParameters
    private let jobs: Int
    private let hasSurface: Bool
    private let marker: FrameMarker?
    private let axes: FramePolicy
    private var volume: MapVolume?
    /// What is free and what is occupied, z up whatever the axes of the frame `map` are.
    private(set) var occupancy: OccupancyVolume?
    private var isFinished = false
    private var hasReportedFull = false
    private var problems: [Problem] = []

    init(_ context: SourceContext) {
        parameters = context.profile.map
        parameters.depthLimits = context.profile.clouds
        jobs = context.jobs
        axes = context.axes
        hasSurface = !context.enabled.isDisjoint(with: TopicKind.ofSurface)
        let cell = OccupancyParameters().resolutionMetres
        let marker = FrameMarker(cellMetres: cell, maximumBytes: parameters.maximumBytes)
        self.marker = context.enabled.contains(.occupancy) ? marker : nil
    }

    var isEmpty: Bool { volume == nil && occupancy == nil }

    var frameCount: Int { volume?.frameCount ?? occupancy?.frameCount ?? 0 }

    /// Every block and the frames that concerned it, in the order of keys.
    var history: [(key: BlockKey, use: BlockUse)] { volume?.history ?? [] }

    /// Adds a key-frame; the first one after the end of a pass begins a new map.
    func fuse(_ frame: MapFrame) async {
        if isFinished || isEmpty { begin() }
        mark(frame)
        await volume?.integrate(frame)
    }

    private func begin() {
        // The parameters were checked with the profile.
        volume = hasSurface ? try? MapVolume(parameters, jobs: jobs) : nil
        occupancy = marker == nil ? nil : try? OccupancyVolume(occupancyParameters)
        isFinished = false
        pass += 1
    }

    private var occupancyParameters: OccupancyParameters {
        var occupancy = OccupancyParameters()
        occupancy.depthLimits = parameters.depthLimits
        occupancy.maximumBytes = parameters.maximumBytes
        // No rosbridge server takes a larger message: at most four characters a cell.
        occupancy.maximumMapCells = OccupancyGrids.maximumCells
        return occupancy
    }

    /// Takes what a key-frame says of free space; a pose out of reach says nothing.
    private func mark(_ frame: MapFrame) {
        guard let marker else { return }
        let level = axes == .ros ? frame : frame.turned(by: Coordinates.mapFromWorld)
        if let marks = marker.marks(level) { occupancy?.apply(marks) }
    }

    /// Says that the pass is over.
    func finish() { isFinished = true }

    /// Extracts from the map as it is now; to be dropped before the next key-frame, which else would copy the map.
    func extractor() async -> MeshExtractor? {
        guard let volume else { return nil }
        return MeshExtractor(await volume.snapshot(), jobs: jobs)
    }

    /// Notes a problem with what is shown of the map.
    func note(_ problem: Problem) { problems.append(problem) }

    /// The problems since they were asked for, among them that the map has become full.
    func takeProblems() -> [Problem] {
        defer { problems = [] }
        let missed = (volume?.frameCountWithoutRoom ?? 0, occupancy?.frameCountWithoutRoom ?? 0)
        guard max(missed.0, missed.1) > 0, !hasReportedFull else { return problems }
        hasReportedFull = true
        let full = Problem(
            .mapFull,
            file: "map",
            expected: "a map of at most \(parameters.maximumBytes) bytes",
            found: "\(max(missed.0, missed.1)) frames that needed more"
        )
        return problems + [full]
    }
}

/// Fuses key-frames into the map that the topics after it show; publishes nothing itself.
struct MapFusion: TopicSource {
    let topics: [Topic] = []
    let trigger = Trigger.keyFrame
    let rateHertz: Double? = nil
    private let map: LiveMap

    init?(_ map: LiveMap, _ context: SourceContext) {
        guard !context.enabled.isDisjoint(with: TopicKind.ofMap) else { return nil }
        self.map = map
    }

    mutating func update(with frame: MapFrame) async { await map.fuse(frame) }

    mutating func messages(for item: PreparedItem, stamp: Int64, into batch: inout [StampedMessage]) {}

    mutating func takeDiagnostics() -> Diagnostics {
        var diagnostics = Diagnostics()
        for problem in map.takeProblems() { diagnostics.record(problem) }
        return diagnostics
    }
}
