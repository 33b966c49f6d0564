import CTurboJPEG
package import Capture

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
        guard (1...100).contains(quality) else {
            throw CodecError(.jpeg, "quality: expected 1 to 100, found \(quality)")
        }
        guard (1...65_500).contains(image.width), (1...65_500).contains(image.height),
            image.pixels.count == 3 * image.width * image.height
        else {
            throw CodecError(.jpeg, "no image: \(image.width) x \(image.height) with \(image.pixels.count) bytes")
        }
        let bound = Int(tjBufSize(Int32(image.width), Int32(image.height), Int32(TJSAMP_420.rawValue)))
        if buffer.count < bound { buffer = [UInt8](repeating: 0, count: bound) }
        var size = UInt(buffer.count)
        let status = buffer.withUnsafeMutableBufferPointer { output in
            var pointer = output.baseAddress
            return tjCompress2(
                handle,
                image.pixels,
                Int32(image.width),
                3 * Int32(image.width),
                Int32(image.height),
                Int32(TJPF_RGB.rawValue),
                &pointer,
                &size,
                Int32(TJSAMP_420.rawValue),
                Int32(quality),
                TJFLAG_NOREALLOC
            )
        }
        guard status == 0 else {
            throw CodecError(.jpeg, tjGetErrorStr2(handle).map { String(cString: $0) } ?? "unknown problem")
        }
        return Array(buffer[..<Int(size)])
    }
}
