import Codecs
import Recording

extension RecordingFormat {
    /// The raw data export of Polycam.
    static let polycam = RecordingFormat(
        PolycamSession.formatName,
        recognises: PolycamSession.recognises,
        open: PolycamSession.open
    )
}

/// Reads Polycam's raw data: a JSON file for each key frame, named by its time in microseconds, with picture, depth and
/// confidence of the same name.
///
/// Raw poses, cameras and pictures are read, never the corrected ones: the depth belongs to the raw pictures.
enum PolycamSession {
    static let formatName = "Polycam"

    /// At least one of a few cameras has a pose and a focal length.
    @Sendable static func recognises(_ files: any SessionFiles) -> Bool {
        var candidates: [Int] = []
        files.forEachName(inFolder: PolycamFiles.cameras) { name in
            if let number = PolycamFiles.number(ofCamera: name) { candidates.append(number) }
            return candidates.count < 64
        }
        return candidates.sorted().prefix(8).contains { number in
            guard let bytes = try? PolycamFiles.cameraText(number, files) else { return false }
            let text = String(decoding: bytes, as: UTF8.self)
            return text.contains("\"\(PolycamCamera.poseKeys[0])\"")
                && text.contains("\"\(PolycamCamera.pinholeKeys[0])\"")
        }
    }

    @Sendable static func open(_ files: any SessionFiles, path: String) throws -> any Session {
        let numbers = PolycamFiles.cameraNumbers(files)
        var reading = PolycamReading(files, numbers)
        // Only where tracking was lost are the small files read a second time.
        if reading.segments.count > 1 { reading = reading.ofLargestSegment() }
        return try FrameListSession(files, path: path, list: reading.list, recipe: recipe) { summary, _ in
            summary.takeDate(inNameOf: files, "the folder's name")
        }
    }

    private static let recipe = PayloadRecipe(
        imageNames: { [PolycamFiles.image($0.index)] },
        imagePromise: .each,
        depth: .init(
            names: { ["keyframes/depth/\($0.index).png"] },
            decode: DepthFiles.millimetrePNG,
            promise: .allOrNone
        ),
        confidence: .init(names: { ["keyframes/confidence/\($0.index).png"] }, decode: confidence, promise: .allOrNone),
        numberedFiles: [
            ("keyframes/images/", ".jpg"), ("keyframes/depth/", ".png"), ("keyframes/confidence/", ".png"),
        ],
        listFile: PolycamFiles.camera
    )

    /// The levels are documented as 0, 127 and 255, and are 0, 54 and 255 in files: told apart by thresholds.
    @Sendable private static func confidence(_ bytes: [UInt8]) throws(CodecError) -> GrayImage {
        var grid = try DepthFiles.grayPNG(bytes)
        grid.pixels.withUnsafeMutableBufferPointer { pixels in
            for place in pixels.indices { pixels[place] = min(pixels[place], 1) + (pixels[place] > 200 ? 1 : 0) }
        }
        return grid
    }
}

/// Where the files of Polycam's key frames are.
enum PolycamFiles {
    static let cameras = "keyframes/cameras"
    private static let maximumCameraBytes = 1 << 20

    @Sendable static func camera(_ number: Int) -> String { "\(cameras)/\(number).json" }

    static func image(_ number: Int) -> String { "keyframes/images/\(number).jpg" }

    static func cameraText(_ number: Int, _ files: any SessionFiles) throws(Problem) -> [UInt8] {
        try files.readText(camera(number), maximumBytes: maximumCameraBytes)
    }

    /// The number of a name that is nothing but digits, without zeros before them.
    static func number(ofCamera name: String) -> Int? {
        NumberedFile.number(of: name, "", ".json").flatMap { name == "\($0).json" ? $0 : nil }
    }

    /// Sorted.
    static func cameraNumbers(_ files: any SessionFiles) -> [Int] {
        var numbers: [Int] = []
        files.forEachName(inFolder: cameras) { name in
            if let number = number(ofCamera: name) { numbers.append(number) }
            return true
        }
        return numbers.sorted()
    }
}
