import Codecs
import Platform
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
    /// True if pictures are used that damage reaches.
    let acceptsDamage: Bool
    private let ffmpeg: ExternalProgram
    private let ffprobe: ExternalProgram
    private let source: VideoSource

    /// Looks at the video.
    ///
    /// - Throws: a ``Problem`` where there is no ffmpeg, or the file is no video that it reads.
    init(_ name: String, in files: any SessionFiles, _ options: OpeningOptions = OpeningOptions()) throws(Problem) {
        self.name = name
        acceptsDamage = options.acceptsDamage
        guard let ffmpeg = ExternalProgram(named: "ffmpeg"), let ffprobe = ExternalProgram(named: "ffprobe") else {
            let expected = "ffmpeg and ffprobe to decode it: \(Self.installAdvice)"
            throw Problem(.videoNotRead, file: name, expected: expected, found: "none on PATH")
        }
        (self.ffmpeg, self.ffprobe) = (ffmpeg, ffprobe)
        guard files.size(of: name) ?? 0 > 0 else {
            throw Self.broken(name, files.size(of: name) == nil ? "no regular file" : "an empty file")
        }
        source = try VideoSource(name, in: files, copies: options.copiesVideos)
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
            sampleCount = try Self.packets(ffprobe, source, name: name).count
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

    /// True if players do not show the first sample: its time lies before the beginning that the edit list gives.
    var hidesFirstSample: Bool {
        let options = ["-read_intervals", "%+#1"] + Self.packetsOnly
        let lines = try? Self.lines(ffprobe, source, options, name: name, ignoresEditList: false)
        return lines?.first.flatMap { Self.number($0) }.map { $0 < 0 } ?? false
    }

    /// All samples in the order of the file.
    func packets() throws(Problem) -> [VideoPacket] { try Self.packets(ffprobe, source, name: name) }

    /// The times of the samples that damage reaches; decodes the video once.
    func damagedTimes(of packets: [VideoPacket]) throws(Problem) -> Set<Int64> {
        let arguments =
            inputArguments(["-threads", "1", "-err_detect", "explode"]) + ["-vf", Self.tell, "-f", "null", "-"]
        var decoded: Set<Int64> = []
        do throws(FileError) {
            let program = try RunningProgram(ffmpeg, arguments, input: source.input)
            while let line = program.takeLine(seconds: Self.patienceSeconds) {
                if let time = Self.time(inMessage: line) { decoded.insert(time) }
            }
        } catch {
            throw Self.broken(name, "\(error)")
        }
        return VideoDamage.times(packets, decoded: decoded, isFoundAtOnce: codec == "h264")
    }

    /// The time in what ``tell`` writes of a picture; `nil` for another line.
    static func time(inMessage line: String) -> Int64? {
        guard isMessage(line), let start = line.firstRange(of: "pts:")?.upperBound else { return nil }
        return number(String(line[start...]))
    }

    /// True if ``tell`` wrote the line; what a decoder in another thread complains of may stand before it.
    static func isMessage(_ line: String) -> Bool {
        line.hasPrefix("frame:") || line.contains("]") && line.contains("frame:") && line.contains("pts:")
    }

    /// A filter that writes each picture's time to standard error: one that does not decode must not move those behind it.
    private static let tell = "metadata=mode=add:key=k:value=v,metadata=mode=print:file='pipe\\:2':direct=1"

    private func inputArguments(_ decoding: [String]) -> [String] {
        ["-hide_banner", "-nostdin", "-loglevel", "error", "-copyts"] + decoding + VideoSource.reading
            + ["-noautorotate", "-i", source.argument, "-map", "0:V:0", "-an", "-sn", "-dn"]
    }

    /// How ffmpeg is told to give one picture for each sample, none doubled and none left out; before 5.1 it had another name.
    enum Passthrough: String {
        case current = "fps_mode"
        case old = "vsync"
    }

    /// Starts decoding from the first sample on.
    ///
    /// - Parameter selection: the samples that are written; all of them where it is `nil`.
    func decode(_ passthrough: Passthrough, _ selection: VideoSelection?) throws(Problem) -> RunningProgram {
        // What several threads conceal is not the same each time.
        var arguments = inputArguments(acceptsDamage ? ["-threads", "1"] : [])
        arguments += [
            "-vf", (selection.map { $0.filter + "," } ?? "") + Self.tell, "-s", "\(size.width)x\(size.height)",
            "-pix_fmt", colours.pixelFormat,
        ]
        arguments += ["-\(passthrough.rawValue)", "passthrough", "-f", "rawvideo", "pipe:1"]
        do throws(FileError) {
            return try RunningProgram(ffmpeg, arguments, input: source.input)
        } catch {
            throw Self.broken(name, "\(error)")
        }
    }

    private static let packetsOnly = ["-select_streams", "V:0", "-show_entries", "packet=pts,flags", "-of", "csv=p=0"]

    private static func packets(
        _ ffprobe: ExternalProgram,
        _ source: VideoSource,
        name: String
    ) throws(Problem) -> [VideoPacket] {
        var packets: [VideoPacket] = []
        _ = try lines(ffprobe, source, packetsOnly, name: name) { line in
            if let time = number(line) { packets.append(VideoPacket(time: time, isKey: line.contains(",K"))) }
        }
        return packets
    }

    private static func number(_ line: String) -> Int64? {
        Int64(line.prefix { $0 == "-" || ($0.isASCII && $0.isNumber) })
    }

    /// The lines that ffprobe writes, where no body takes them.
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

/// A picture of a video as it is stored.
struct VideoPacket: Hashable, Sendable {
    /// When it is shown.
    var time: Int64
    /// True if it needs no picture before it.
    var isKey: Bool
}

/// The times of the pictures that damage of a video reaches: those that do not decode, and those that are made from them.
///
/// ffmpeg conceals what does not decode, and makes all that follows from it, up to the next key picture.
enum VideoDamage {
    /// - Parameters:
    ///   - packets: in the order of the file, in which they are decoded.
    ///   - decoded: the times of those that decode without any damage.
    ///   - isFoundAtOnce: whether the decoder finds damage in the picture in which it begins; where not, the one before may
    ///     be damaged too.
    static func times(_ packets: [VideoPacket], decoded: Set<Int64>, isFoundAtOnce: Bool) -> Set<Int64> {
        var times: Set<Int64> = []
        var isReached = false
        for (place, packet) in packets.enumerated() {
            if packet.isKey { isReached = false }
            if !decoded.contains(packet.time) { isReached = true }
            if !isFoundAtOnce, place + 1 < packets.count, !decoded.contains(packets[place + 1].time) {
                isReached = true
            }
            if isReached { times.insert(packet.time) }
        }
        return times
    }
}
