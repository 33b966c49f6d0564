package import Recording

/// Decodes JPEGs into stored pixels; EXIF orientation is ignored.
///
/// At an eighth of the size ``DCOnlyJPEGDecoder`` decodes what it can; libjpeg-turbo decodes everything else.
///
/// One decoder serves one worker: it keeps buffers and tables from image to image. What an image gives never depends on the
/// images before it.
package final class JPEGDecoder {
    /// The limits beyond which a decoder refuses an image before it allocates anything.
    package struct Limits: Hashable, Sendable {
        package var maximumSide = 16_384
        package var maximumPixels = 64 << 20

        package init() {}
    }

    private let limits: Limits
    private let allowTruncated: Bool
    private let dcOnlyDecoder: DCOnlyJPEGDecoder?
    /// How many images were decoded without libjpeg-turbo.
    package private(set) var dcOnlyCount = 0

    /// - Parameters:
    ///   - allowTruncated: Give what there is of an image that was cut short, grey where nothing is.
    ///   - usesDCOnlyDecoder: Decode plain images at an eighth without libjpeg-turbo: the same result, sooner.
    package init(
        limits: Limits = Limits(),
        allowTruncated: Bool = false,
        usesDCOnlyDecoder: Bool = true
    ) throws(CodecError) {
        guard (1...65_535).contains(limits.maximumSide), limits.maximumPixels > 0 else {
            throw CodecError(.jpeg, "limits: expected 1 to 65535 pixels a side, found \(limits.maximumSide)")
        }
        self.limits = limits
        self.allowTruncated = allowTruncated
        dcOnlyDecoder = usesDCOnlyDecoder ? DCOnlyJPEGDecoder() : nil
    }

    /// The image at a number of eighths of its size, 1 to 8, rounded up; of one eighth each pixel is the mean of 8 x 8 stored
    /// pixels.
    package func decode(_ bytes: [UInt8], eighths: Int = 8) throws(CodecError) -> RGBImage {
        var image = RGBImage(width: 0, height: 0, pixels: [])
        try decode(bytes, eighths: eighths, into: &image)
        return image
    }

    /// The brightness of the whole image, into an image whose storage is used again.
    package func decodeLuma(_ bytes: [UInt8], into image: inout GrayImage) throws(CodecError) {
        let info = try JPEG.inspect(bytes)
        let turbo = try start(bytes, info)
        let count = info.width * info.height
        if image.pixels.count != count { image.pixels = [UInt8](repeating: 0, count: count) }
        (image.width, image.height) = (info.width, info.height)
        try turbo.decode(into: &image)
    }

    /// The same into an image whose storage is used again.
    package func decode(_ bytes: [UInt8], eighths: Int = 8, into image: inout RGBImage) throws(CodecError) {
        if eighths == 1, decodeDCOnly(bytes, into: &image) { return }
        let info = try JPEG.inspect(bytes)
        let turbo = try start(bytes, info)
        image.resize(width: (info.width * eighths + 7) / 8, height: (info.height * eighths + 7) / 8)
        try turbo.decode(into: &image)
    }

    private func start(_ bytes: [UInt8], _ info: JPEGInfo) throws(CodecError) -> TurboImage {
        try check(info, byteCount: bytes.count)
        let turbo = try TurboImage(
            bytes,
            allowTruncated: allowTruncated,
            isStructureSound: info.structureProblem == nil
        )
        try turbo.readHeader(expecting: info)
        return turbo
    }

    private func decodeDCOnly(_ bytes: [UInt8], into image: inout RGBImage) -> Bool {
        guard let dcOnlyDecoder else { return false }
        let isDone = bytes.withUnsafeBytes { buffer in
            dcOnlyDecoder.decode(buffer, into: &image) { width, height in
                // A tiny image would be decoded at another scale by the library.
                min(width, height) >= 16 && isWithinLimits(width, height)
                    && isPlausible(width, height, byteCount: buffer.count)
            }
        }
        if isDone { dcOnlyCount += 1 }
        return isDone
    }

    private func isWithinLimits(_ width: Int, _ height: Int) -> Bool {
        max(width, height) <= limits.maximumSide && width * height <= limits.maximumPixels
    }

    /// No scan codes a block in less than one bit, so that a small file cannot claim a huge image.
    private func isPlausible(_ width: Int, _ height: Int, byteCount: Int) -> Bool {
        8 * byteCount >= ((width + 7) / 8) * ((height + 7) / 8)
    }

    private func check(_ info: JPEGInfo, byteCount: Int) throws(CodecError) {
        guard isWithinLimits(info.width, info.height) else {
            throw CodecError(
                .jpeg,
                "expected at most \(limits.maximumSide) pixels a side and \(limits.maximumPixels) in all, "
                    + "found \(info.width) x \(info.height)"
            )
        }
        if allowTruncated { return }
        guard info.isComplete else { throw CodecError(.jpeg, at: byteCount, "truncated: no end-of-image marker") }
        guard isPlausible(info.width, info.height, byteCount: byteCount) else {
            throw CodecError(.jpeg, at: byteCount, "truncated: too few bytes for \(info.width) x \(info.height)")
        }
    }
}
