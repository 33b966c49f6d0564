import Platform
package import Recording

/// A PNG of one of the kinds that are read, with its rows freed of their filters; nothing is made of the samples.
struct PNGRaster {
    /// Bit depth and colour type (11.2.1, table 11).
    enum Kind {
        case grey8
        case grey16
        case rgb8
        case rgba8

        init?(bitDepth: UInt8, colourType: UInt8) {
            switch (bitDepth, PNGFile.ColourType(rawValue: colourType)) {
            case (8, .grey): self = .grey8
            case (16, .grey): self = .grey16
            case (8, .rgb): self = .rgb8
            case (8, .rgba): self = .rgba8
            default: return nil
            }
        }

        var channels: Int {
            switch self {
            case .grey8, .grey16: 1
            case .rgb8: 3
            case .rgba8: 4
            }
        }

        var bytesPerPixel: Int { self == .grey16 ? 2 : channels }

        var name: String {
            switch self {
            case .grey8: "8-bit grey"
            case .grey16: "16-bit grey"
            case .rgb8: "8-bit colour"
            case .rgba8: "8-bit colour with alpha"
            }
        }
    }

    /// No map tile and no picture is larger, and so no more memory is taken, whatever the file claims.
    private static let sides = 1...4096

    let size: GridSize
    let kind: Kind
    /// Row by row from the top; samples of 16 bits are big-endian.
    let bytes: [UInt8]

    init(_ bytes: [UInt8], expecting kinds: [Kind]) throws(CodecError) {
        size = try PNG.inspect(bytes)
        guard Self.sides.contains(size.width), Self.sides.contains(size.height) else {
            throw CodecError(.png, at: 16, "expected at most 4096x4096 pixels, found \(size.width)x\(size.height)")
        }
        // 11.2.1: bit depth, colour type, and the methods of compression, filtering and interlacing.
        let header = Array(bytes[24..<29])
        let kind = Kind(bitDepth: header[0], colourType: header[1])
        guard let kind, kinds.contains(kind), header[2...] == [0, 0, 0] else {
            let expected = kinds.map(\.name).joined(separator: " or ")
            let found = header[2...] == [0, 0, 0] ? kind?.name : nil
            let reason = "expected \(expected) without interlacing, found \(found ?? "the header \(header)")"
            throw CodecError(.png, at: 24, reason)
        }
        self.kind = kind
        self.bytes = try Self.rows(bytes, size, kind)
    }

    private static func rows(_ bytes: [UInt8], _ size: GridSize, _ kind: Kind) throws(CodecError) -> [UInt8] {
        var rows = try PNGRows(width: size.width, height: size.height, bytesPerPixel: kind.bytesPerPixel)
        var offset = PNGFile.signature.count
        while !rows.isComplete {
            let chunk = try PNGChunk(bytes, at: offset, isVerified: true)
            offset = chunk.content.upperBound + 4
            switch chunk.type {
            case "IDAT": try rows.add(bytes[chunk.content])
            case "IEND":
                throw CodecError(.png, at: offset, "expected \(size.height) rows, found \(rows.count)")
            case "IHDR", "PLTE": break
            // 5.4: a chunk whose first letter is a capital must be understood.
            default:
                guard chunk.isAncillary else { throw CodecError(.png, at: offset, "unknown chunk \(chunk.type)") }
            }
        }
        return rows.pixels
    }
}

/// 5.3: length, type, content, and the CRC-32 of type and content.
struct PNGChunk {
    let type: String
    let content: Range<Int>
    let isAncillary: Bool

    /// - Parameter isVerified: True if the checksum was compared before.
    init(_ bytes: [UInt8], at offset: Int, isVerified: Bool = false) throws(CodecError) {
        func number(_ place: Int) -> Int { bytes[place..<place + 4].reduce(0) { $0 << 8 | Int($1) } }
        guard offset + 12 <= bytes.count, number(offset) <= bytes.count - offset - 12 else {
            throw CodecError(.png, at: offset, "expected a chunk, found the end of the file")
        }
        content = offset + 8..<offset + 8 + number(offset)
        type = String(decoding: bytes[offset + 4..<offset + 8], as: UTF8.self)
        isAncillary = bytes[offset + 4] & 0x20 != 0
        let checked = content.lowerBound - 4..<content.upperBound
        guard isVerified || Int(CRC32.checksum(bytes[checked])) == number(content.upperBound) else {
            throw CodecError(.png, at: offset, "chunk of another checksum")
        }
    }
}

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
