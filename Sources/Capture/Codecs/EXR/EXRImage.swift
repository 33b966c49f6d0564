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
