package import Recording

/// metadata.json of the native layout.
package struct NativeMetadata: Sendable {
    package var sessionID: String
    package var deviceModel: String?
    package var osVersion: String?
    package var start: Timestamp
    package var end: Timestamp
    /// Of the wall clock at `start`; `nil` where it is not known.
    package var startUnixNanoseconds: Int64?
    package var frameCount = 0
    package var worldAlignment: WorldAlignment?
    package var imageSize: GridSize?
    /// `nil` where no frame has depth.
    package var depthSize: GridSize?
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
        var object = JSONObject()
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
        if let relativeDepth {
            var relative = JSONObject()
            relative.add("resolution", relativeDepth.size)
            relative.add("kind", string: relativeDepth.kind.rawValue)
            if let model = relativeDepth.model { relative.add("model", string: model) }
            object.add("relative_depth", relative)
        }
        if let source {
            var from = JSONObject()
            from.add("format", string: source.format)
            from.add("name", string: source.name)
            object.add("converted_from", from)
        }
        return object.closed + [UInt8(ascii: "\n")]
    }
}
