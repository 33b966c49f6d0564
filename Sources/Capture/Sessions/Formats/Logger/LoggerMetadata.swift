import JSONText
import Recording

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

    /// Values that are there and do not read; each is as good as absent.
    private(set) var problems: [Problem] = []

    /// Reads the text; a key that does not read is as good as absent, text that is no JSON object is a problem.
    init(_ bytes: [UInt8]) throws(Problem) {
        var fields = MetadataFields()
        try fields.read(bytes)
        let (seconds, text) = ("seconds from 0", "a text")
        sessionID = fields.value("sessionID", text) { scanner throws(JSONError) in try scanner.string() }
        deviceModel = fields.value("deviceModel", text) { scanner throws(JSONError) in try scanner.string() }
        osVersion = fields.value("osVersion", text) { scanner throws(JSONError) in try scanner.string() }
        startTime = fields.value("startTimestamp", seconds) { scanner throws(JSONError) in try scanner.captureTime() }
        endTime = fields.value("endTimestamp", seconds) { scanner throws(JSONError) in try scanner.captureTime() }
        frameCount = fields.value("frameCount", "a whole number") { scanner throws(JSONError) in
            Int(try scanner.wholeNumber())
        }
        depthResolution = fields.value("depthResolution", "[width, height]") { scanner throws(JSONError) in
            try scanner.gridSize(limit: FrameParser.maximumSide)
        }
        startUnixNanoseconds = fields.value("startUnixTime", "Unix seconds") { scanner throws(JSONError) in
            try scanner.decimalNanoseconds()
        }
        let alignments = WorldAlignment.allCases.map(\.rawValue).joined(separator: #"", ""#)
        worldAlignment = fields.value("world_alignment", #"one of the texts "\#(alignments)""#) {
            scanner throws(JSONError) in
            WorldAlignment(rawValue: try scanner.string())
        }
        readRelativeDepth(&fields)
        problems = fields.problems
    }

    /// Whether frames of the given times may be of the recording that this describes.
    ///
    /// One phone makes one recording at a time, so that any overlap will do: a single frame with a wrong time must not
    /// make the whole file a stranger.
    func overlaps(_ first: Timestamp, _ last: Timestamp) -> Bool {
        guard let startTime, let endTime else { return false }
        return startTime <= last && first <= endTime
    }

    private mutating func readRelativeDepth(_ fields: inout MetadataFields) {
        guard var inner = fields.object("relative_depth") else { return }
        relativeDepthResolution = inner.value("resolution", "[width, height]") { scanner throws(JSONError) in
            try scanner.gridSize(limit: FrameParser.maximumSide)
        }
        relativeDepthKind = inner.value("kind", "inverse_depth or depth") { scanner throws(JSONError) in
            RelativeDepthMap.Kind(rawValue: try scanner.string())
        }
        relativeDepthModel = inner.value("model", "a text") { scanner throws(JSONError) in try scanner.string() }
        fields.problems += inner.problems
    }
}

/// The values of an object of metadata.json, as text.
private struct MetadataFields {
    /// What stands before the names of keys in problems: empty, or the name of the object with a full stop.
    var prefix = ""
    var problems: [Problem] = []
    private var values: [String: [UInt8]] = [:]

    /// Takes the object apart; a key that comes twice with different values has none.
    mutating func read(_ bytes: [UInt8]) throws(Problem) {
        var contradictions: Set<String> = []
        var found: [String: [UInt8]] = [:]
        let failure = bytes.withUnsafeBytes { raw -> JSONError? in
            var scanner = JSONScanner(raw, allowsNonFinite: true)
            do throws(JSONError) {
                try scanner.beginObject()
                while let key = try scanner.nextKey() {
                    let value = Array(try scanner.rawValue())
                    if let earlier = found.updateValue(value, forKey: key.string), earlier != value {
                        contradictions.insert(key.string)
                    }
                }
                try scanner.finish()
                return nil
            } catch {
                return error
            }
        }
        if let error = failure {
            throw Problem(
                .metadataUnreadable,
                file: LoggerMetadata.file,
                expected: "\(error.expected) at byte \(error.offset)",
                found: error.found
            )
        }
        values = found.filter { !contradictions.contains($0.key) }
        problems += contradictions.sorted().map { problem($0, "the key once", "it twice, with different values") }
    }

    /// A value, or `nil` and a problem where it is there and does not read; `null` is as good as absent.
    mutating func value<Value>(
        _ name: String,
        _ expected: String,
        _ read: (inout JSONScanner) throws(JSONError) -> Value?
    ) -> Value? {
        guard let text = values[name], !text.elementsEqual("null".utf8) else { return nil }
        let value = text.withUnsafeBytes { raw -> Value? in
            var scanner = JSONScanner(raw, allowsNonFinite: true)
            return try? read(&scanner)
        }
        if value == nil { problems.append(problem(name, expected, String(decoding: text.prefix(60), as: UTF8.self))) }
        return value
    }

    /// The fields of an object inside, or `nil` and a problem where it is something else.
    mutating func object(_ name: String) -> MetadataFields? {
        guard let text = values[name], !text.elementsEqual("null".utf8) else { return nil }
        var inner = MetadataFields(prefix: "\(prefix)\(name).")
        do throws(Problem) {
            try inner.read(text)
            return inner
        } catch {
            problems.append(problem(name, "an object", String(decoding: text.prefix(60), as: UTF8.self)))
            return nil
        }
    }

    private func problem(_ name: String, _ expected: String, _ found: String) -> Problem {
        Problem(
            .badOptionalField,
            file: LoggerMetadata.file,
            field: prefix + name,
            expected: expected,
            found: found
        )
    }
}
