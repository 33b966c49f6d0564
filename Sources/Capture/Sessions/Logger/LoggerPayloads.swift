import Codecs
import Recording

/// Loads the files of a session in the native layout.
final class LoggerPayloads: PayloadLoader {
    /// No phone writes a JPEG of more than this.
    private static let maximumImageBytes = 64 << 20

    private let files: any SessionFiles
    private let summary: SessionSummary
    private var decoder: JPEGDecoder?
    private var buffer: [UInt8] = []

    init(files: any SessionFiles, summary: SessionSummary) {
        self.files = files
        self.summary = summary
    }

    func image(of frame: FrameReference, _ diagnostics: inout Diagnostics) -> StoredImage? {
        guard frame.hasImage else { return nil }
        let file = PayloadNames(index: frame.index).image
        do throws(Problem) {
            var bytes: [UInt8] = []
            try files.read(file, into: &bytes, maximumBytes: Self.maximumImageBytes)
            let info = try inspect(bytes, file: file)
            try decodeIfSuspect(bytes, file: file)
            let (orientation, contradiction) = try OrientationDecision.decide(frame: frame, jpeg: info, file: file)
            if let contradiction { diagnostics.record(contradiction) }
            return StoredImage(bytes: bytes, width: info.width, height: info.height, orientation: orientation)
        } catch {
            diagnostics.record(error)
            return nil
        }
    }

    func decode(
        _ image: StoredImage,
        of frame: FrameReference,
        fullSize: Bool,
        _ diagnostics: inout Diagnostics
    ) -> RGBImage? {
        do throws(CodecError) {
            let decoder = try sharedDecoder()
            return try fullSize ? decoder.decodeFull(image.bytes) : decoder.decodeEighth(image.bytes)
        } catch {
            diagnostics.record(broken(PayloadNames(index: frame.index).image, error))
            return nil
        }
    }

    private func sharedDecoder() throws(CodecError) -> JPEGDecoder {
        if let decoder { return decoder }
        let made = try JPEGDecoder()
        decoder = made
        return made
    }

    private func broken(_ file: String, _ error: CodecError) -> Problem {
        Problem(.brokenImage, file: file, expected: "a JPEG that decodes", found: "\(error)")
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
        throw Problem(
            .wrongRelativeDepthAspect,
            file: file,
            expected: "the aspect of the sensor's \(sensor.width)x\(sensor.height) to 3 %",
            found: "\(size.width)x\(size.height)" + (isTurned ? ", which is turned" : "")
        )
    }

    private func confidence(_ file: String, _ size: GridSize, _ diagnostics: inout Diagnostics) -> [UInt8]? {
        guard summary.hasConfidence else { return nil }
        if let found = files.irregular(file) {
            diagnostics.record(Problem(.unreadableFile, file: file, expected: "a regular file", found: found))
        }
        guard let bytes = files.size(of: file) else { return nil }
        guard bytes == size.count else {
            diagnostics.record(
                Problem(
                    .wrongConfidenceSize,
                    file: file,
                    expected: "\(size.count) bytes for \(size.width)x\(size.height)",
                    found: "\(bytes) bytes"
                )
            )
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
            diagnostics.record(
                Problem(.confidenceOutOfRange, file: file, expected: "0, 1 and 2", found: "\(largest)")
            )
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

    private func inspect(_ bytes: [UInt8], file: String) throws(Problem) -> JPEGInfo {
        let info: JPEGInfo
        do {
            info = try JPEG.inspect(bytes)
        } catch {
            throw Problem(.brokenImage, file: file, expected: "a JPEG", found: "\(error)")
        }
        let limits = JPEGDecoder.Limits()
        guard max(info.width, info.height) <= limits.maximumSide, info.width * info.height <= limits.maximumPixels
        else {
            throw Problem(
                .imageSizeUnexpected,
                file: file,
                expected: "at most \(limits.maximumSide) pixels a side and \(limits.maximumPixels) in all",
                found: "\(info.width)x\(info.height)"
            )
        }
        guard info.isComplete else {
            throw Problem(.truncatedImage, file: file, expected: "an end-of-image marker", found: "none")
        }
        if let problem = info.structureProblem {
            throw Problem(.brokenImage, file: file, expected: "a JPEG with all of its parts", found: "\(problem)")
        }
        return info
    }

    /// Decoding every image that is only passed on would cost more than all the rest of the work on it.
    ///
    /// Where a page of the file may be lost it is worth it.
    private func decodeIfSuspect(_ bytes: [UInt8], file: String) throws(Problem) {
        guard JPEG.mayHaveHole(bytes) else { return }
        do throws(CodecError) {
            _ = try sharedDecoder().decodeEighth(bytes)
        } catch {
            throw broken(file, error)
        }
    }
}
