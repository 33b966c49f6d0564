import Foundation
import Platform
import Sessions
import SystemPackage
import TestSupport
import Testing

/// Small videos whose pictures carry their number: eight bars, bright for the bits that are set.
enum NumberedVideo {
    static let ffmpeg = ExternalProgram(named: "ffmpeg")
    static let isAvailable = ffmpeg != nil || PeerPython.isRequired
    static let absence: Comment = "needs ffmpeg, which tools/test installs"

    enum Coding: String, CaseIterable, Sendable {
        case hevc = "libx265"
        case h264 = "libx264"

        var options: [String] {
            switch self {
            case .hevc:
                ["-preset", "ultrafast", "-x265-params", "log-level=error:bframes=0:keyint=5:info=0", "-tag:v", "hvc1"]
            case .h264: ["-preset", "ultrafast", "-bf", "0", "-g", "5"]
            }
        }
    }

    static let size = (width: 320, height: 240)

    /// - Parameters:
    ///   - hidesFirst: whether the first sample has a time before the beginning, so that an edit list hides it.
    ///   - more: options of the muxer.
    static func make(
        _ numbers: Range<Int>,
        _ coding: Coding = .h264,
        hidesFirst: Bool = false,
        size: (width: Int, height: Int) = size,
        more: [String] = []
    ) throws -> [UInt8] {
        let directory = try TemporaryDirectory()
        var raw: [UInt8] = []
        for number in numbers {
            var picture = [UInt8](repeating: 60, count: size.width * size.height)
            for y in size.height / 4..<size.height * 3 / 4 {
                for x in 0..<size.width {
                    picture[y * size.width + x] = number >> (x * 8 / size.width) & 1 == 1 ? 200 : 30
                }
            }
            let chroma = ((size.width + 1) / 2) * ((size.height + 1) / 2)
            raw += picture + [UInt8](repeating: 90, count: chroma) + [UInt8](repeating: 160, count: chroma)
        }
        try SessionBuilder.write(raw, to: directory.appending("raw"))
        let (coded, shifted) = (directory.appending("coded.mp4"), directory.appending("shifted.mp4"))
        try run(
            ["-f", "rawvideo", "-pix_fmt", "yuv420p", "-s", "\(size.width)x\(size.height)", "-r", "60"]
                + ["-i", directory.appending("raw").string, "-c:v", coding.rawValue] + coding.options + more + [
                    coded.string
                ]
        )
        guard hidesFirst else { return try bytes(coded) }
        try run(["-itsoffset", "-0.0166666", "-i", coded.string, "-c", "copy", shifted.string])
        // The edit list is there: who honours it sees one picture less.
        try #require(pictures(in: shifted, ["-ignore_editlist", "1"]).count == numbers.count)
        try #require(pictures(in: shifted, []).count == numbers.count - 1)
        return try bytes(shifted)
    }

    /// The numbers in a video as ffmpeg itself decodes it, to grey pictures in a file.
    static func pictures(in video: FilePath, _ options: [String]) throws -> [Int] {
        let directory = try TemporaryDirectory()
        let raw = directory.appending("gray")
        try run(options + ["-i", video.string, "-vf", "scale=64:48", "-pix_fmt", "gray", "-f", "rawvideo", raw.string])
        let all = try bytes(raw)
        return stride(from: 0, to: all.count, by: 64 * 48).map { start in
            (0..<8).reduce(0) { $0 | (all[start + 24 * 64 + $1 * 8 + 4] > 115 ? 1 << $1 : 0) }
        }
    }

    /// Where the bytes of a sample are.
    static func place(ofSample number: Int, in video: [UInt8]) throws -> Range<Int> {
        let directory = try TemporaryDirectory()
        let file = directory.appending("v.mp4")
        try SessionBuilder.write(video, to: file)
        let options = ["-v", "error", "-show_entries", "packet=pos,size", "-of", "csv=p=0"]
        let outcome = try #require(ExternalProgram(named: "ffprobe")).run(options + [file.string], seconds: 60)
        let lines = outcome.output.split(whereSeparator: \.isNewline)
        let numbers = try #require(lines.dropFirst(number).first).split(separator: ",").compactMap { Int($0) }
        try #require(numbers.count == 2, "\(outcome)")
        return numbers[1]..<(numbers[0] + numbers[1])
    }

    static func bytes(_ path: FilePath) throws -> [UInt8] {
        Array(try Data(contentsOf: URL(fileURLWithPath: path.string)))
    }

    static func run(_ arguments: [String]) throws {
        let common = ["-hide_banner", "-loglevel", "error", "-nostdin", "-y"]
        let outcome = try #require(ffmpeg).run(common + arguments, seconds: 120)
        try #require(outcome.status == 0, "\(outcome)")
    }
}
