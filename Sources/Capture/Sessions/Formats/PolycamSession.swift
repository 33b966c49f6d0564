import Codecs
import Recording

/// Reads the raw data export of Polycam: a JSON file for each key frame, named by its time in microseconds, with picture,
/// depth and confidence of the same name.
///
/// Raw poses, cameras and pictures are read, never the corrected ones: the depth belongs to the raw pictures.
enum PolycamSession {
    static let format = RecordingFormat(name: formatName, recognises: recognises, open: open)
    fileprivate static let formatName = "Polycam"
    private static let cameras = "keyframes/cameras"

    @Sendable fileprivate static func camera(_ number: Int) -> String { "\(cameras)/\(number).json" }

    fileprivate static func image(_ number: Int) -> String { "keyframes/images/\(number).jpg" }

    fileprivate static func cameraText(_ number: Int, _ files: any SessionFiles) throws(Problem) -> [UInt8] {
        try files.readText(camera(number), maximumBytes: 1 << 20)
    }

    /// The numbers of the cameras, sorted: names that are nothing but digits, without zeros before them.
    private static func numbers(_ files: any SessionFiles, limit: Int = .max) -> [Int] {
        files.names(inFolder: cameras, limit: limit) { name in
            NumberedFile.number(of: name, "", ".json").flatMap { name == "\($0).json" ? $0 : nil }
        }.sorted()
    }

    /// At least one of a few cameras has a pose and a focal length.
    @Sendable private static func recognises(_ files: any SessionFiles) -> Bool {
        numbers(files, limit: 64).prefix(8).contains { number in
            guard let bytes = try? cameraText(number, files) else { return false }
            let text = String(decoding: bytes, as: UTF8.self)
            return [PolycamCamera.poseKeys[0], PolycamCamera.pinholeKeys[0]].allSatisfy { text.contains("\"\($0)\"") }
        }
    }

    private static let open: RecordingFormat.Opening = { files, path, _ in
        var reading = PolycamReading(files, numbers(files))
        if reading.segments.count > 1 { reading = reading.ofLargestSegment() }
        return try FrameListSession(files, path: path, list: reading.list, recipe: recipe) { summary, _ in
            summary.takeDate(inNameOf: files, "the folder's name")
        }
    }

