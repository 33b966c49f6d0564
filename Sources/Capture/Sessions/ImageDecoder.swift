package import Codecs
package import Recording

/// The image of a frame as it is stored: the bytes of a JPEG or PNG, checked but not decoded.
package struct StoredImage: Sendable {
    package enum Format: String, Hashable, Sendable, CaseIterable {
        case jpeg
        case png

        package var name: String { rawValue.uppercased() }

        package var fileExtension: String { self == .jpeg ? "jpg" : "png" }

        /// The first bytes of such a file.
        var signature: [UInt8] {
            self == .jpeg ? [0xFF, 0xD8, 0xFF] : [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
        }
    }

    /// At which part of its size an image gives colours to a depth grid: 8 for an eighth, 1 for all of it.
    ///
    /// An eighth of a phone's photo is about as fine as its depth; an eighth of a small picture mixes what many depth
    /// pixels saw.
    package func colourScale(depthWidth: Int, depthHeight: Int) -> Int {
        max(width, height) < 6 * max(depthWidth, depthHeight) ? 1 : 8
    }

    package var bytes: [UInt8]
    package var format: Format
    package var width: Int
    package var height: Int
    /// How the image is turned against the sensor's grid, decided for this frame.
    package var orientation: ImageOrientation

    package init(bytes: [UInt8], format: Format = .jpeg, width: Int, height: Int, orientation: ImageOrientation) {
        self.bytes = bytes
        self.format = format
        self.width = width
        self.height = height
        self.orientation = orientation
    }
}

/// Checks and decodes stored images, whatever they are coded in.
///
/// One for each worker: tables and buffers are used again.
package final class ImageDecoder {
    /// No phone writes an image of more than this.
    static let maximumBytes = 64 << 20

    private var jpeg: JPEGDecoder?

    package init() {}

    /// The whole image.
    package func full(_ image: StoredImage) throws(CodecError) -> RGBImage {
        switch image.format {
        case .jpeg: try jpegDecoder().decode(image.bytes)
        case .png: try colours(image.bytes)
        }
    }

    /// The image at an eighth of its size, rounded up: each pixel is the mean of 8 x 8 stored pixels.
    package func eighth(_ image: StoredImage) throws(CodecError) -> RGBImage {
        switch image.format {
        case .jpeg: try jpegDecoder().decode(image.bytes, eighths: 1)
        case .png: Self.eighth(try colours(image.bytes))
        }
    }

    /// The image at the smallest of eight scales that is no smaller than a size.
    func image(_ image: StoredImage, atLeast size: GridSize) throws(CodecError) -> RGBImage {
        let eighths = (1...8).first { $0 * image.width >= 8 * size.width && $0 * image.height >= 8 * size.height } ?? 8
        switch image.format {
        case .jpeg: return try jpegDecoder().decode(image.bytes, eighths: eighths)
        case .png: return try colours(image.bytes)
        }
    }

    /// The brightness of the whole image, into an image whose storage is used again.
    package func brightness(_ image: StoredImage, into gray: inout GrayImage) throws(CodecError) {
        switch image.format {
        case .jpeg: try jpegDecoder().decodeLuma(image.bytes, into: &gray)
        case .png: gray = GrayImage(try colours(image.bytes))
        }
    }

    /// Reads the image of a frame from its file, and checks it; what cannot be used is recorded.
    func load(
        _ file: String,
        of frame: FrameReference,
        from files: any SessionFiles,
        _ diagnostics: inout Diagnostics
    ) -> StoredImage? {
        guard frame.hasImage else { return nil }
        do throws(Problem) {
            return try stored(files.readImage(file), of: frame, file: file, &diagnostics)
        } catch {
            diagnostics.record(error)
            return nil
        }
    }

    /// The coding of an image, and its size in stored pixels.
    ///
    /// - Throws: what is wrong with it, as far as is seen without decoding it; where a page of a JPEG may be lost, it is decoded.
    package func inspect(_ bytes: [UInt8], file: String) throws(Problem) -> (format: StoredImage.Format, size: GridSize)
    {
        if bytes.starts(with: StoredImage.Format.png.signature) {
            let size: GridSize
            do throws(CodecError) {
                size = try PNG.inspectPicture(bytes)
            } catch {
                throw Self.broken(file, .png, error)
            }
            return (.png, try withinLimits(size, file: file).get())
        }
        let info: JPEGInfo
        do throws(CodecError) {
            info = try JPEG.inspect(bytes)
        } catch {
            throw Problem(.brokenImage, file: file, expected: "a JPEG", found: "\(error)")
        }
        let size = try withinLimits(GridSize(width: info.width, height: info.height), file: file).get()
        guard info.isComplete else {
            throw Problem(.truncatedImage, file: file, expected: "an end-of-image marker", found: "none")
        }
        if let problem = info.structureProblem {
            throw Problem(.brokenImage, file: file, expected: "a JPEG with all of its parts", found: "\(problem)")
        }
        try decodeIfSuspect(bytes, file: file)
        return (.jpeg, size)
    }

    /// The image of a frame, checked, with the turn that was decided for it.
    ///
    /// - Parameter file: where it is, as problems name it.
    package func stored(
        _ bytes: [UInt8],
        of frame: FrameReference,
        file: String,
        _ diagnostics: inout Diagnostics
    ) throws(Problem) -> StoredImage {
        let (format, size) = try inspect(bytes, file: file)
        let (orientation, contradiction) = try OrientationDecision.decide(frame: frame, image: size, file: file)
        if let contradiction { diagnostics.record(contradiction) }
        return StoredImage(
            bytes: bytes,
            format: format,
            width: size.width,
            height: size.height,
            orientation: orientation
        )
    }

    /// Decodes an image at an eighth of its size, or at full size; `nil` where it does not decode, which is counted.
    package func decode(
        _ image: StoredImage,
        fullSize: Bool,
        file: String,
        _ diagnostics: inout Diagnostics
    ) -> RGBImage? {
        do throws(CodecError) {
            return try fullSize ? full(image) : eighth(image)
        } catch {
            diagnostics.record(Self.broken(file, image.format, error))
            return nil
        }
    }

    /// An image that does not decode.
    static func broken(_ file: String, _ format: StoredImage.Format, _ error: CodecError) -> Problem {
        Problem(.brokenImage, file: file, expected: "a \(format.name) that decodes", found: "\(error)")
    }

    private func withinLimits(_ size: GridSize, file: String) -> Result<GridSize, Problem> {
        let limits = JPEGDecoder.Limits()
        if max(size.width, size.height) <= limits.maximumSide, size.count <= limits.maximumPixels {
            return .success(size)
        }
        return .failure(
            Problem(
                .imageSizeUnexpected,
                file: file,
                expected: "at most \(limits.maximumSide) pixels a side and \(limits.maximumPixels) in all",
                found: "\(size.width)x\(size.height)"
            )
        )
    }

    /// Decoding every image that is only passed on would cost more than all the rest of the work on it.
    ///
    /// Where a page of the file may be lost it is worth it.
    private func decodeIfSuspect(_ bytes: [UInt8], file: String) throws(Problem) {
        guard JPEG.mayHaveHole(bytes) else { return }
        do throws(CodecError) {
            _ = try jpegDecoder().decode(bytes, eighths: 1)
        } catch {
            throw Self.broken(file, .jpeg, error)
        }
    }

    private func jpegDecoder() throws(CodecError) -> JPEGDecoder {
        if let jpeg { return jpeg }
        let made = try JPEGDecoder()
        jpeg = made
        return made
    }

    /// Alpha says nothing of a photograph.
    private func colours(_ bytes: [UInt8]) throws(CodecError) -> RGBImage { try PNGImage(decoding: bytes).colours }

    private static func eighth(_ image: RGBImage) -> RGBImage {
        let (width, height) = ((image.width + 7) / 8, (image.height + 7) / 8)
        var result = RGBImage(width: width, height: height, pixels: [])
        result.pixels.reserveCapacity(3 * width * height)
        for y in 0..<height {
            let rows = 8 * y..<min(8 * y + 8, image.height)
            for x in 0..<width {
                let columns = 8 * x..<min(8 * x + 8, image.width)
                let count = rows.count * columns.count
                for channel in 0..<3 {
                    var sum = count / 2
                    for row in rows {
                        for column in columns { sum += Int(image.pixels[3 * (row * image.width + column) + channel]) }
                    }
                    result.pixels.append(UInt8(sum / count))
                }
            }
        }
        return result
    }
}

extension SessionFiles {
    /// The size of a picture in stored pixels; `nil` where it does not read.
    func pictureSize(_ file: String) -> GridSize? {
        (try? readImage(file)).flatMap { try? ImageDecoder().inspect($0, file: file).size }
    }
}

/// Decides how a frame's image is turned: by `device_orientation`, checked against the size, and by gravity where
/// they contradict each other.
///
/// EXIF is never asked: the turn is baked into the pixels.
package enum OrientationDecision {
    static func decide(
        frame: FrameReference,
        image: GridSize,
        file: String
    ) throws(Problem) -> (ImageOrientation, contradiction: Problem?) {
        let sensor = frame.intrinsics.size
        let declared = frame.declaredOrientation ?? .landscapeRight
        let candidates = ImageOrientation.allCases.filter { orientation in
            let size = orientation.storedSize(sensorWidth: sensor.width, sensorHeight: sensor.height)
            return isUniform(image, size)
        }
        guard !candidates.isEmpty else {
            let expected = "\(sensor.width)x\(sensor.height) or \(sensor.height)x\(sensor.width), at any scale"
            throw Problem(.imageSizeUnexpected, file: file, expected: expected, found: "\(image.width)x\(image.height)")
        }
        if candidates.contains(declared) { return (declared, nil) }
        let orientation = byGravity(frame.worldFromCamera, among: candidates) ?? .landscapeRight
        let expected = "the size of \(frame.declaredOrientation?.rawValue ?? "an image that is not rotated")"
        let found = "\(image.width)x\(image.height); taken as \(orientation.rawValue)"
        let problem = Problem(.orientationContradicted, file: file, expected: expected, found: found)
        return (orientation, problem)
    }

    /// True if one size is the other by one factor for both sides, to a pixel.
    private static func isUniform(_ image: GridSize, _ size: (width: Int, height: Int)) -> Bool {
        let scaledHeight = Double(size.height) * Double(image.width) / Double(size.width)
        return abs(scaledHeight - Double(image.height)) <= 1
    }

    /// The candidate that the phone writes when gravity points this way in the sensor's image.
    package static func byGravity(
        _ worldFromCamera: Transform,
        among candidates: [ImageOrientation]
    ) -> ImageOrientation? {
        let down = worldFromCamera.rotation.inverse.rotating(Vector3(0, -1, 0))
        func score(_ orientation: ImageOrientation) -> Double {
            switch orientation {
            case .portrait: down.x
            case .portraitUpsideDown: -down.x
            case .landscapeLeft: -down.y
            case .landscapeRight: down.y
            }
        }
        return candidates.max { score($0) < score($1) }
    }
}
