import CTurboJPEG
import Recording

/// One image, decoded by libjpeg-turbo.
///
/// Each image gets a handle of its own, which costs less than a microsecond: a handle remembers tables of earlier images, and
/// after a damaged one it may refuse the sound one that follows.
struct TurboImage: ~Copyable {
    private let handle: tjhandle
    private let bytes: [UInt8]
    private let allowTruncated: Bool
    private let isStructureSound: Bool

    /// - Parameter isStructureSound: True if no error was found in the markers.
    init(_ bytes: [UInt8], allowTruncated: Bool, isStructureSound: Bool) throws(CodecError) {
        guard let handle = tjInitDecompress() else {
            throw CodecError(.jpeg, "libjpeg-turbo cannot start a decoder")
        }
        self.handle = handle
        self.bytes = bytes
        self.allowTruncated = allowTruncated
        self.isStructureSound = isStructureSound
    }

    deinit {
        tjDestroy(handle)
    }

    /// The library must see the same image, or the output would be of another size.
    func readHeader(expecting info: JPEGInfo) throws(CodecError) {
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

    /// Fills an image that has the size of the original, or that of one of the scales that the library knows.
    func decode(into image: inout RGBImage) throws(CodecError) {
        try decode(into: &image.pixels, image.width, image.height, bytesPerPixel: 3, TJPF_RGB)
    }

    /// Fills an image of the original's size with its brightness: colours are not even computed.
    func decode(into image: inout GrayImage) throws(CodecError) {
        try decode(into: &image.pixels, image.width, image.height, bytesPerPixel: 1, TJPF_GRAY)
    }

    private func decode(
        into pixels: inout [UInt8],
        _ width: Int,
        _ height: Int,
        bytesPerPixel: Int,
        _ format: TJPF
    ) throws(CodecError) {
        precondition(pixels.count == bytesPerPixel * width * height)
        let status = pixels.withUnsafeMutableBufferPointer { pixels in
            tjDecompress2(
                handle,
                bytes,
                UInt(bytes.count),
                pixels.baseAddress,
                Int32(width),
                Int32(bytesPerPixel * width),
                Int32(height),
                Int32(format.rawValue),
                TJFLAG_LIMITSCANS
            )
        }
        if status != 0 { try judgeFailure() }
    }

    /// Tells errors and damage from remarks that cost no pixel.
    private func judgeFailure() throws(CodecError) {
        let text = tjGetErrorStr2(handle).map { String(cString: $0) } ?? "unknown problem"
        guard tjGetErrorCode(handle) == TJERR_WARNING.rawValue else { throw CodecError(.jpeg, text) }
        if allowTruncated { return }
        // The library tells its first remark only: bytes that are skipped may be padding after the last block, or all
        // that follows a restart marker that never comes. The markers tell the two apart.
        if text.contains("extraneous"), isStructureSound { return }
        if text.hasPrefix("Corrupt") || text.hasPrefix("Premature") { throw CodecError(.jpeg, text) }
    }
}
