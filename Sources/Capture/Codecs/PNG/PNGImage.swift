package import Recording

/// A decoded PNG of 8 bits a channel (W3C PNG, third edition): colour with or without alpha, not interlaced.
///
/// That is what tiles of heights and pictures are; palettes, grey, 16 bits and interlacing are refused.
package struct PNGImage: Sendable {
    package let width: Int
    package let height: Int
    /// 3, or 4 with alpha.
    package let channels: Int
    /// Row by row from the top, each pixel as red, green, blue and, of four channels, alpha.
    package let pixels: [UInt8]

    package init(decoding bytes: [UInt8]) throws(CodecError) {
        let raster = try PNGRaster(bytes, expecting: [.rgb8, .rgba8])
        (width, height, channels) = (raster.size.width, raster.size.height, raster.kind.channels)
        pixels = raster.bytes
    }

    /// The colours; alpha is left away.
    package var colours: RGBImage {
        guard channels == 4 else { return RGBImage(width: width, height: height, pixels: pixels) }
        let colours = [UInt8](unsafeUninitializedCapacity: 3 * width * height) { output, count in
            for pixel in 0..<width * height {
                for channel in 0..<3 { output[3 * pixel + channel] = pixels[4 * pixel + channel] }
            }
            count = 3 * width * height
        }
        return RGBImage(width: width, height: height, pixels: colours)
    }
}

/// A decoded grey PNG, not interlaced: depth of 16 bits, or confidence of 8; the numbers are as they are stored.
package struct PNGGrid<Sample: FixedWidthInteger & UnsignedInteger & Sendable>: Sendable {
    package let size: GridSize
    /// Row by row from the top.
    package let samples: [Sample]
}

extension PNGGrid<UInt8> {
    package init(decoding bytes: [UInt8]) throws(CodecError) {
        let raster = try PNGRaster(bytes, expecting: [.grey8])
        self.init(size: raster.size, samples: raster.bytes)
    }
}

extension PNGGrid<UInt16> {
    package init(decoding bytes: [UInt8]) throws(CodecError) {
        let raster = try PNGRaster(bytes, expecting: [.grey16])
        let samples = [UInt16](unsafeUninitializedCapacity: raster.size.count) { output, count in
            for place in 0..<raster.size.count {
                output[place] = UInt16(raster.bytes[2 * place]) << 8 | UInt16(raster.bytes[2 * place + 1])
            }
            count = raster.size.count
        }
        self.init(size: raster.size, samples: samples)
    }
}
