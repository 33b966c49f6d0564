import Platform
package import Recording

/// Reading a PNG's header, and writing colour images (W3C PNG, third edition).
package enum PNG {
    /// The size of a PNG whose chunks are all there, each with its checksum; nothing is decoded.
    package static func inspect(_ bytes: [UInt8]) throws(CodecError) -> GridSize {
        guard bytes.starts(with: PNGFile.signature) else { throw CodecError(.png, at: 0, "no PNG signature") }
        guard bytes.count >= 45, bytes[12..<16].elementsEqual("IHDR".utf8) else {
            throw CodecError(.png, at: 8, "expected an IHDR chunk first")
        }
        let width = bytes[16..<20].reduce(0) { $0 << 8 | Int($1) }
        let height = bytes[20..<24].reduce(0) { $0 << 8 | Int($1) }
        guard width > 0, height > 0 else {
            throw CodecError(.png, at: 16, "expected a size above zero, found \(width) x \(height)")
        }
        var (offset, hasImage) = (PNGFile.signature.count, false)
        while true {
            guard offset < bytes.count else { throw CodecError(.png, at: bytes.count, "ends before the IEND chunk") }
            let chunk = try PNGChunk(bytes, at: offset)
            if chunk.type == "IEND" { break }
            if chunk.type == "IDAT" { hasImage = true }
            offset = chunk.content.upperBound + 4
        }
        guard hasImage else { throw CodecError(.png, at: bytes.count, "has no IDAT chunk") }
        return GridSize(width: width, height: height)
    }

    /// The same of a picture, which 16-bit grey is not: that is depth.
    package static func inspectPicture(_ bytes: [UInt8]) throws(CodecError) -> GridSize {
        let size = try inspect(bytes)
        guard PNGRaster.Kind(bitDepth: bytes[24], colourType: bytes[25]) != .grey16 else {
            throw CodecError(.png, at: 24, "expected a picture, found 16-bit grey, as depth is stored")
        }
        return size
    }

    /// An 8-bit colour image as PNG bytes; `level` is zlib's, 0 to 9.
    package static func encode(_ image: RGBImage, level: Int = 6) throws(CodecError) -> [UInt8] {
        let (width, height) = (image.width, image.height)
        guard (1...16_384).contains(width), (1...16_384).contains(height), image.pixels.count == 3 * width * height
        else {
            throw CodecError(.png, "no image: \(width) x \(height) with \(image.pixels.count) bytes")
        }
        return try PNGFile.bytes(
            width: width,
            height: height,
            bitDepth: 8,
            colourType: .rgb,
            filteredRows: filteredRows(image),
            level: level
        )
    }

    /// An 8-bit colour image with alpha as PNG bytes.
    ///
    /// - Parameter rgba: Row by row, each pixel as red, green, blue and alpha.
    package static func encode(rgba: [UInt8], size: GridSize, level: Int = 6) throws(CodecError) -> [UInt8] {
        try encode(rgba, channels: 4, .rgba, size, level)
    }

    /// An 8-bit grey image as PNG bytes, for confidence: `grey` is row by row.
    package static func encode(grey: [UInt8], size: GridSize, level: Int = 6) throws(CodecError) -> [UInt8] {
        try encode(grey, channels: 1, .grey, size, level)
    }

    /// Samples of 8 bits row by row, each row behind the filter byte 0.
    private static func encode(
        _ samples: [UInt8],
        channels: Int,
        _ colourType: PNGFile.ColourType,
        _ size: GridSize,
        _ level: Int
    ) throws(CodecError) -> [UInt8] {
        guard (1...16_384).contains(size.width), (1...16_384).contains(size.height),
            samples.count == channels * size.count
        else {
            throw CodecError(.png, "no image: \(size.width) x \(size.height) with \(samples.count) bytes")
        }
        let stride = channels * size.width
        var rows: [UInt8] = []
        rows.reserveCapacity(samples.count + size.height)
        for row in 0..<size.height {
            rows.append(0)
            rows += samples[row * stride..<(row + 1) * stride]
        }
        return try PNGFile.bytes(
            width: size.width,
            height: size.height,
            bitDepth: 8,
            colourType: colourType,
            filteredRows: rows,
            level: level
        )
    }

    /// Each row behind its filter byte: 9.2, filter 1, the difference to the pixel on the left.
    private static func filteredRows(_ image: RGBImage) -> [UInt8] {
        let stride = 3 * image.width
        var rows: [UInt8] = []
        rows.reserveCapacity((stride + 1) * image.height)
        for row in 0..<image.height {
            rows.append(1)
            let line = image.pixels[row * stride..<(row + 1) * stride]
            rows += line.prefix(3)
            for place in line.indices.dropFirst(3) { rows.append(line[place] &- line[place - 3]) }
        }
        return rows
    }
}

/// The parts that every PNG has (W3C PNG, third edition): signature, chunks, compressed rows.
enum PNGFile {
    static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]

    /// 11.2.1, table 11.
    enum ColourType: UInt8 {
        case grey = 0
        case rgb = 2
        case rgba = 6
    }

    /// Encodes the file around filtered rows; `level` is zlib's, 0 to 9.
    static func bytes(
        width: Int,
        height: Int,
        bitDepth: UInt8,
        colourType: ColourType,
        filteredRows: [UInt8],
        level: Int
    ) throws(CodecError) -> [UInt8] {
        let compressed = try ZlibData.deflated(filteredRows, level: level, for: .png)
        var bytes = signature
        bytes.reserveCapacity(compressed.count + 57)
        // Compression, filter and interlace methods are 0.
        var header: [UInt8] = []
        header.appendInteger(UInt32(truncatingIfNeeded: width), .big)
        header.appendInteger(UInt32(truncatingIfNeeded: height), .big)
        header += [bitDepth, colourType.rawValue, 0, 0, 0]
        appendChunk("IHDR", header, to: &bytes)
        appendChunk("IDAT", compressed, to: &bytes)
        appendChunk("IEND", [], to: &bytes)
        return bytes
    }

    /// 5.3: length, type, data, and the CRC-32 of type and data.
    private static func appendChunk(_ type: String, _ data: [UInt8], to bytes: inout [UInt8]) {
        bytes.appendInteger(UInt32(truncatingIfNeeded: data.count), .big)
        let start = bytes.count
        bytes += Array(type.utf8)
        bytes += data
        bytes.appendInteger(CRC32.checksum(bytes[start...]), .big)
    }
}

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
