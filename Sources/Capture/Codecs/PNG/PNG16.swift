/// Encodes 16-bit grey images as PNG (W3C PNG, third edition), for depth in millimetres.
package enum PNG16 {
    /// The image as PNG bytes; `samples` is row-major, `width * height` values; `level` is zlib's, 0 to 9.
    package static func encode(
        width: Int,
        height: Int,
        samples: [UInt16],
        level: Int = 1
    ) throws(CodecError) -> [UInt8] {
        guard (1...16_384).contains(width), (1...16_384).contains(height), samples.count == width * height else {
            throw CodecError(.png, "no image: \(width) x \(height) with \(samples.count) samples")
        }
        return try PNGFile.bytes(
            width: width,
            height: height,
            bitDepth: 16,
            colourType: .grey,
            filteredRows: filteredRows(width: width, height: height, samples: samples),
            level: level
        )
    }

    /// Each row behind its filter byte: 9.2, filter 1, the difference to the pixel on the left, byte by byte.
    private static func filteredRows(width: Int, height: Int, samples: [UInt16]) -> [UInt8] {
        let stride = 1 + 2 * width
        return [UInt8](unsafeUninitializedCapacity: stride * height) { output, count in
            for row in 0..<height {
                var left: UInt16 = 0
                var place = row * stride
                output[place] = 1
                for column in 0..<width {
                    let sample = samples[row * width + column]
                    output[place + 1] = UInt8(truncatingIfNeeded: sample >> 8) &- UInt8(truncatingIfNeeded: left >> 8)
                    output[place + 2] = UInt8(truncatingIfNeeded: sample) &- UInt8(truncatingIfNeeded: left)
                    left = sample
                    place += 2
                }
            }
            count = stride * height
        }
    }
}
