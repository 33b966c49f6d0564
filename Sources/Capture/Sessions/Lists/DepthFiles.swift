import Codecs
import Recording

/// The ways in which apps store depth and confidence.
enum DepthFiles {
    /// 16-bit grey PNG in millimetres; 0 is none.
    @Sendable static func millimetrePNG(_ bytes: [UInt8]) throws(CodecError) -> DepthMap {
        let grid = try PNGGrid<UInt16>(decoding: bytes)
        let metres = grid.samples.map { Float($0) / 1000 }
        return DepthMap(width: grid.size.width, height: grid.size.height, metres: metres)
    }

    /// 16-bit millimetres as PNG, or as a NumPy array of one version of Stray Scanner: told apart by their first bytes.
    @Sendable static func millimetrePNGOrArray(_ bytes: [UInt8]) throws(CodecError) -> DepthMap {
        try bytes.starts(with: NumPyArray.signature) ? NumPyArray.millimetres(bytes) : millimetrePNG(bytes)
    }

    /// 8-bit grey PNG, values as they are.
    @Sendable static func grayPNG(_ bytes: [UInt8]) throws(CodecError) -> GrayImage {
        let grid = try PNGGrid<UInt8>(decoding: bytes)
        return GrayImage(width: grid.size.width, height: grid.size.height, pixels: grid.samples)
    }

    /// Metres as OpenEXR, in the one channel `R`; what is not above 0 is none.
    @Sendable static func metresEXR(_ bytes: [UInt8]) throws(CodecError) -> DepthMap {
        let image = try EXRImage(decoding: bytes)
        return DepthMap(width: image.width, height: image.height, metres: image.values)
    }

    /// 32-bit metres behind Apple's LZFSE; NaN, and what is not above 0, is none.
    ///
    /// - Parameters:
    ///   - size: of the grid as it is stored; `nil` where the recording does not say it.
    static func compressedMetres(_ bytes: [UInt8], size: GridSize?, isPortrait: Bool) throws(CodecError) -> DepthMap {
        let (size, values) = try decompressed(bytes, size: size, isPortrait: isPortrait, bytesPerValue: 4)
        let metres = [Float](unsafeUninitializedCapacity: size.count) { output, count in
            values.withUnsafeBytes { UnsafeMutableRawBufferPointer(output).copyMemory(from: $0) }
            count = size.count
        }
        return DepthMap(width: size.width, height: size.height, metres: metres)
    }

    /// Bytes behind LZFSE.
    static func compressedBytes(_ bytes: [UInt8], size: GridSize?, isPortrait: Bool) throws(CodecError) -> GrayImage {
        let (size, values) = try decompressed(bytes, size: size, isPortrait: isPortrait, bytesPerValue: 1)
        return GrayImage(width: size.width, height: size.height, pixels: values)
    }

    /// What LiDAR and the front camera give, by rows.
    private static let landscapeSizes = [GridSize(width: 256, height: 192), GridSize(width: 640, height: 480)]

    private static func decompressed(
        _ bytes: [UInt8],
        size: GridSize?,
        isPortrait: Bool,
        bytesPerValue: Int
    ) throws(CodecError) -> (GridSize, [UInt8]) {
        if let size { return (size, try LZFSE.decode(bytes, byteCount: size.count * bytesPerValue)) }
        var failure = CodecError(.lzfse, "no size fits")
        for one in landscapeSizes {
            let size = isPortrait ? GridSize(width: one.height, height: one.width) : one
            do throws(CodecError) {
                return (size, try LZFSE.decode(bytes, byteCount: size.count * bytesPerValue))
            } catch {
                failure = error
            }
        }
        throw failure
    }
}
