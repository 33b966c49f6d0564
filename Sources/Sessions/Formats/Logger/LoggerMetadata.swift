import Capture
import JSONText

/// metadata.json of a session: written by the phone at a clean stop only, so nothing here is ever required.
struct LoggerMetadata: Sendable {
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

    /// Reads the text; a key that does not read is as good as absent, text that is no JSON object is a problem.
    init(_ bytes: [UInt8]) throws(Problem) {
        var fields: [String: [UInt8]] = [:]
        let failure = bytes.withUnsafeBytes { raw -> JSONError? in
            var scanner = JSONScanner(raw, allowsNonFinite: true)
            do throws(JSONError) {
                try scanner.beginObject()
                while let key = try scanner.nextKey() { fields[key.string] = Array(try scanner.rawValue()) }
                try scanner.finish()
                return nil
            } catch {
                return error
            }
        }
        if let error = failure {
            throw Problem(
                .metadataUnreadable,
                file: Self.file,
                expected: "\(error.expected) at byte \(error.offset)",
                found: error.found
            )
        }
        sessionID = read(fields["sessionID"]) { scanner throws(JSONError) in try scanner.string() }
        deviceModel = read(fields["deviceModel"]) { scanner throws(JSONError) in try scanner.string() }
        osVersion = read(fields["osVersion"]) { scanner throws(JSONError) in try scanner.string() }
        startTime = read(fields["startTimestamp"]) { scanner throws(JSONError) in try scanner.captureTime() }
        endTime = read(fields["endTimestamp"]) { scanner throws(JSONError) in try scanner.captureTime() }
        frameCount = read(fields["frameCount"]) { scanner throws(JSONError) in Int(try scanner.wholeNumber()) }
        depthResolution = read(fields["depthResolution"]) { scanner throws(JSONError) in
            try scanner.gridSize(limit: FrameParser.maximumSide)
        }
        startUnixNanoseconds = read(fields["startUnixTime"]) { scanner throws(JSONError) in
            try scanner.decimalNanoseconds()
        }
        worldAlignment = read(fields["world_alignment"]) { scanner throws(JSONError) in
            WorldAlignment(rawValue: try scanner.string())
        }
        readRelativeDepth(fields["relative_depth"])
    }

    /// Whether frames of the given times may be of the recording that this describes.
    ///
    /// One phone makes one recording at a time, so that any overlap will do: a single frame with a wrong time must not
    /// make the whole file a stranger.
    func overlaps(_ first: Timestamp, _ last: Timestamp) -> Bool {
        guard let startTime, let endTime else { return false }
        return startTime <= last && first <= endTime
    }

    private mutating func readRelativeDepth(_ text: [UInt8]?) {
        guard let text else { return }
        // Keys that follow a broken one are lost with it, as one optional object.
        try? text.withUnsafeBytes { raw throws(JSONError) in
            var scanner = JSONScanner(raw, allowsNonFinite: true)
            try scanner.beginObject()
            while let key = try scanner.nextKey() {
                switch key {
                case "resolution": relativeDepthResolution = try scanner.gridSize(limit: FrameParser.maximumSide)
                case "kind": relativeDepthKind = RelativeDepthMap.Kind(rawValue: try scanner.string())
                case "model": relativeDepthModel = try scanner.string()
                default: try scanner.skipValue()
                }
            }
        }
    }
}

private func read<Value>(
    _ text: [UInt8]?,
    _ body: (inout JSONScanner) throws(JSONError) -> Value?
) -> Value? {
    guard let text else { return nil }
    return text.withUnsafeBytes { raw in
        var scanner = JSONScanner(raw, allowsNonFinite: true)
        return try? body(&scanner)
    }
}
