package import Recording
package import Replay
package import Sessions

/// The counts of a session that was trimmed: frames in are those kept and those of each other verdict.
package struct TrimReport: Sendable {
    package var counts = FrameCounts()
    package var pictures = 0
    /// Pictures that were no JPEGs.
    package var encodedPictures = 0
    package var depthMaps = 0
    package var confidenceMaps = 0
    package var relativeDepthMaps = 0
    package var samples: [RecordStream: Int] = [:]
    /// Samples of times that the native layout has no place for.
    package var impossibleSamples = 0
    /// Frames that were to be judged by a sharpness that is not known.
    package var unknownSharpness = 0
    package var firstTime: Timestamp?
    package var lastTime: Timestamp?
    package var payloadBytes = 0
    package var leavesTiles = false
    /// The anchor of the source; `hasWallClock` tells if it was written.
    package var anchor: EpochAnchor?
    package var hasWallClock = false
    package var diagnostics = Diagnostics()

    package var framesIn: Int { counts.total }
    package var framesKept: Int { counts[.kept] }

    package init() {}
}

/// Why no session was written.
package enum TrimError: Error, Sendable, CustomStringConvertible {
    case noFrame(reasons: String)

    package var description: String {
        switch self {
        case .noFrame(let reasons): "trim: expected at least one frame to keep, found none: \(reasons)"
        }
    }
}
