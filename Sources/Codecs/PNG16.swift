import CZlib

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
        let filtered = filteredRows(width: width, height: height, samples: samples)
        let compressed = try deflated(filtered, level: level)
        var bytes: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
        bytes.reserveCapacity(compressed.count + 57)
        // 11.2.1: width, height, bit depth 16, colour type 0 (grey), compression, filter and interlace methods 0.
        appendChunk("IHDR", bigEndian(width) + bigEndian(height) + [16, 0, 0, 0, 0], to: &bytes)
        appendChunk("IDAT", compressed, to: &bytes)
        appendChunk("IEND", [], to: &bytes)
        return bytes
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

    private static func deflated(_ input: [UInt8], level: Int) throws(CodecError) -> [UInt8] {
        let bound = Int(compressBound(UInt(input.count)))
        var status: Int32 = Z_OK
        let output = [UInt8](unsafeUninitializedCapacity: bound) { buffer, count in
            var length = UInt(bound)
            status = compress2(buffer.baseAddress, &length, input, UInt(input.count), Int32(level))
            count = status == Z_OK ? Int(length) : 0
        }
        guard status == Z_OK else { throw CodecError(.png, "zlib failed with status \(status)") }
        return output
    }

    /// 5.3: length, type, data, and the CRC-32 of type and data.
    private static func appendChunk(_ type: String, _ data: [UInt8], to bytes: inout [UInt8]) {
        bytes += bigEndian(data.count)
        let start = bytes.count
        bytes += Array(type.utf8)
        bytes += data
        let checksum = bytes.withUnsafeBufferPointer { buffer in
            crc32_z(0, buffer.baseAddress.map { $0 + start }, buffer.count - start)
        }
        bytes += bigEndian(Int(checksum))
    }

    private static func bigEndian(_ value: Int) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
    }
}
