import CTurboJPEG
package import Recording

/// Encodes colour images as baseline JPEG, 4:2:0, with libjpeg-turbo; one encoder serves one worker.
package final class JPEGEncoder {
    private let handle: tjhandle
    private var buffer: [UInt8] = []

    package init() throws(CodecError) {
        guard let handle = tjInitCompress() else {
            throw CodecError(.jpeg, "libjpeg-turbo cannot start an encoder")
        }
        self.handle = handle
    }

    deinit {
        tjDestroy(handle)
    }

    /// The image as JPEG bytes; `quality` is 1 to 100.
    package func encode(_ image: RGBImage, quality: Int = 90) throws(CodecError) -> [UInt8] {
        let size = try check(width: image.width, height: image.height, count: image.pixels.count / 3)
        guard image.pixels.count == 3 * size.count else { throw JPEGEncoder.noImage(size, image.pixels.count) }
        var result = Result<[UInt8], CodecError>.success([])
        image.pixels.withUnsafeBufferPointer { pixels in
            result = compress(pixels.baseAddress, size, bytesPerPixel: 3, format: TJPF_RGB, quality: quality)
        }
        return try result.get()
    }

    /// The same for pixels of 0x00BBGGRR, row-major.
    package func encode(
        pixels: [UInt32],
        width: Int,
        height: Int,
        quality: Int = 90
    ) throws(CodecError) -> [UInt8] {
        let size = try check(width: width, height: height, count: pixels.count)
        var result = Result<[UInt8], CodecError>.success([])
        pixels.withUnsafeBytes { bytes in
            let base = bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
            // On a little-endian machine red comes first in memory.
            result = compress(base, size, bytesPerPixel: 4, format: TJPF_RGBX, quality: quality)
        }
        return try result.get()
    }

    /// The same for the planes Y, Cb and Cr of a 4:2:0 image, which are coded as they are (JFIF: BT.601, 0 to 255).
    ///
    /// - Parameter planes: one after the other, rows without padding, both sides of the brightness rounded up to even numbers.
    package func encode(
        planes: [UInt8],
        width: Int,
        height: Int,
        quality: Int = 90
    ) throws(CodecError) -> [UInt8] {
        let size = GridSize(width: width, height: height)
        let (columns, rows) = ((width + 1) / 2, (height + 1) / 2)
        guard (1...65_500).contains(width), (1...65_500).contains(height), (1...100).contains(quality),
            planes.count == 6 * columns * rows
        else { throw JPEGEncoder.noImage(size, planes.count) }
        return try compress(size) { output, length in
            tjCompressFromYUV(
                handle,
                planes,
                Int32(width),
                1,
                Int32(height),
                Int32(TJSAMP_420.rawValue),
                &output,
                &length,
                Int32(quality),
                TJFLAG_NOREALLOC
            )
        }.get()
    }

    private func check(width: Int, height: Int, count: Int) throws(CodecError) -> GridSize {
        let size = GridSize(width: width, height: height)
        guard (1...65_500).contains(width), (1...65_500).contains(height), count == size.count else {
            throw JPEGEncoder.noImage(size, count)
        }
        return size
    }

    private static func noImage(_ size: GridSize, _ count: Int) -> CodecError {
        CodecError(.jpeg, "no image: \(size.width) x \(size.height) from \(count) values")
    }

    private func compress(
        _ pixels: UnsafePointer<UInt8>?,
        _ size: GridSize,
        bytesPerPixel: Int32,
        format: TJPF,
        quality: Int
    ) -> Result<[UInt8], CodecError> {
        guard (1...100).contains(quality) else {
            return .failure(CodecError(.jpeg, "quality: expected 1 to 100, found \(quality)"))
        }
        return compress(size) { output, length in
            tjCompress2(
                handle,
                pixels,
                Int32(size.width),
                bytesPerPixel * Int32(size.width),
                Int32(size.height),
                Int32(format.rawValue),
                &output,
                &length,
                Int32(TJSAMP_420.rawValue),
                Int32(quality),
                TJFLAG_NOREALLOC
            )
        }
    }

    /// Returns the bytes that a library function writes into the buffer, which has room for any image of this size.
    private func compress(
        _ size: GridSize,
        _ body: (inout UnsafeMutablePointer<UInt8>?, inout UInt) -> Int32
    ) -> Result<[UInt8], CodecError> {
        let bound = Int(tjBufSize(Int32(size.width), Int32(size.height), Int32(TJSAMP_420.rawValue)))
        if buffer.count < bound { buffer = [UInt8](repeating: 0, count: bound) }
        var length = UInt(buffer.count)
        let status = buffer.withUnsafeMutableBufferPointer { output in
            var pointer = output.baseAddress
            return body(&pointer, &length)
        }
        guard status == 0 else {
            let text = tjGetErrorStr2(handle).map { String(cString: $0) }
            return .failure(CodecError(.jpeg, text ?? "unknown problem"))
        }
        return .success(Array(buffer[..<Int(length)]))
    }
}
