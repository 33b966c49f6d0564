import Platform
package import Recording

/// Which recording it is, by the poses that its phone recorded: the same after a copy, in an archive, under another name and
/// with any options, another for any other recording.
package struct RecordingFingerprint: Hashable, Sendable, CustomStringConvertible {
    private var hash = FNV1a()

    package init() {}

    /// Adds the next frame of all that there are.
    ///
    /// Its time does not count, as some recordings have none of their own.
    package mutating func add(_ frame: FrameReference) {
        let pose = frame.uncorrectedWorldFromCamera ?? frame.worldFromCamera
        let (place, turn) = (pose.translation, pose.rotation)
        for value in [place.x, place.y, place.z, turn.x, turn.y, turn.z, turn.w, frame.intrinsics.fx] {
            withUnsafeBytes(of: value.bitPattern.littleEndian) { hash.add($0) }
        }
    }

    /// Reads all frames of a session.
    package init(of session: any Session) throws {
        let walk = try FrameWalk(session, RecordRequest(streams: [.frames], resolvesPayloads: false), .everything)
        while let walked = try walk.nextFrame(takesPicture: false) { add(walked.frame) }
    }

    /// Sixteen hexadecimal digits.
    package var description: String {
        let digits = String(hash.value, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}

/// What a file of poses that we write says of itself, in a comment: of which recording it is, and what its times and axes are.
package struct PoseFileOrigin: Hashable, Sendable {
    private static let start = "# poses of recording "

    package var recording: String
    /// Unix time of the file's timestamps minus capture time.
    package var epochOffsetNanoseconds: Int64
    /// The world's axes, as `export --world` names them.
    package var axes: String

    package init(recording: RecordingFingerprint, epochOffsetNanoseconds: Int64, axes: String) {
        (self.recording, self.epochOffsetNanoseconds, self.axes) = ("\(recording)", epochOffsetNanoseconds, axes)
    }

    package var line: String {
        "\(Self.start)\(recording), capture time is \(epochOffsetNanoseconds) ns before the timestamps, \(axes) axes"
    }

    /// `nil` for another comment.
    init?(line: String) {
        guard line.hasPrefix(Self.start) else { return nil }
        let words = line.dropFirst(Self.start.count).split(separator: " ")
        guard words.count == 11, words[0].count == 17, let offset = Int64(words[4]) else { return nil }
        (recording, epochOffsetNanoseconds, axes) = (String(words[0].dropLast()), offset, String(words[9]))
    }
}
