package import Recording

/// What a recording calls its frames and their values: problems name the place in its own words.
package struct FrameNames: Sendable {
    /// The file that all frames are listed in, or the pattern of their files where each has its own.
    package var file: String
    package var time = "timestamp"
    package var transform = "camera_transform"
    package var intrinsics = "camera_intrinsics"
    package var tracking = "tracking_state"
    package var orientation = "device_orientation"
    package var depthSize = "depth_resolution"
    /// The file of a frame where each has its own.
    package var ownFile: (@Sendable (FrameReference) -> String)?

    package init(file: String) {
        self.file = file
    }

    /// The file and the line that say what is known of a frame.
    package func place(of frame: FrameReference) -> (file: String, line: Int?) {
        if let ownFile { return (ownFile(frame), nil) }
        return (file, frame.line)
    }

    /// `line 12`, or the frame's own file.
    package func text(_ frame: FrameReference) -> String { ownFile.map { $0(frame) } ?? "line \(frame.line)" }

    /// Something wrong with a frame, at its place.
    package func problem(
        _ kind: ProblemKind,
        _ frame: FrameReference,
        _ field: KeyPath<FrameNames, String>? = nil,
        expected: String,
        found: String
    ) -> Problem {
        let (file, line) = place(of: frame)
        let key = field.map { self[keyPath: $0] }
        return Problem(kind, file: file, line: line, field: key, expected: expected, found: found)
    }
}
