package import Perception
package import Recording
package import Sessions
package import Translation

/// The axes of an export's world.
package enum ExportWorld: String, Sendable, Hashable, CaseIterable {
    /// z up, as the bags have it (REP-105).
    case map
    /// y up, as ARKit records it.
    case arkit

    /// From ARKit's world.
    var fromWorld: Transform { self == .map ? Coordinates.mapFromWorld : .identity }
}

/// Which frames of a session are exported, and how; independent of the command line.
package struct ExportPlan: Sendable {
    package var format: FrameFormat
    package var span = SpanRequest()
    package var world = ExportWorld.map
    /// Which frames are taken; what the format needs is added to it.
    package var rule = FrameRule()
    /// Which depth pixels count, in depth images and in points.
    package var depth = CloudParameters()
    /// Where heights of fixes above the ellipsoid come from.
    package var heights = FixHeights()
    /// One camera for all images.
    package var sharesIntrinsics = false
    /// COLMAP's binary form; `nil` decides by the number of images.
    package var isBinary: Bool?
    /// Images are cut so that the principal point is in their centre.
    package var centresPrincipalPoint = false
    /// The size of images that have to be alike; `nil` for the sensor's own.
    package var imageSize: GridSize? = GridSize(width: 640, height: 480)
    /// A Kalibr camera chain beside EuRoC.
    package var writesKalibr = false
    /// EuRoC of an IMU that is slower than it takes.
    package var acceptsSlowMotion = false
    package var jobs = 1
    package var toolVersion = ""

    package init(format: FrameFormat) { self.format = format }
}

extension ExportPlan {
    /// The axes of the export's world: those of the format, or those that were asked for.
    var effectiveWorld: ExportWorld { format.world ?? world }

    /// Which frames are exported: those of the plan that have what the format needs.
    var frames: FrameRule {
        var frames = rule
        frames.needsImage = format.needsImages
        // A picture of the same name would replace the first.
        frames.needsNewNumber = format.needsImages
        frames.needsNewTime = format.goesByTime
        return frames
    }
}

/// Why a session cannot be exported; nothing has been written.
package enum ExportError: Error, Sendable, CustomStringConvertible {
    case missing(format: String, needs: String, found: String)
    case slowMotion(format: String, hertz: Double)
    case noFrame(reasons: String)
    /// The written data does not match the recording.
    case selfTest(pixels: Double, cause: String)
    /// A file that was written is not as the export says.
    case selfTestFile(name: String, expected: String, found: String)

    package var description: String {
        switch self {
        case .missing(let format, let needs, let found): "--to \(format): expected \(needs), found \(found)"
        case .slowMotion(let format, let hertz):
            "--to \(format): expected IMU samples at 50 Hz or more, found \((hertz * 10).rounded() / 10) Hz"
        case .noFrame(let reasons): "export: expected at least one frame, found none: \(reasons)"
        case .selfTest(let pixels, let cause):
            "self-test: expected points within 2 px of where the recording has them, found \(pixels) px: \(cause)"
        case .selfTestFile(let name, let expected, let found):
            "self-test: \(name): expected \(expected), found \(found)"
        }
    }
}
