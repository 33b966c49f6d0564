import Platform
package import Recording

/// The first directory of a file (section 2).
struct TIFFDirectory {
    /// The fields that are read (section 8, and section 15 for tiles).
    enum Tag: Int {
        case width = 256
        case height = 257
        case bitsPerSample = 258
        case compression = 259
        case stripOffsets = 273
        case samplesPerPixel = 277
        case rowsPerStrip = 278
        case stripByteCounts = 279
        case planarConfiguration = 284
        case tileWidth = 322
        case tileHeight = 323
        case tileOffsets = 324
        case tileByteCounts = 325
        case sampleFormat = 339
        /// GDAL's: the value of pixels without one, as text.
        case noData = 42113
    }

    /// Where the pixels are: strips, or else tiles.
    struct Parts {
        var offsets: [Int]
        var byteCounts: [Int]
        var areTiles: Bool
    }

    /// More strips or tiles than a map tile can have.
    private static let maximumParts = 1 << 16

    private let reader: ByteReader
    private var start = 0
    private var count = 0

    init(_ bytes: UnsafeRawBufferPointer) throws(CodecError) {
        reader = ByteReader(bytes, bytes.first == UInt8(ascii: "I") ? .little : .big)
        guard bytes.count >= 8, bytes.starts(with: "II*\0".utf8) || bytes.starts(with: "MM\0*".utf8) else {
            throw CodecError(.tiff, at: 0, "no TIFF signature")
        }
        guard let offset = reader.uint32(at: 4), let entries = reader.uint16(at: offset), entries > 0,
            offset + 2 + 12 * entries <= bytes.count
        else { throw CodecError(.tiff, at: 4, "expected a directory within \(bytes.count) bytes") }
        start = offset + 2
        count = entries
    }

    func size() throws(CodecError) -> GridSize {
        guard let width = values(.width)?.first, let height = values(.height)?.first, width > 0, height > 0 else {
            throw CodecError(.tiff, at: start, "expected a size above zero")
        }
        return GridSize(width: width, height: height)
    }

    /// All strips or tiles, which lie within the file.
    func parts() throws(CodecError) -> Parts {
        let strips = values(.stripOffsets)
        guard let offsets = strips ?? values(.tileOffsets),
            let byteCounts = values(.stripByteCounts) ?? values(.tileByteCounts), offsets.count == byteCounts.count
        else { throw CodecError(.tiff, at: start, "expected offsets and byte counts of strips or tiles") }
        for (offset, length) in zip(offsets, byteCounts) where length > reader.count - min(offset, reader.count) {
            throw CodecError(.tiff, at: offset, "expected \(length) bytes of pixels, found the end of the file")
        }
        return Parts(offsets: offsets, byteCounts: byteCounts, areTiles: strips == nil)
    }

    /// The values of a field of the type SHORT or LONG; `nil` where there is none, or it is another.
    func values(_ tag: Tag) -> [Int]? {
        guard let entry = entry(tag), let type = reader.uint16(at: entry + 2), type == 3 || type == 4,
            let number = reader.uint32(at: entry + 4), (1...Self.maximumParts).contains(number)
        else { return nil }
        let size = type == 3 ? 2 : 4
        // What fits into four bytes stands in the entry itself.
        guard let place = number * size <= 4 ? entry + 8 : reader.uint32(at: entry + 8) else { return nil }
        var values: [Int] = []
        for index in 0..<number {
            let offset = place + index * size
            guard let one = type == 3 ? reader.uint16(at: offset) : reader.uint32(at: offset) else { return nil }
            values.append(one)
        }
        return values
    }

    /// The text of a field of the type ASCII, of at most 64 bytes.
    func text(_ tag: Tag) -> String? {
        guard let entry = entry(tag), reader.uint16(at: entry + 2) == 2,
            let number = reader.uint32(at: entry + 4), (1...64).contains(number),
            let place = number <= 4 ? entry + 8 : reader.uint32(at: entry + 8)
        else { return nil }
        let bytes = (0..<number).compactMap { reader.byte(at: place + $0) }
        return bytes.count == number ? String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self) : nil
    }

    /// A 32-bit floating point number.
    func float(at offset: Int) -> Float? {
        reader.integer(at: offset).map(Float.init(bitPattern:))
    }

    private func entry(_ tag: Tag) -> Int? {
        (0..<count).map { start + 12 * $0 }.first { reader.uint16(at: $0) == tag.rawValue }
    }
}

/// Reading TIFF (TIFF 6.0): the header of any, and heights as uncompressed Float32.
package enum TIFF {
    /// The size of the first image of a TIFF all of whose strips or tiles lie within the file.
    package static func inspect(_ bytes: [UInt8]) throws(CodecError) -> GridSize {
        try bytes.withUnsafeBufferPointer { (buffer) throws(CodecError) in
            let directory = try TIFFDirectory(UnsafeRawBufferPointer(buffer))
            let size = try directory.size()
            _ = try directory.parts()
            return size
        }
    }
}
