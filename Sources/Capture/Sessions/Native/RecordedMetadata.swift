import Recording
import Text

/// metadata.json of a session: written by the phone at a clean stop only, so nothing here is ever required.
struct RecordedMetadata: Sendable {
    static let file = "metadata.json"

    var sessionID: String?
    var deviceModel: String?
    var osVersion: String?
    var startTime: Timestamp?
    var endTime: Timestamp?
    var frameCount: Int?
    var depthResolution: GridSize?
    /// The wall clock at `startTime`, nanoseconds since 1970; our own optional key `startUnixTime`.
    var startUnixNanoseconds: Int64?
    var relativeDepthResolution: GridSize?
    var relativeDepthKind: RelativeDepthMap.Kind?
    var relativeDepthModel: String?
    var worldAlignment: WorldAlignment?
    var poseOrigin: String?
    var depthOrigin: String?

    /// Values that are there and do not read; each is as good as absent.
    private(set) var problems: [Problem] = []

    private static let alignments =
        #"one of the texts "\#(WorldAlignment.allCases.map(\.rawValue).joined(separator: #"", ""#))""#

    private static let table = StreamTable(
        file: file,
        blank: RecordedMetadata(),
        [
            .optional("sessionID", .text("a text")) { $0.sessionID = $1 },
            .optional("deviceModel", .text("a text")) { $0.deviceModel = $1 },
            .optional("osVersion", .text("a text")) { $0.osVersion = $1 },
            .optional("startTimestamp", .captureTime) { $0.startTime = $1 },
            .optional("endTimestamp", .captureTime) { $0.endTime = $1 },
            .optional("frameCount", .wholeNumber) { $0.frameCount = $1 },
            .optional("depthResolution", .gridSize()) { $0.depthResolution = $1 },
            .optional("startUnixTime", .nanoseconds("Unix seconds")) { $0.startUnixNanoseconds = $1 },
            .optional("world_alignment", .word(alignments)) { $0.worldAlignment = $1 },
            .optional("poses_made", .text("a text")) { $0.poseOrigin = $1 },
            .optional("depth_made", .text("a text")) { $0.depthOrigin = $1 },
            .optional("relative_depth", .object) { $0.readRelativeDepth($1) },
        ]
    )

    /// The fields of the object `relative_depth`.
    private static let relativeDepthTable = StreamTable(
        file: file,
        prefix: "relative_depth.",
        blank: RecordedMetadata(),
        [
            .optional("resolution", .gridSize()) { $0.relativeDepthResolution = $1 },
            .optional("kind", .word("inverse_depth or depth")) { $0.relativeDepthKind = $1 },
            .optional("model", .text("a text")) { $0.relativeDepthModel = $1 },
        ]
    )

    private init() {}

    /// Reads the text; a key that does not read is as good as absent, text that is no JSON object is a problem.
    init(_ bytes: [UInt8]) throws(Problem) {
        let result = bytes.withUnsafeBytes { text in
            Result { () throws(Problem) in
                let values = try LineValues(text, names: Self.table.names, file: Self.file, line: nil)
                var metadata = try Self.table.read(values)
                metadata.problems = Self.table.optionalProblems(values) + metadata.problems
                return metadata
            }
        }
        self = try result.get()
    }

    private mutating func readRelativeDepth(_ object: UnsafeRawBufferPointer) {
        let table = Self.relativeDepthTable
        guard let values = try? LineValues(object, names: table.names, file: Self.file, line: nil),
            let inner = try? table.read(values)
        else { return }
        relativeDepthResolution = inner.relativeDepthResolution
        relativeDepthKind = inner.relativeDepthKind
        relativeDepthModel = inner.relativeDepthModel
        problems += table.optionalProblems(values)
    }

    /// True if frames of the given times may be of the recording that this describes.
    ///
    /// One phone makes one recording at a time, so that any overlap will do: a single frame with a wrong time must not
    /// exclude the whole file.
    func overlaps(_ first: Timestamp, _ last: Timestamp) -> Bool {
        guard let startTime, let endTime else { return false }
        return startTime <= last && first <= endTime
    }
}
