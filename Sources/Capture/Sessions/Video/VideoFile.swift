import Codecs
import Files
import Recording
import SystemPackage

/// A video beside a recording, read by the system's `ffprobe` and `ffmpeg`: what it holds, without decoding it.
final class VideoFile: Sendable {
    static let quality = 90
    /// A program that gives nothing for so long hangs.
    static let patienceSeconds = 60.0
    static let installAdvice = "install it (apt install ffmpeg)"

    /// Relative to the session, as problems name it.
    let name: String
    let size: GridSize
    let codec: String
    let colours: VideoColours
    /// Samples that the file lists, those that its edit list hides included.
    let sampleCount: Int
    private let ffmpeg: ExternalProgram
    private let ffprobe: ExternalProgram
    private let source: VideoSource

    /// Looks at the video.
    ///
    /// - Throws: a ``Problem`` where there is no ffmpeg, or the file is no video that it reads.
    init(_ name: String, in files: any SessionFiles) throws(Problem) {
        self.name = name
        guard let ffmpeg = ExternalProgram(named: "ffmpeg"), let ffprobe = ExternalProgram(named: "ffprobe") else {
            throw Problem(
                .videoNotRead,
                file: name,
                expected: "ffmpeg and ffprobe to decode it: \(Self.installAdvice)",
                found: "none on PATH"
            )
        }
        (self.ffmpeg, self.ffprobe) = (ffmpeg, ffprobe)
        guard files.size(of: name) ?? 0 > 0 else {
            throw Self.broken(name, files.size(of: name) == nil ? "no regular file" : "an empty file")
        }
        source = try VideoSource(name, in: files)
        let fields = "width,height,pix_fmt,color_range,color_space,codec_name,nb_frames"
        let text = try Self.lines(
            ffprobe,
            source,
            ["-select_streams", "V:0", "-show_entries", "stream=\(fields)", "-of", "default=noprint_wrappers=1"],
            name: name
        )
        var values: [Substring: String] = [:]
        for line in text {
            let parts = line.split(separator: "=", maxSplits: 1)
            if parts.count == 2 { values[parts[0]] = String(parts[1]) }
        }
        guard let width = values["width"].flatMap({ Int($0) }), let height = values["height"].flatMap({ Int($0) })
        else {
            throw Self.broken(name, "no picture track")
        }
        let limits = JPEGDecoder.Limits()
        guard width > 0, height > 0, max(width, height) <= limits.maximumSide, width * height <= limits.maximumPixels
        else { throw Self.broken(name, "pictures of \(width)x\(height)") }
        size = GridSize(width: width, height: height)
        codec = values["codec_name"] ?? "unknown codec"
        colours = VideoColours(
            pixelFormat: values["pix_fmt"] ?? "",
            range: values["color_range"] ?? "",
            matrix: values["color_space"] ?? ""
        )
        if let count = values["nb_frames"].flatMap({ Int($0) }), count > 0 {
            sampleCount = count
        } else {
            sampleCount = try Self.times(ffprobe, source, name: name).count
        }
        guard sampleCount > 0 else { throw Self.broken(name, "no picture") }
    }

    /// For the summary and for what is made of the pictures.
    var text: String {
        "video \(name) (\(codec), \(size.width)x\(size.height)), re-encoded as JPEG, quality \(Self.quality)"
    }

    static func broken(_ name: String, _ found: String) -> Problem {
        Problem(.brokenVideo, file: name, expected: "a video that ffmpeg decodes", found: found)
    }

    /// Whether players do not show the first sample: its time lies before the beginning that the edit list gives.
    var hidesFirstSample: Bool {
        let options = ["-read_intervals", "%+#1"] + Self.timesOnly
        let lines = try? Self.lines(ffprobe, source, options, name: name, ignoresEditList: false)
        return lines?.first.flatMap { Self.number($0) }.map { $0 < 0 } ?? false
    }

    /// The times of all samples in the order in which they are shown.
    func times() throws(Problem) -> [Int64] { try Self.times(ffprobe, source, name: name) }

    /// How ffmpeg is told to give one picture for each sample, none doubled and none left out; before 5.1 it had another name.
    enum Passthrough: String {
        case current = "fps_mode"
        case old = "vsync"
    }

    /// Starts decoding from the first sample on.
    ///
    /// - Parameter selection: the samples that are written; all of them where it is `nil`.
    func decode(_ passthrough: Passthrough, _ selection: VideoSelection?) throws(Problem) -> RunningProgram {
        var arguments = ["-hide_banner", "-nostdin", "-loglevel", "error", "-copyts"] + VideoSource.reading
        arguments += ["-noautorotate", "-i", source.argument, "-map", "0:V:0", "-an", "-sn", "-dn"]
        // Each picture's time comes on standard error: one that does not decode must not move those behind it.
        let tell = "metadata=mode=add:key=k:value=v,metadata=mode=print:file='pipe\\:2':direct=1"
        arguments += [
            "-vf", (selection.map { $0.filter + "," } ?? "") + tell, "-s", "\(size.width)x\(size.height)", "-pix_fmt",
            colours.pixelFormat,
        ]
        arguments += ["-\(passthrough.rawValue)", "passthrough", "-f", "rawvideo", "pipe:1"]
        do throws(FileError) {
            return try RunningProgram(ffmpeg, arguments, input: source.input)
        } catch {
            throw Self.broken(name, "\(error)")
        }
    }

    private static let timesOnly = ["-select_streams", "V:0", "-show_entries", "packet=pts", "-of", "csv=p=0"]

    private static func times(
        _ ffprobe: ExternalProgram,
        _ source: VideoSource,
        name: String
    ) throws(Problem) -> [Int64] {
        var times: [Int64] = []
        _ = try lines(ffprobe, source, timesOnly, name: name) { line in
            if let time = number(line) { times.append(time) }
        }
        return times.sorted()
    }

    private static func number(_ line: String) -> Int64? {
        Int64(line.prefix { $0 == "-" || ($0.isASCII && $0.isNumber) })
    }

    /// What ffprobe writes, as far as no body takes it.
    ///
    /// - Throws: a ``Problem`` with the first line of its complaints, where it fails.
    private static func lines(
        _ ffprobe: ExternalProgram,
        _ source: VideoSource,
        _ options: [String],
        name: String,
        ignoresEditList: Bool = true,
        _ body: ((String) -> Void)? = nil
    ) throws(Problem) -> [String] {
        let reading = ignoresEditList ? VideoSource.reading : VideoSource.restricted
        var kept: [String] = []
        let program: RunningProgram
        do throws(FileError) {
            let arguments = ["-v", "error"] + reading + options + [source.argument]
            program = try RunningProgram(ffprobe, arguments, input: source.input)
            try program.forEachLine(seconds: patienceSeconds) { line in
                if let body { body(line) } else if kept.count < 256 { kept.append(line) }
            }
        } catch {
            throw broken(
                name,
                error.errno == .timedOut ? "ffprobe that gave nothing for \(Int(patienceSeconds)) s" : "\(error)"
            )
        }
        let outcome = program.finish(seconds: 5)
        if outcome?.status == 0 { return kept }
        let complaint = program.takeLine().map { VideoMessage.plain($0) }
        throw broken(name, complaint ?? "ffprobe: \(outcome?.description ?? "it does not end")")
    }
}
