import Platform
import Recording
import SystemPackage

/// One video of an episode, encoded by the system's ffmpeg while its pictures are written.
///
/// Every step is a picture, at `step / rate` from the start of the file; each second one is a key picture, as in LeRobot's own
/// videos, so that a picture by itself is decoded soon. The same pictures give the same bytes: encoders have a fixed number of
/// threads, and say nothing of themselves or the machine in the file.
final class VideoWriter {
    enum Form: Hashable {
        /// RGB of 8 bits as H.264, 4:2:0.
        case colour(GridSize)
        /// ``DepthCodes`` as lossless HEVC of 12 bits, grey.
        case depth(GridSize)
    }

    static let keyPictureDistance = 2
    static let rateFactor = 16
    static let preset = "veryfast"
    /// A picture is refused after this; encoders need milliseconds.
    private static let seconds = 60.0

    let path: FilePath
    private let program: FedProgram
    private(set) var pictureCount = 0

    init(_ ffmpeg: ExternalProgram, _ form: Form, framesPerSecond: Int, creating path: FilePath) throws(FileError) {
        self.path = path
        let size: GridSize
        let (format, encoder): (String, [String])
        switch form {
        case .colour(let pixels): (size, format, encoder) = (pixels, "rgb24", Self.colourEncoder)
        case .depth(let pixels): (size, format, encoder) = (pixels, "gray12le", Self.depthEncoder)
        }
        program = try FedProgram(
            ffmpeg,
            ["-v", "error", "-f", "rawvideo", "-pix_fmt", format, "-s", "\(size.width)x\(size.height)"]
                + ["-framerate", "\(framesPerSecond)", "-i", "pipe:0"] + encoder
                + ["-g", "\(Self.keyPictureDistance)", "-bf", "0", "-map_metadata", "-1", "-fflags", "+bitexact"]
                + ["-flags:v", "+bitexact", "-movflags", "+faststart", "-f", "mp4", "file:\(path)"]
        )
    }

    private static let colourEncoder = [
        "-c:v", "libx264", "-preset", preset, "-crf", "\(rateFactor)", "-threads", "2", "-pix_fmt", "yuv420p",
    ]
    private static let depthEncoder = [
        "-c:v", "libx265", "-preset", "ultrafast", "-x265-params",
        "lossless=1:info=0:frame-threads=1:log-level=error:keyint=\(keyPictureDistance)", "-pix_fmt", "gray12le",
        "-tag:v",
        "hvc1",
    ]

    /// Makes sure that an ffmpeg has an encoder, before anything is written.
    ///
    /// - Throws: a ``LeRobotError`` with what ffmpeg said.
    static func examine(_ ffmpeg: ExternalProgram, depth: Bool) throws {
        let source = ["-v", "error", "-f", "lavfi", "-i", "color=gray:s=64x64:d=0.1"]
        let outcome = try ffmpeg.run(
            source + (depth ? depthEncoder : colourEncoder) + ["-f", "null", "-"],
            seconds: seconds
        )
        guard outcome.status != 0 else { return }
        let what = depth ? "an encoder for 12-bit HEVC (libx265)" : "an encoder for H.264 (libx264)"
        throw LeRobotError.encoder(what: what, found: outcome.description)
    }

    /// - Parameter picture: rows without padding.
    func append(_ picture: [UInt8]) throws {
        do {
            try picture.withUnsafeBytes { try program.write($0, seconds: Self.seconds) }
        } catch let error as FileError where error.errno == .brokenPipe {
            throw try failure("to take all pictures", program.finish(seconds: 5).description)
        }
        pictureCount += 1
    }

    func finish() throws {
        let outcome = try program.finish(seconds: Self.seconds)
        guard outcome.status == 0 else {
            throw try failure("to write \(path)", outcome.description)
        }
    }

    /// - Throws: what the system says, where it is the disk that failed.
    private func failure(_ what: String, _ found: String) throws -> LeRobotError {
        try NamelessFile.probe(path.removingLastComponent())
        return LeRobotError.encoder(what: what, found: found)
    }
}
