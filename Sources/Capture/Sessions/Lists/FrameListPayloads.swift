import Codecs
import Platform
import Recording

/// Where the files of a frame are, and how they are read: what a format adds to a list of poses.
struct PayloadRecipe: Sendable {
    /// One kind of file.
    struct Source<Content>: Sendable {
        /// The names that a frame's file may have; the first one that is there counts.
        var names: @Sendable (FrameReference) -> [String]
        /// Reads a whole file.
        var decode: @Sendable ([UInt8]) throws(CodecError) -> Content
        /// The promise of the format, or of the list that names the files.
        var promise = PayloadAccount.Promise.free
    }

    var imageNames: (@Sendable (FrameReference) -> [String])?
    var imagePromise = PayloadAccount.Promise.free
    /// The pictures, where they are in a video; then there are no files of them.
    var video: PairedVideo?
    /// The name of the video, whether or not it is there.
    var videoName: String?
    /// In metres, in the grid as it is stored.
    var depth: Source<DepthMap>?
    /// 0, 1 and 2, in the grid as it is stored.
    var confidence: Source<GrayImage>?
    /// True if depth and confidence are turned as ``FrameReference/declaredOrientation`` says of the image, and have to be turned back.
    var gridsAreTurned = false
    /// Folders whose files belong to frames by their numbers: what stands before and behind the number.
    var numberedFiles: [(prefix: String, suffix: String)] = []
    /// What files are, where the list names those of frames, that stand beside them and that no frame names: `lostFrame` where an
    /// app made all of them, `orphanFile` where others choose pictures.
    var unnamedFiles: ProblemKind?
    /// The file that lists the frame of a number, where each has its own: files of a listed frame that is left out are no orphans.
    var listFile: (@Sendable (Int) -> String)?
}

/// Loads the files of a list's frames by the recipe of their format.
final class FrameListPayloads: PayloadLoader {
    /// No phone writes a depth map of more than this.
    private static let maximumGridBytes = 64 << 20

    private let files: any SessionFiles
    private let recipe: PayloadRecipe
    private let summary: SessionSummary
    private let decoder = ImageDecoder()
    private lazy var videoEncoder = VideoEncoder()
    /// For callers that take no pictures from a pass of their own.
    private lazy var ownVideo = recipe.video?.pass()
    private var buffer: [UInt8] = []

    init(files: any SessionFiles, recipe: PayloadRecipe, summary: SessionSummary) {
        self.files = files
        self.recipe = recipe
        self.summary = summary
    }

    func image(of frame: FrameReference, _ picture: VideoPicture?, _ diagnostics: inout Diagnostics) -> StoredImage? {
        if recipe.video != nil {
            guard let picture = picture ?? ownVideo?.picture(of: frame) else { return nil }
            return videoEncoder.image(of: frame, picture, &diagnostics)
        }
        return decoder.load(imageFile(of: frame), of: frame, from: files, &diagnostics)
    }

    func decode(
        _ image: StoredImage,
        of frame: FrameReference,
        fullSize: Bool,
        _ diagnostics: inout Diagnostics
    ) -> RGBImage? {
        decoder.decode(image, fullSize: fullSize, file: imageFile(of: frame), &diagnostics)
    }

    func depthFile(of frame: FrameReference) -> String { present(recipe.depth?.names(frame) ?? []) }

    func depth(of frame: FrameReference, _ diagnostics: inout Diagnostics) -> DepthMap? {
        guard let expected = frame.depthSize, let depth = recipe.depth else { return nil }
        let file = present(depth.names(frame))
        do throws(Problem) {
            var map = try read(file, depth, .brokenDepth).inSensorGrid(gridTurn(of: frame))
            guard map.width == expected.width, map.height == expected.height else {
                throw Problem(
                    .wrongDepthSize,
                    file: file,
                    expected: "\(expected.width)x\(expected.height), as of the first frame",
                    found: "\(map.width)x\(map.height)"
                )
            }
            map.confidence = confidence(of: frame, expected, &diagnostics)
            return map
        } catch {
            diagnostics.record(error)
            return nil
        }
    }

    /// The size of a frame's depth in the sensor's grid; `nil` where it does not read.
    func depthSize(of frame: FrameReference) -> GridSize? {
        guard let depth = recipe.depth else { return nil }
        let map = try? read(present(depth.names(frame)), depth, .brokenDepth).inSensorGrid(gridTurn(of: frame))
        return map.map { GridSize(width: $0.width, height: $0.height) }
    }

    private func confidence(of frame: FrameReference, _ size: GridSize, _ diagnostics: inout Diagnostics) -> [UInt8]? {
        guard let confidence = recipe.confidence, summary.hasConfidence else { return nil }
        let names = confidence.names(frame)
        let file = present(names)
        do throws(Problem) {
            guard names.contains(where: { files.entry($0) != .nothing }) else {
                guard summary.payloads[.confidence]?.isExpectedOfEach ?? false else { return nil }
                throw Problem(.missingConfidence, file: file, expected: "the depth's confidence", found: "no file")
            }
            let grid = try read(file, confidence, .brokenConfidence)
            let map = gridTurn(of: frame).inSensorGrid(grid.pixels, storedWidth: grid.width, storedHeight: grid.height)
            guard map.width == size.width, map.height == size.height else {
                let expected = "\(size.width)x\(size.height), as of the depth"
                throw Problem(.wrongConfidenceSize, file: file, expected: expected, found: "\(map.width)x\(map.height)")
            }
            if let largest = map.values.max(), largest > 2 {
                diagnostics.record(
                    Problem(.confidenceOutOfRange, file: file, expected: "0, 1 and 2", found: "\(largest)")
                )
            }
            return map.values
        } catch {
            diagnostics.record(error)
            return nil
        }
    }

    private func gridTurn(of frame: FrameReference) -> ImageOrientation {
        recipe.gridsAreTurned ? frame.declaredOrientation ?? .landscapeRight : .landscapeRight
    }

    private func imageFile(of frame: FrameReference) -> String {
        if let video = recipe.video { return video.file.name }
        return present(recipe.imageNames?(frame) ?? [])
    }

    /// The first name with a file that holds anything, else the first with a file, else the first.
    private func present(_ names: [String]) -> String {
        guard names.count > 1 else { return names.first ?? "" }
        return names.first { files.size(of: $0) ?? 0 > 0 } ?? names.first { files.entry($0) != .nothing } ?? names[0]
    }

    private func read<Content>(
        _ file: String,
        _ source: PayloadRecipe.Source<Content>,
        _ kind: ProblemKind
    ) throws(Problem) -> Content {
        try files.read(file, into: &buffer, maximumBytes: Self.maximumGridBytes)
        do throws(CodecError) {
            return try source.decode(buffer)
        } catch {
            throw Problem(kind, file: file, expected: "a file that decodes", found: "\(error)")
        }
    }
}
