import Recording

/// A decoded grey PNG of 8 or 16 bits (W3C PNG, third edition), not interlaced: depth and confidence are stored so.
///
/// Colour profiles and gamma are not applied: the samples are measurements.
package struct PNGGray: Sendable {
    /// No depth camera has a larger grid, and so no more memory is taken, whatever the file claims.
    private static let sides = 1...8192

    package let width: Int
    package let height: Int
    /// 8 or 16.
    package let bitDepth: Int
    /// Row by row from the top.
    package let samples: [UInt16]

    package init(decoding bytes: [UInt8]) throws(CodecError) {
        let size = try PNG.inspect(bytes)
        guard Self.sides.contains(size.width), Self.sides.contains(size.height) else {
            throw CodecError(.png, at: 16, "expected at most 8192x8192 samples, found \(size.width)x\(size.height)")
        }
        // 11.2.1: bit depth, colour type, and the methods of compression, filtering and interlacing.
        let kind = Array(bytes[24..<29])
        guard kind[0] == 8 || kind[0] == 16, kind[1...] == [0, 0, 0, 0] else {
            throw CodecError(
                .png,
                at: 24,
                "expected 8-bit or 16-bit grey without interlacing, found the header \(kind)"
            )
        }
        (width, height, bitDepth) = (size.width, size.height, Int(kind[0]))
        // No scan line is compressed to less than a thousandth.
        guard bytes.count >= size.count * bitDepth / 8 / 1032 else {
            throw CodecError(.png, at: bytes.count, "\(bytes.count) bytes cannot hold \(width)x\(height) samples")
        }
        var rows = try PNGRows(width: width, height: height, channels: bitDepth / 8)
        var offset = PNGFile.signature.count
        while !rows.isComplete {
            let chunk = try PNGChunk(bytes, at: offset)
            offset = chunk.content.upperBound + 4
            switch chunk.type {
            case "IDAT": try rows.add(bytes[chunk.content])
            case "IEND": throw CodecError(.png, at: offset, "expected \(height) rows, found \(rows.count)")
            case "IHDR": break
            // 5.4: a chunk whose first letter is a capital must be understood.
            default:
                guard chunk.isAncillary else { throw CodecError(.png, at: offset, "unknown chunk \(chunk.type)") }
            }
        }
        let pixels = rows.pixels
        if bitDepth == 8 {
            samples = pixels.map { UInt16($0) }
        } else {
            samples = stride(from: 0, to: pixels.count, by: 2).map { UInt16(pixels[$0]) << 8 | UInt16(pixels[$0 + 1]) }
        }
    }
}
