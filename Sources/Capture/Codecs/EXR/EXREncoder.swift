import Platform

/// Writes one channel of 16-bit numbers as OpenEXR, compressed by ZIP, as Record3D writes depth.
package enum EXREncoder {
    /// - Parameter values: Row by row from the top, `width * height`; each becomes the nearest number of 16 bits.
    package static func encode(
        width: Int,
        height: Int,
        values: [Float],
        channel: String = "R"
    ) throws(CodecError) -> [UInt8] {
        guard (1...4096).contains(width), (1...4096).contains(height), values.count == width * height else {
            throw CodecError(.exr, "no image: \(width) x \(height) with \(values.count) values")
        }
        guard (1...31).contains(channel.utf8.count), !channel.utf8.contains(0) else {
            throw CodecError(.exr, "a channel's name has 1 to 31 bytes")
        }
        let header = header(width: width, height: height, channel: channel)
        var blocks: [[UInt8]] = []
        for row in stride(from: 0, to: height, by: 16) {
            let rows = values[row * width..<min(height, row + 16) * width]
            let content = rows.flatMap { [UInt8].integer(HalfFloat.half($0)) }
            let packed = try ZlibData.deflated(EXRBlock.parted(content), level: 6, for: .exr)
            let stored = packed.count < content.count ? packed : content
            blocks.append(long(row) + long(stored.count) + stored)
        }
        var offset = header.count + 8 * blocks.count
        var table: [UInt8] = []
        for block in blocks {
            table += long(offset) + long(0)
            offset += block.count
        }
        return header + table + blocks.joined()
    }

    /// The attributes that every file has.
    private static func header(width: Int, height: Int, channel: String) -> [UInt8] {
        let one: [UInt8] = [0, 0, 0x80, 0x3F]
        let corner = long(0) + long(0)
        let window = corner + long(width - 1) + long(height - 1)
        var channels = text(channel) + long(EXRHeader.PixelType.half.rawValue)
        channels += long(0) + long(1) + long(1) + [0]
        let compression = UInt8(EXRHeader.Compression.blocks.rawValue)
        let attributes: [(name: String, type: String, content: [UInt8])] = [
            ("channels", "chlist", channels),
            ("compression", "compression", [compression]),
            ("dataWindow", "box2i", window),
            ("displayWindow", "box2i", window),
            ("lineOrder", "lineOrder", [0]),
            ("pixelAspectRatio", "float", one),
            ("screenWindowCenter", "v2f", corner),
            ("screenWindowWidth", "float", one),
        ]
        let written = attributes.flatMap { text($0.name) + text($0.type) + long($0.content.count) + $0.content }
        return long(0x0131_2F76) + long(2) + written + [0]
    }

    private static func text(_ text: String) -> [UInt8] { Array(text.utf8) + [0] }

    private static func long(_ number: Int) -> [UInt8] { .integer(UInt32(truncatingIfNeeded: number)) }
}
