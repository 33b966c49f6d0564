import CZlib
import Recording

/// A decoded PNG of 8 bits a channel (W3C PNG, third edition): colour with or without alpha, not interlaced.
///
/// That is what tiles of heights are; palettes, grey, 16 bits and interlacing are refused.
package struct PNGImage: Sendable {
    /// No map tile is larger, and so no more memory is taken, whatever the file claims.
    private static let sides = 1...4096

    package let width: Int
    package let height: Int
    /// 3, or 4 with alpha.
    package let channels: Int
    /// Row by row from the top, each pixel as red, green, blue and, of four channels, alpha.
    package let pixels: [UInt8]

    package init(decoding bytes: [UInt8]) throws(CodecError) {
        let size = try PNG.inspect(bytes)
        guard Self.sides.contains(size.width), Self.sides.contains(size.height) else {
            throw CodecError(.png, at: 16, "expected at most 4096x4096 pixels, found \(size.width)x\(size.height)")
        }
        // 11.2.1: bit depth, colour type, and the methods of compression, filtering and interlacing.
        let kind = Array(bytes[24..<29])
        guard kind[0] == 8, kind[1] == 2 || kind[1] == 6, kind[2...] == [0, 0, 0] else {
            throw CodecError(.png, at: 24, "expected 8-bit colour without interlacing, found the header \(kind)")
        }
        (width, height, channels) = (size.width, size.height, kind[1] == 2 ? 3 : 4)
        var rows = try PNGRows(width: width, height: height, channels: channels)
        var offset = PNGFile.signature.count
        while !rows.isComplete {
            let chunk = try PNGChunk(bytes, at: offset)
            offset = chunk.content.upperBound + 4
            switch chunk.type {
            case "IDAT": try rows.add(bytes[chunk.content])
            case "IEND":
                throw CodecError(.png, at: offset, "expected \(height) rows, found \(rows.count)")
            case "IHDR", "PLTE": break
            // 5.4: a chunk whose first letter is a capital must be understood.
            default:
                guard chunk.isAncillary else { throw CodecError(.png, at: offset, "unknown chunk \(chunk.type)") }
            }
        }
        pixels = rows.pixels
    }
}

/// 5.3: length, type, content, and the CRC-32 of type and content.
struct PNGChunk {
    let type: String
    let content: Range<Int>
    let isAncillary: Bool

    init(_ bytes: [UInt8], at offset: Int) throws(CodecError) {
        func number(_ place: Int) -> Int { bytes[place..<place + 4].reduce(0) { $0 << 8 | Int($1) } }
        guard offset + 12 <= bytes.count, number(offset) <= bytes.count - offset - 12 else {
            throw CodecError(.png, at: offset, "expected a chunk, found the end of the file")
        }
        content = offset + 8..<offset + 8 + number(offset)
        type = String(decoding: bytes[offset + 4..<offset + 8], as: UTF8.self)
        isAncillary = bytes[offset + 4] & 0x20 != 0
        let checked = content.lowerBound - 4..<content.upperBound
        let checksum = bytes.withUnsafeBufferPointer { buffer in
            crc32_z(0, buffer.baseAddress.map { $0 + checked.lowerBound }, checked.count)
        }
        guard Int(checksum) == number(content.upperBound) else {
            throw CodecError(.png, at: offset, "chunk of another checksum")
        }
    }
}

/// The rows of a PNG as they are decompressed, each freed of its filter (clause 9).
struct PNGRows {
    private(set) var pixels: [UInt8] = []
    private(set) var count = 0
    private let height: Int
    private let channels: Int
    private let inflater: Inflater
    /// The byte of the filter, and the row behind it.
    private var line: [UInt8]
    private var filled = 0
    private var above: [UInt8]

    init(width: Int, height: Int, channels: Int) throws(CodecError) {
        self.height = height
        self.channels = channels
        inflater = try Inflater(.zlib, for: .png)
        above = [UInt8](repeating: 0, count: width * channels)
        line = [UInt8](repeating: 0, count: width * channels + 1)
    }

    var isComplete: Bool { count == height }

    mutating func add(_ data: ArraySlice<UInt8>) throws(CodecError) {
        var consumed = 0
        while !isComplete, !inflater.isFinished {
            let (used, made) = try inflate(data.dropFirst(consumed))
            consumed += used
            filled += made
            if filled == line.count { try finishLine() }
            if used == 0, made == 0 { return }
        }
    }

    private mutating func inflate(_ data: ArraySlice<UInt8>) throws(CodecError) -> (consumed: Int, produced: Int) {
        let (inflater, filled) = (inflater, filled)
        return try data.withUnsafeBufferPointer { (input) throws(CodecError) in
            try line.withUnsafeMutableBufferPointer { (output) throws(CodecError) in
                try inflater.inflate(
                    UnsafeRawBufferPointer(input),
                    into: UnsafeMutableRawBufferPointer(UnsafeMutableBufferPointer(rebasing: output[filled...]))
                )
            }
        }
    }

    private mutating func finishLine() throws(CodecError) {
        guard line[0] <= 4 else { throw CodecError(.png, "row \(count): unknown filter \(line[0])") }
        let filter = line[0]
        for place in above.indices {
            let left = place < channels ? 0 : Int(line[place + 1 - channels])
            let (up, corner) = (Int(above[place]), place < channels ? 0 : Int(aboveLeft(place)))
            let predicted =
                switch filter {
                case 1: left
                case 2: up
                case 3: (left + up) / 2
                case 4: Self.paeth(left, up, corner)
                default: 0
                }
            line[place + 1] &+= UInt8(predicted)
        }
        above = Array(line.dropFirst())
        pixels += above
        filled = 0
        count += 1
    }

    private func aboveLeft(_ place: Int) -> UInt8 { above[place - channels] }

    /// 9.4: of left, up and corner the one nearest to left + up - corner.
    private static func paeth(_ left: Int, _ up: Int, _ corner: Int) -> Int {
        let estimate = left + up - corner
        let (toLeft, toUp, toCorner) = (abs(estimate - left), abs(estimate - up), abs(estimate - corner))
        if toLeft <= toUp, toLeft <= toCorner { return left }
        return toUp <= toCorner ? up : corner
    }
}
