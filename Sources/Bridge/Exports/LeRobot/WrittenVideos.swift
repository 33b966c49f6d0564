import Platform
import Recording
import SystemPackage

/// What was given to the encoders of an episode, to be compared with what its videos give back.
struct WrittenVideos {
    /// A picture is as it should be if its brightness is right to this (PSNR in dB); the encoder's setting gives 35 and more.
    ///
    /// Colours have half of the resolution, and say nothing where pixels differ from their neighbours.
    private static let leastDecibels = 24.0
    private static let seconds = 60.0

    /// A hash of all depth codes, in their order.
    private var depthHash = FNV1a()
    /// The first picture and the latest of which the number is a power of two.
    private var pictures: [Int: [UInt8]] = [:]

    mutating func add(depth: [UInt8]) { depthHash.add(depth) }

    mutating func add(picture: [UInt8], number: Int) {
        guard number & (number - 1) == 0 else { return }
        if number > 1 { pictures[number / 2] = nil }
        pictures[number] = picture
    }

    /// Decodes the videos: all depth codes must come back, all pictures must be there, and those that were kept look alike.
    func check(_ videos: [VideoWriter], _ ffmpeg: ExternalProgram, _ features: LeRobotFeatures, rows: Int) throws {
        if let size = features.image, let video = videos.first {
            var number = 0
            try Self.decode(ffmpeg, video.path, "rgb24", byteCount: 3 * size.count) { found in
                if let picture = pictures[number] {
                    let decibels = Self.decibels(picture, found)
                    guard decibels >= Self.leastDecibels else {
                        throw LeRobotError.readBack(
                            file: "\(video.path)",
                            expected: "picture \(number) at \(Int(Self.leastDecibels)) dB or more",
                            found: "\(Int(decibels)) dB"
                        )
                    }
                }
                number += 1
            }
            try require(video.path, "\(rows) pictures", rows == number, "\(number)")
        }
        if let size = features.depth, let video = videos.last {
            var (number, hash) = (0, FNV1a())
            try Self.decode(ffmpeg, video.path, "gray12le", byteCount: 2 * size.count) { found in
                hash.add(found)
                number += 1
            }
            try require(video.path, "\(rows) pictures", rows == number, "\(number)")
            try require(video.path, "the depth codes that were written", hash.value == depthHash.value, "others")
        }
    }

    private func require(_ path: FilePath, _ expected: String, _ holds: Bool, _ found: String) throws {
        guard !holds else { return }
        throw LeRobotError.readBack(file: "\(path)", expected: expected, found: found)
    }

    private static func decode(
        _ ffmpeg: ExternalProgram,
        _ path: FilePath,
        _ format: String,
        byteCount: Int,
        _ body: ([UInt8]) throws -> Void
    ) throws {
        let arguments = [
            "-nostdin", "-v", "error", "-i", "file:\(path)", "-f", "rawvideo", "-pix_fmt", format, "pipe:1",
        ]
        let program = try RunningProgram(ffmpeg, arguments)
        var picture = [UInt8](repeating: 0, count: byteCount)
        while true {
            let result = picture.withUnsafeMutableBytes { bytes in
                Result { () throws(FileError) in try program.fill(bytes, seconds: seconds) }
            }
            guard try result.get() == byteCount else { break }
            try body(picture)
        }
        _ = program.finish(seconds: seconds)
    }

    /// The peak signal-to-noise ratio of the brightness of two pictures.
    private static func decibels(_ one: [UInt8], _ other: [UInt8]) -> Double {
        var squares = 0
        let (one, other) = (brightness(one), brightness(other))
        for (a, b) in zip(one, other) {
            let difference = Int(a) - Int(b)
            squares += difference * difference
        }
        guard squares > 0 else { return .infinity }
        return 10 * naturalLogarithm(255 * 255 * Double(one.count) / Double(squares)) / naturalLogarithm(10)
    }

    private static func brightness(_ pixels: [UInt8]) -> [UInt8] {
        GrayImage(RGBImage(width: pixels.count / 3, height: 1, pixels: pixels)).pixels
    }

    /// Counts the pictures of a video without decoding them.
    static func requirePictures(_ count: Int, in path: FilePath) throws {
        guard let ffprobe = ExternalProgram(named: "ffprobe") else {
            throw LeRobotError.missingProgram(name: "ffprobe")
        }
        let outcome = try ffprobe.run(
            ["-v", "error", "-select_streams", "v:0", "-count_packets", "-show_entries", "stream=nb_read_packets"]
                + ["-of", "csv=p=0", "file:\(path)"],
            seconds: seconds
        )
        let found = outcome.output.split(whereSeparator: \.isNewline).joined(separator: "; ")
        guard outcome.status == 0, Int(found) == count else {
            throw LeRobotReading.unlike(path, "pictures", "\(count)", found.isEmpty ? "none" : "\(found.prefix(200))")
        }
    }
}
