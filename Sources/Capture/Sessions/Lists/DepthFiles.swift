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
}
