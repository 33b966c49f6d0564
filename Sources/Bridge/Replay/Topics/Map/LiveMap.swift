import Maps
import Messages
import Recording
import Sessions

/// The map as it grows along a replay: one for all topics that show it.
final class LiveMap {
    /// Counts the passes over the session: each begins with an empty map.
    private(set) var pass = 0
    private(set) var parameters: MapParameters
    private let jobs: Int
    private var volume: MapVolume?
    private var isFinished = false
    private var hasReportedFull = false

    init(_ context: SourceContext) {
        parameters = context.profile.map
        parameters.depthLimits = context.profile.clouds
        jobs = context.jobs
    }

    var isEmpty: Bool { volume == nil }

    var frameCount: Int { volume?.frameCount ?? 0 }

    /// Every block and the frames that concerned it, in the order of keys.
    var history: [(key: BlockKey, use: BlockUse)] { volume?.history ?? [] }

    /// Adds a key-frame; the first one after the end of a pass begins a new map.
    func fuse(_ frame: MapFrame) async {
        if isFinished || volume == nil {
            // The parameters were checked with the profile.
            volume = try? MapVolume(parameters, jobs: jobs)
            isFinished = false
            pass += 1
        }
        await volume?.integrate(frame)
    }

    /// Says that the pass is over.
    func finish() { isFinished = true }

    /// Extracts from the map as it is now; to be dropped before the next key-frame, which else would copy the map.
    func extractor() async -> MeshExtractor? {
        guard let volume else { return nil }
        return MeshExtractor(await volume.snapshot(), jobs: jobs)
    }

    /// A problem where the map became full since it was asked for.
    func takeProblem() -> Problem? {
        guard let volume, volume.isFull, !hasReportedFull else { return nil }
        hasReportedFull = true
        return Problem(
            .mapFull,
            file: "map",
            expected: "a map of at most \(parameters.maximumBytes) bytes",
            found: "\(volume.frameCountWithoutRoom) frames that needed more"
        )
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
        if let problem = map.takeProblem() { diagnostics.record(problem) }
        return diagnostics
    }
}
