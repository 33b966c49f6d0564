import Platform

/// One channel of an OpenEXR image, decoded: rows of plain scan lines in one part, as depth maps are written.
///
/// Samples are 16-bit or 32-bit floating-point numbers; compression is none, ZIPS or ZIP. What else OpenEXR knows is
/// refused by its name (OpenEXR file layout).
package struct EXRImage: Sendable {
    package let width: Int
    package let height: Int
    /// Row by row from the top, with their NaN and infinities.
    package let values: [Float]

    /// - Parameter channel: Which one; nil where there is only one, whatever its name.
    package init(decoding bytes: [UInt8], channel: String? = nil) throws(CodecError) {
        let header = try bytes.withUnsafeBufferPointer { (buffer) throws(CodecError) in
            try EXRHeader(ByteReader(UnsafeRawBufferPointer(buffer)))
        }
        let place = try ChannelPlace(channel, of: header)
        var values: [Float] = []
        for block in 0..<header.blockCount {
            let content = try EXRBlock(block, of: bytes, header).content()
            for row in stride(from: 0, to: content.count, by: header.rowByteCount) {
                place.append(content[row..<row + header.rowByteCount], width: header.width, to: &values)
            }
        }
        (width, height) = (header.width, header.height)
        self.values = values
    }
}

/// Where a channel's samples lie in each row.
private struct ChannelPlace {
    let offset: Int
    let type: EXRHeader.PixelType

    init(_ name: String?, of header: EXRHeader) throws(CodecError) {
        let names = header.channels.map(\.name)
        let index = name.map { names.firstIndex(of: $0) } ?? (names.count == 1 ? 0 : nil)
        guard let index else {
            let expected = name.map { "the channel \($0)" } ?? "one channel"
            throw CodecError(.exr, "expected \(expected), found \(names.joined(separator: ", "))")
        }
        type = header.channels[index].type
        guard type != .unsigned else {
            throw CodecError(.exr, "expected floating-point numbers in the channel \(names[index]), found integers")
        }
        offset = header.width * header.channels[..<index].reduce(0) { $0 + $1.type.byteCount }
    }

    func append(_ row: ArraySlice<UInt8>, width: Int, to values: inout [Float]) {
        row.withUnsafeBytes { bytes in
            let reader = ByteReader(bytes)
            for column in 0..<width {
                let place = offset + column * type.byteCount
                if type == .half {
                    values.append(HalfFloat.float(reader.integer(at: place) ?? 0))
                } else {
                    values.append(Float(bitPattern: reader.integer(at: place) ?? 0))
                }
            }
        }
    }
}

/// IEEE 754 numbers of 16 bits, bit by bit: no processor's own rounding of NaN or of numbers near zero.
enum HalfFloat {
    /// The same number; NaN stays NaN, with its bits.
    static func float(_ half: UInt16) -> Float {
        let sign = UInt32(half & 0x8000) << 16
        let exponent = UInt32(half >> 10 & 31)
        let fraction = UInt32(half & 1023)
        switch exponent {
        case 0:
            // Multiples of 2^-24.
            let magnitude = Float(fraction) * 0x1p-24
            return Float(bitPattern: sign | magnitude.bitPattern)
        case 31: return Float(bitPattern: sign | 0x7F80_0000 | fraction << 13)
        default: return Float(bitPattern: sign | (exponent + 112) << 23 | fraction << 13)
        }
    }

    /// The nearest number of 16 bits, of two the even one; infinite from 65520 on.
    static func half(_ float: Float) -> UInt16 {
        let sign = UInt16(float.bitPattern >> 16) & 0x8000
        let magnitude = float.bitPattern & 0x7FFF_FFFF
        if magnitude > 0x7F80_0000 { return sign | 0x7E00 }
        if magnitude >= 0x477F_F000 { return sign | 0x7C00 }
        if magnitude < 0x3880_0000 {
            return sign | UInt16((Float(bitPattern: magnitude) * 0x1p24).rounded(.toNearestOrEven))
        }
        let rounded = magnitude + 0xFFF + (magnitude >> 13 & 1)
        return sign | UInt16((rounded - 0x3800_0000) >> 13)
    }
}
