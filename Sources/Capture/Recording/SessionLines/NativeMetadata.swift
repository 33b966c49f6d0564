/// metadata.json of the native layout.
package struct NativeMetadata: Sendable {
    package var sessionID: String
    package var deviceModel: String?
    package var osVersion: String?
    package var start: Timestamp
    package var end: Timestamp
    /// The time of the wall clock at `start`; `nil` where it is not known.
    package var startUnixNanoseconds: Int64?
    package var frameCount = 0
    package var worldAlignment: WorldAlignment?
    package var imageSize: GridSize?
    /// `nil` where no frame has depth.
    package var depthSize: GridSize?
    /// Where poses come from that are not the phone's.
    package var poseOrigin: String?
    /// How depth was made that was not recorded.
    package var depthOrigin: String?
    package var relativeDepth: (size: GridSize, kind: RelativeDepthMap.Kind, model: String?)?
    /// The recording that this was made from; no reader asks for it.
    package var source: (format: String, name: String)?

    package init(sessionID: String, start: Timestamp, end: Timestamp) {
        self.sessionID = sessionID
        self.start = start
        self.end = end
    }

    /// The whole file.
    package var bytes: [UInt8] {
        var object = JSONLine()
        object.add("sessionID", string: sessionID)
        if let deviceModel { object.add("deviceModel", string: deviceModel) }
        if let osVersion { object.add("osVersion", string: osVersion) }
        object.add("startTimestamp", json: decimalSeconds(start.nanoseconds))
        object.add("endTimestamp", json: decimalSeconds(end.nanoseconds))
        if let unix = startUnixNanoseconds, unix > 0 { object.add("startUnixTime", string: decimalSeconds(unix)) }
        object.add("frameCount", frameCount)
        if let worldAlignment { object.add("world_alignment", string: worldAlignment.rawValue) }
        object.add("hasDepth", depthSize != nil)
        if let imageSize { object.add("rgbResolution", imageSize) }
        if let depthSize { object.add("depthResolution", depthSize) }
        if let poseOrigin { object.add("poses_made", string: poseOrigin) }
        if let depthOrigin { object.add("depth_made", string: depthOrigin) }
        if let relativeDepth {
            var relative = JSONLine()
            relative.add("resolution", relativeDepth.size)
            relative.add("kind", string: relativeDepth.kind.rawValue)
            if let model = relativeDepth.model { relative.add("model", string: model) }
            object.add("relative_depth", relative)
        }
        if let source {
            var from = JSONLine()
            from.add("format", string: source.format)
            from.add("name", string: source.name)
            object.add("converted_from", from)
        }
        return object.closed + [UInt8(ascii: "\n")]
    }
}

/// The names of the files of a frame in the native layout, relative to the session, and their encodings.
package enum NativeFiles {
    package static let frames = "frames.jsonl"
    package static let metadata = "metadata.json"
    package static let motion = "imu.jsonl"
    package static let locations = "gps.jsonl"
    package static let headings = "heading.jsonl"
    package static let radio = "radio.jsonl"
    package static let indoor = "indoor.jsonl"

    package static func picture(_ index: Int) -> String { "rgb/\(padded(index, 6)).jpg" }
    package static func depth(_ index: Int) -> String { "depth/\(padded(index, 6)).bin" }
    package static func confidence(_ index: Int) -> String { "confidence/\(padded(index, 6)).bin" }
    package static func relativeDepth(_ index: Int) -> String { "relative_depth/\(padded(index, 6)).bin" }

    /// Float32, little-endian, in the order of the values.
    package static func floats(_ values: [Float]) -> [UInt8] {
        values.map { $0.bitPattern.littleEndian }.withUnsafeBytes { Array($0) }
    }
}

/// A number with leading zeros.
package func padded(_ number: Int, _ digits: Int) -> String {
    let text = String(number)
    return String(repeating: "0", count: max(0, digits - text.count)) + text
}
