import CTurboJPEG
package import Capture

/// Decodes JPEGs with libjpeg-turbo into stored pixels; EXIF orientation is ignored.
///
/// One decoder serves one worker: it keeps the library's handle and buffers from image to image.
package final class JPEGDecoder {
    /// What a decoder refuses before it allocates anything.
    package struct Limits: Hashable, Sendable {
        package var maximumSide = 16_384
        package var maximumPixels = 64 << 20

        package init() {}
    }

    private let handle: tjhandle
    private let limits: Limits
    private let allowTruncated: Bool
    private let eighthDecoder: EighthDecoder?
    /// How many images were decoded without libjpeg-turbo.
    package private(set) var ownEighthCount = 0

    /// - Parameters:
    ///   - allowTruncated: Give what there is of an image that was cut short, grey where nothing is.
    ///   - usesOwnEighth: Decode plain images at an eighth without libjpeg-turbo: the same result, sooner.
    package init(
        limits: Limits = Limits(),
        allowTruncated: Bool = false,
        usesOwnEighth: Bool = true
    ) throws(CodecError) {
        guard let handle = tjInitDecompress() else {
            throw CodecError(.jpeg, "libjpeg-turbo cannot start a decoder")
        }
        self.handle = handle
        self.limits = limits
        self.allowTruncated = allowTruncated
        eighthDecoder = usesOwnEighth ? EighthDecoder() : nil
    }

    deinit {
        tjDestroy(handle)
    }

    /// The image at an eighth of its size, rounded up: each pixel is the mean of 8 x 8 stored pixels.
    package func decodeEighth(_ bytes: [UInt8]) throws(CodecError) -> RGBImage {
        var image = RGBImage(width: 0, height: 0, pixels: [])
        try decode(bytes, eighth: true, into: &image)
        return image
    }

    /// The same into an image whose storage is used again.
    package func decodeEighth(_ bytes: [UInt8], into image: inout RGBImage) throws(CodecError) {
        try decode(bytes, eighth: true, into: &image)
    }

    /// The whole image.
    package func decodeFull(_ bytes: [UInt8]) throws(CodecError) -> RGBImage {
        var image = RGBImage(width: 0, height: 0, pixels: [])
        try decode(bytes, eighth: false, into: &image)
        return image
    }

    /// The same into an image whose storage is used again.
    package func decodeFull(_ bytes: [UInt8], into image: inout RGBImage) throws(CodecError) {
        try decode(bytes, eighth: false, into: &image)
    }

    private func decode(_ bytes: [UInt8], eighth: Bool, into image: inout RGBImage) throws(CodecError) {
        if eighth, decodeOwnEighth(bytes, into: &image) { return }
        let info = try JPEG.inspect(bytes)
        try check(info, byteCount: bytes.count)
        try readHeader(of: bytes, expecting: info)
        if eighth {
            image.resize(width: (info.width + 7) / 8, height: (info.height + 7) / 8)
        } else {
            image.resize(width: info.width, height: info.height)
        }
        let (width, height) = (Int32(image.width), Int32(image.height))
        let status = image.pixels.withUnsafeMutableBufferPointer { pixels in
            tjDecompress2(
                handle,
                bytes,
                UInt(bytes.count),
                pixels.baseAddress,
                width,
                3 * width,
                height,
                Int32(TJPF_RGB.rawValue),
                TJFLAG_LIMITSCANS
            )
        }
        if status != 0 { try judgeFailure() }
    }

    private func decodeOwnEighth(_ bytes: [UInt8], into image: inout RGBImage) -> Bool {
        guard let eighthDecoder else { return false }
        let isDone = bytes.withUnsafeBytes { buffer in
            eighthDecoder.decode(buffer, into: &image) { width, height in
                // A tiny image would be decoded at another scale by the library.
                min(width, height) >= 16 && isWithinLimits(width, height)
                    && isPlausible(width, height, byteCount: buffer.count)
            }
        }
        if isDone { ownEighthCount += 1 }
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

    /// The library must see the same image, or the output buffer would be of another size.
    private func readHeader(of bytes: [UInt8], expecting info: JPEGInfo) throws(CodecError) {
        var width: Int32 = 0
        var height: Int32 = 0
        var subsampling: Int32 = 0
        var colourSpace: Int32 = 0
        let status = tjDecompressHeader3(
            handle,
            bytes,
            UInt(bytes.count),
            &width,
            &height,
            &subsampling,
            &colourSpace
        )
        if status != 0 { try judgeFailure() }
        guard Int(width) == info.width, Int(height) == info.height else {
            throw CodecError(.jpeg, "expected \(info.width) x \(info.height), libjpeg-turbo found \(width) x \(height)")
        }
    }

    /// Tells errors and damage from remarks that cost no pixel.
    private func judgeFailure() throws(CodecError) {
        let text = tjGetErrorStr2(handle).map { String(cString: $0) } ?? "unknown problem"
        guard tjGetErrorCode(handle) == TJERR_WARNING.rawValue else { throw CodecError(.jpeg, text) }
        if allowTruncated || text.contains("extraneous") { return }
        if text.hasPrefix("Corrupt") || text.hasPrefix("Premature") { throw CodecError(.jpeg, text) }
    }
}