    private static let recipe = PayloadRecipe(
        imageNames: { [image($0.index)] },
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
        listFile: camera
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

/// One pass over the cameras of a Polycam recording.
private struct PolycamReading {
    private(set) var list: FrameList
    /// How many frames each stretch of unbroken tracking has.
    private(set) var segments: [Int?: Int] = [:]
    private let files: any SessionFiles
    private let numbers: [Int]
    /// The size of the first picture that reads, which all of a recording have; looked for once.
    private lazy var pictureSize: GridSize? =
        numbers.lazy.compactMap { [files] in files.pictureSize(PolycamSession.image($0)) }.first

    /// The time inside of a file may differ by so much from the one in its name.
    private static let toleranceMicroseconds = 1000
    /// As far as nanoseconds go.
    private static let maximumMicroseconds = 9_200_000_000_000_000

    /// - Parameters:
    ///   - numbers: those of the cameras' files, sorted.
    ///   - segment: the one whose frames are taken, which may be the one without a number; `nil` for all.
    init(_ files: any SessionFiles, _ numbers: [Int], only segment: Int?? = nil) {
        self.files = files
        self.numbers = numbers
        let format = PolycamSession.formatName
        var summary = SessionSummary(name: files.name, format: format, frameFile: PolycamCamera.table.file)
        summary.frameNames.time = PolycamCamera.timeKey.description
        summary.frameNames.transform = PolycamCamera.poseKeys[0].description
        summary.frameNames.intrinsics = PolycamCamera.pinholeKeys[0].description
        summary.frameNames.ownFile = { PolycamSession.camera($0.index) }
        list = FrameList(summary)
        for number in numbers {
            list.countLine()
            do throws(Problem) {
                try add(number, only: segment)
            } catch {
                list.record(error)
            }
        }
    }

    /// The same with the frames of the segment that has most; of equally long ones the first.
    func ofLargestSegment() -> PolycamReading {
        let sorted = segments.sorted { one, other in
            (other.value, one.key ?? -1) < (one.value, other.key ?? -1)
        }
        guard let largest = sorted.first else { return self }
        func text(_ segment: Int?) -> String { segment.map { "\($0)" } ?? "none" }
        var reading = PolycamReading(files, numbers, only: .some(largest.key))
        for (segment, count) in sorted.dropFirst() {
            let problem = Problem(
                .otherWorld,
                file: PolycamCamera.table.file,
                field: PolycamCamera.segmentKey.description,
                expected: "\(text(largest.key)), as \(largest.value) frames have",
                found: "\(text(segment)) in \(count) frames"
            )
            reading.list.record(problem, count: count)
        }
        return reading
    }

    private mutating func add(_ number: Int, only segment: Int??) throws(Problem) {
        let file = PolycamSession.camera(number)
        let (camera, odd) = try PolycamCamera.table.read(PolycamSession.cameraText(number, files), of: file)
        guard number <= Self.maximumMicroseconds else {
            throw Problem(.badField, file: file, expected: "a name of microseconds up to 9.2e15", found: "\(number)")
        }
        let tolerated = number - Self.toleranceMicroseconds...number + Self.toleranceMicroseconds
        if let own = camera.microseconds, !tolerated.contains(own) {
            let (field, expected) = (PolycamCamera.timeKey.description, "\(number), as in its name")
            throw Problem(.badField, file: file, field: field, expected: expected, found: "\(own)")
        }
        let frame = FrameReference(
            index: number,
            line: list.lineCount,
            time: Timestamp(nanoseconds: Int64(number) * 1000),
            worldFromCamera: try camera.worldFromCamera(file: file),
            intrinsics: try camera.intrinsics(file: file) { pictureSize },
            tracking: .unknown
        )
        for problem in odd { list.note(problem) }
        segments[camera.segment, default: 0] += 1
        if segment.map({ $0 == camera.segment }) ?? true { list.add(frame) }
    }
}

/// A keyframes/cameras/N.json of Polycam: pose and camera of a key frame, and the stretch of unbroken tracking that it is of.
private struct PolycamCamera: Sendable {
    private(set) var microseconds: Int?
    /// Poses of two stretches do not share a world; `nil` where the app does not say it.
    private(set) var segment: Int?
    /// World from camera by rows.
    private var rows: [Double] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]
    /// fx, fy, cx, cy.
    private var pinhole: [Double] = [0, 0, 0, 0]
    private var width: Int?
    private var height: Int?

    static let poseKeys: [StaticString] = [
        "t_00", "t_01", "t_02", "t_03", "t_10", "t_11", "t_12", "t_13", "t_20", "t_21", "t_22", "t_23",
    ]
    static let pinholeKeys: [StaticString] = ["fx", "fy", "cx", "cy"]
    static let timeKey: StaticString = "timestamp"
    static let segmentKey: StaticString = "tracking_segment"

    static let table = StreamTable(
        file: "keyframes/cameras/N.json",
        blank: PolycamCamera(),
        missing: .missingField,
        bad: .badField,
        poseKeys.enumerated().map { place, key in
            .required(key, .number) { (camera: inout PolycamCamera, value) in camera.rows[place] = value }
        }
            + pinholeKeys.enumerated().map { place, key in
                .required(key, .number) { (camera: inout PolycamCamera, value) in camera.pinhole[place] = value }
            }
            + [
                .optional("width", .side) { $0.width = $1 },
                .optional("height", .side) { $0.height = $1 },
                .optional(timeKey, .wholeNumber) { $0.microseconds = $1 },
                .optional(segmentKey, .wholeNumber) { $0.segment = $1 },
            ]
    )

    /// World from camera, in ARKit's own axes.
    func worldFromCamera(file: String) throws(Problem) -> Transform {
        try Problem.at(file, Self.poseKeys[0].description) { () throws(Problem) in
            try Transform(recordedByRows: rows, expected: "t_00 to t_23, three rows of a rigid motion")
        }
    }

    /// The camera of an image of the size that the file says, or of the picture's.
    ///
    /// - Parameter picture: tells the size of the recording's pictures; `nil` where none reads.
    func intrinsics(file: String, picture: () -> GridSize?) throws(Problem) -> CameraIntrinsics {
        guard let size = GridSize(width: width, height: height) ?? picture() else {
            let expected = "the size of the image that fx, fy, cx and cy are of, or a picture that shows it"
            let field = width == nil ? "width" : "height"
            throw Problem(.badIntrinsics, file: file, field: field, expected: expected, found: "neither")
        }
        return try Problem.at(file, "fx") { () throws(Problem) in
            try CameraIntrinsics(size, fx: pinhole[0], fy: pinhole[1], cx: pinhole[2], cy: pinhole[3])
        }
    }
}
