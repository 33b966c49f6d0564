import Platform
import Recording

/// Loads the files of a session in the native layout.
final class NativePayloads: PayloadLoader {
    private let files: any SessionFiles
    private let summary: SessionSummary
    private let decoder = ImageDecoder()
    private var buffer: [UInt8] = []

    init(files: any SessionFiles, summary: SessionSummary) {
        self.files = files
        self.summary = summary
    }

    func image(of frame: FrameReference, _ picture: VideoPicture?, _ diagnostics: inout Diagnostics) -> StoredImage? {
        decoder.load(PayloadNames(index: frame.index).image, of: frame, from: files, &diagnostics)
    }

    func decode(
        _ image: StoredImage,
        of frame: FrameReference,
        fullSize: Bool,
        _ diagnostics: inout Diagnostics
    ) -> RGBImage? {
        decoder.decode(image, fullSize: fullSize, file: PayloadNames(index: frame.index).image, &diagnostics)
    }

    func depth(of frame: FrameReference, _ diagnostics: inout Diagnostics) -> DepthMap? {
        guard let size = frame.depthSize else { return nil }
        let names = PayloadNames(index: frame.index)
        do throws(Problem) {
            let metres = try floats(names.depth, size, .wrongDepthSize)
            var map = DepthMap(width: size.width, height: size.height, metres: metres)
            map.confidence = confidence(names.confidence, size, &diagnostics)
            return map
        } catch {
            diagnostics.record(error)
            return nil
        }
    }

    func relativeDepth(of frame: FrameReference, _ diagnostics: inout Diagnostics) -> RelativeDepthMap? {
        guard let size = frame.relativeDepthSize else { return nil }
        let file = PayloadNames(index: frame.index).relativeDepth
        do throws(Problem) {
            try checkAspect(of: size, frame.intrinsics, file: file)
            let values = try floats(file, size, .wrongRelativeDepthSize)
            return RelativeDepthMap(
                width: size.width,
                height: size.height,
                kind: summary.relativeDepthKind,
                values: values
            )
        } catch {
            diagnostics.record(error)
            return nil
        }
    }

    /// The most by which the aspect of relative depth may differ from the sensor image's: models want round sizes.
    private static let aspectTolerance = 0.03

    /// Throws where a grid cannot cover the sensor's image: projected with stretched intrinsics, it would be bent.
    private func checkAspect(of size: GridSize, _ sensor: CameraIntrinsics, file: String) throws(Problem) {
        let ratio = Double(size.width) * Double(sensor.height) / (Double(size.height) * Double(sensor.width))
        guard abs(ratio - 1) > Self.aspectTolerance else { return }
        let turned = Double(size.height) * Double(sensor.height) / (Double(size.width) * Double(sensor.width))
        let isTurned = abs(turned - 1) <= Self.aspectTolerance
        let expected = "the aspect of the sensor's \(sensor.width)x\(sensor.height) to 3 %"
        let found = "\(size.width)x\(size.height)" + (isTurned ? ", which is turned" : "")
        throw Problem(.wrongRelativeDepthAspect, file: file, expected: expected, found: found)
    }

    private func confidence(_ file: String, _ size: GridSize, _ diagnostics: inout Diagnostics) -> [UInt8]? {
        guard summary.hasConfidence else { return nil }
        if let found = files.irregular(file) {
            diagnostics.record(Problem(.unreadableFile, file: file, expected: "a regular file", found: found))
        }
        guard let bytes = files.size(of: file) else {
            if files.entry(file) == .nothing {
                let expected = "the depth's confidence"
                diagnostics.record(Problem(.noConfidence, file: file, expected: expected, found: "no file"))
            }
            return nil
        }
        guard bytes == size.count else {
            let expected = "\(size.count) bytes for \(size.width)x\(size.height)"
            diagnostics.record(Problem(.wrongConfidenceSize, file: file, expected: expected, found: "\(bytes) bytes"))
            return nil
        }
        var values: [UInt8] = []
        do throws(Problem) {
            try files.read(file, into: &values, maximumBytes: size.count)
        } catch {
            diagnostics.record(error)
            return nil
        }
        guard values.count == size.count else { return nil }
        if let largest = values.max(), largest > 2 {
            diagnostics.record(Problem(.confidenceOutOfRange, file: file, expected: "0, 1 and 2", found: "\(largest)"))
        }
        return values
    }

