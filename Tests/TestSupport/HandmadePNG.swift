/// Grey PNGs with stored blocks, put together from the parts that the specification names.
package enum HandmadePNG {
    package static func gray16(width: Int, height: Int, _ samples: [UInt16]) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(2 * samples.count)
        for sample in samples { bytes += [UInt8(sample >> 8), UInt8(sample & 255)] }
        return gray(width, height, depth: 16, bytes)
    }

    package static func gray8(width: Int, height: Int, _ samples: [UInt8]) -> [UInt8] {
        gray(width, height, depth: 8, samples)
    }

    private static func gray(_ width: Int, _ height: Int, depth: UInt8, _ bytes: [UInt8]) -> [UInt8] {
        let stride = width * Int(depth) / 8
        let rows = (0..<height).flatMap { [0] + bytes[$0 * stride..<($0 + 1) * stride] }
        let header = big(width) + big(height) + [depth, 0, 0, 0, 0]
        let packed = [0x78, 0x01] + HandmadeArchives.deflated(rows) + big(Int(adler(rows)))
        return [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A] + chunk("IHDR", header) + chunk("IDAT", packed)
            + chunk("IEND", [])
    }

    private static func chunk(_ type: String, _ content: [UInt8]) -> [UInt8] {
        let typed = Array(type.utf8) + content
        return big(content.count) + typed + big(Int(HandmadeArchives.crc32(typed)))
    }

    private static func adler(_ bytes: [UInt8]) -> UInt32 {
        var (a, b): (UInt32, UInt32) = (1, 0)
        for byte in bytes {
            a = (a + UInt32(byte)) % 65_521
            b = (b + a) % 65_521
        }
        return b << 16 | a
    }

    private static func big(_ value: Int) -> [UInt8] { [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) } }
}
