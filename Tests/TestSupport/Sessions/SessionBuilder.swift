import Codecs
import Glibc
package import Recording
package import SystemPackage

/// Builds tiny sessions in the layout of the recording app, of which every part can then be damaged.
///
/// Made without the product's own generator and reader, from the description of the format.
package struct SessionBuilder {
    /// The three layouts that the app has had.
    package enum Generation: Int, Sendable, CaseIterable {
        case zero, one, two
    }

    package static let name = "session_20260327_142233"
    package static let startSeconds = 1000.0
    package static let imageSize = GridSize(width: 64, height: 48)
    package static let depthSize = GridSize(width: 16, height: 12)

    package let generation: Generation
    /// One for each line of frames.jsonl.
    package var lines: [JSONFieldList]
    /// Appended to the lines as they are.
    package var tail: [UInt8] = []
    /// `nil` for a session without metadata.json.
    package var metadata: JSONFieldList?
    /// Everything else, by its path in the session.
    package var files: [String: [UInt8]] = [:]
    /// Puts the keys of each line in another order.
    package var shufflesKeys = false

    package init(
        frameCount: Int = 4,
        generation: Generation = .two,
        framesPerSecond: Double = 5,
        orientation: (Int) -> ImageOrientation = { _ in .landscapeRight }
    ) throws {
        self.generation = generation
        lines = (0..<frameCount).map { index in
            Self.line(index, generation, framesPerSecond, generation == .two ? orientation(index) : nil)
        }
        metadata = Self.metadata(frameCount, generation, framesPerSecond)
        let depth = Self.depth(metres: (0..<Self.depthSize.count).map { 1 + Float($0) / 100 })
        for index in 0..<frameCount {
            let number = Self.number(index)
            files["rgb/\(number).jpg"] = try Self.jpeg(generation == .two ? orientation(index) : .landscapeRight)
            files["depth/\(number).bin"] = depth
            files["confidence/\(number).bin"] = [UInt8](repeating: 2, count: Self.depthSize.count)
        }
        if generation == .zero { files["imu.csv"] = Array(Self.motionTable(sampleCount: 20).utf8) }
    }

    /// The text of frames.jsonl.
    package var frames: [UInt8] {
        var generator = SeededRandomNumbers(seed: 7)
        var text = ""
        for line in lines { text += (shufflesKeys ? line.shuffled(using: &generator) : line).text + "\n" }
        return Array(text.utf8) + tail
    }

    /// Every file of the session by its path.
    package var contents: [String: [UInt8]] {
        var contents = files
        if contents["frames.jsonl"] == nil { contents["frames.jsonl"] = frames }
        if let metadata, contents["metadata.json"] == nil { contents["metadata.json"] = Array(metadata.text.utf8) }
        return contents
    }

    /// Writes the session as a folder in `parent`, and gives its path.
    @discardableResult
    package func write(into parent: FilePath, as name: String = SessionBuilder.name) throws -> FilePath {
        let root = parent.appending(name)
        for folder in ["rgb", "depth", "confidence"] { try Self.makeFolders(root.appending(folder)) }
        for (path, bytes) in contents {
            let file = root.appending(FilePath(path).components)
            try Self.makeFolders(file.removingLastComponent())
            try Self.write(bytes, to: file)
        }
        return root
    }

    /// Writes a file, in place of one that is there.
    ///
    /// Foundation waits for the disk, which takes longer than most tests.
    package static func write(_ bytes: [UInt8], to path: FilePath) throws {
        let file = try FileDescriptor.open(
            path,
            .writeOnly,
            options: [.create, .truncate],
            permissions: [.ownerReadWrite]
        )
        try file.closeAfter { _ = try file.writeAll(bytes) }
    }

    private static func makeFolders(_ path: FilePath) throws {
        if access(path.string, F_OK) == 0 { return }
        try makeFolders(path.removingLastComponent())
        guard mkdir(path.string, 0o700) == 0 else { throw Errno(rawValue: errno) }
    }

    /// The six digits in a file's name.
    package static func number(_ index: Int) -> String {
        let digits = String(index)
        return String(repeating: "0", count: max(0, 6 - digits.count)) + digits
    }

    /// Little-endian Float32.
    package static func depth(metres: [Float]) -> [UInt8] {
        metres.flatMap { value in (0..<4).map { UInt8(truncatingIfNeeded: value.bitPattern >> (8 * $0)) } }
    }

    /// A picture of the stored size, red from left to right and green from top to bottom.
    package static func jpeg(_ orientation: ImageOrientation) throws -> [UInt8] {
        let isUpright = orientation == .portrait || orientation == .portraitUpsideDown
        return try jpeg(
            width: isUpright ? imageSize.height : imageSize.width,
            height: isUpright ? imageSize.width : imageSize.height
        )
    }

    /// A picture of any size.
    package static func jpeg(width: Int, height: Int) throws -> [UInt8] {
        var pixels: [UInt8] = []
        for y in 0..<height {
            for x in 0..<width { pixels += [UInt8(255 * x / width), UInt8(255 * y / height), 90] }
        }
        return try JPEGEncoder().encode(RGBImage(width: width, height: height, pixels: pixels))
    }
}