    /// A Float32 little-endian grid.
    ///
    /// The file may have shrunk since its size was looked up.
    private func floats(_ file: String, _ size: GridSize, _ kind: ProblemKind) throws(Problem) -> [Float] {
        try files.read(file, into: &buffer, maximumBytes: size.count * 4)
        guard buffer.count == size.count * 4 else {
            throw Problem(kind, file: file, expected: "\(size.count * 4) bytes", found: "\(buffer.count) bytes")
        }
        return [Float](unsafeUninitializedCapacity: size.count) { output, count in
            buffer.withUnsafeBytes { UnsafeMutableRawBufferPointer(output).copyMemory(from: $0) }
            count = size.count
        }
    }

    func depthFile(of frame: FrameReference) -> String { PayloadNames(index: frame.index).depth }
}

/// Decides which payloads a frame has, by the sizes of its files: what a line claims is not enough.
struct PayloadResolver: Sendable {
    let files: any SessionFiles
    let summary: SessionSummary

    func resolve(_ parsed: ParsedFrame, _ diagnostics: inout Diagnostics) -> FrameReference {
        var frame = parsed.frame
        let names = PayloadNames(index: frame.index)
        frame.hasImage = parsed.hasImage != false && hasImage(names.image, line: frame.line, &diagnostics)
        if parsed.hasDepth != false, summary.hasDepth || parsed.hasDepth == true {
            frame.depthSize = grid(
                names.depth,
                declared: parsed.depthResolution ?? summary.depthSize,
                isClaimed: parsed.hasDepth == true,
                (.missingDepth, .wrongDepthSize),
                line: frame.line,
                &diagnostics
            )
        }
        if summary.hasRelativeDepth || parsed.relativeDepthResolution != nil {
            frame.relativeDepthSize = grid(
                names.relativeDepth,
                declared: parsed.relativeDepthResolution ?? summary.relativeDepthSize,
                isClaimed: parsed.relativeDepthResolution != nil,
                (.missingRelativeDepth, .wrongRelativeDepthSize),
                line: frame.line,
                &diagnostics
            )
        }
        return frame
    }

    /// True if there is a file of the picture with something in it; otherwise why not.
    private func hasImage(_ file: String, line: Int, _ diagnostics: inout Diagnostics) -> Bool {
        let bytes = files.size(of: file)
        if bytes ?? 0 > 0 { return true }
        let found = files.irregular(file) ?? (bytes == nil ? "no file" : "an empty file")
        diagnostics.record(Problem(.missingImage, file: file, expected: "the image of line \(line)", found: found))
        return false
    }

    /// The size of a Float32 grid whose file is exactly as long as that; otherwise `nil`, and why.
    private func grid(
        _ file: String,
        declared: GridSize?,
        isClaimed: Bool,
        _ kinds: (missing: ProblemKind, wrongSize: ProblemKind),
        line: Int,
        _ diagnostics: inout Diagnostics
    ) -> GridSize? {
        guard let bytes = files.size(of: file) else {
            let irregular = files.irregular(file)
            if isClaimed || irregular != nil {
                let found = irregular ?? "no file"
                diagnostics.record(
                    Problem(kinds.missing, file: file, expected: "the depth of line \(line)", found: found)
                )
            }
            return nil
        }
        // Where no size is declared, the one that phones deliver.
        let size = declared ?? GridSize(width: 256, height: 192)
        guard bytes == size.count * 4 else {
            let expected = "\(size.count * 4) bytes for \(size.width)x\(size.height) Float32"
            diagnostics.record(Problem(kinds.wrongSize, file: file, expected: expected, found: "\(bytes) bytes"))
            return nil
        }
        return size
    }
}

/// Where a frame's payloads are, relative to the session.
struct PayloadNames {
    let image: String
    let depth: String
    let confidence: String
    let relativeDepth: String

    init(index: Int) {
        let number = NumberedFile.padded(index, 6)
        image = "rgb/\(number).jpg"
        depth = "depth/\(number).bin"
        confidence = "confidence/\(number).bin"
        relativeDepth = "relative_depth/\(number).bin"
    }
}
