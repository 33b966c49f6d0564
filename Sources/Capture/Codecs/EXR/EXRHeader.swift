import Platform

/// The attributes at the beginning of an OpenEXR file (OpenEXR file layout, "Header").
struct EXRHeader {
    enum PixelType: Int {
        case unsigned = 0
        case half = 1
        case float = 2

        var byteCount: Int { self == .half ? 2 : 4 }
    }

    struct Channel {
        var name: String
        var type: PixelType
    }

    /// How rows are packed, of which three kinds are read.
    enum Compression: Int {
        case none = 0
        /// zlib, row by row.
        case rows = 2
        /// zlib, 16 rows at a time.
        case blocks = 3

        var rowCount: Int { self == .blocks ? 16 : 1 }
    }

    /// More than any depth map has: what a header claims beyond is refused.
    private static let sides = 1...4096
    private static let channelLimit = 64
    private static let compressionNames = [
        "none", "RLE", "ZIPS", "ZIP", "PIZ", "PXR24", "B44", "B44A", "DWAA", "DWAB",
    ]

    /// In the order in which they lie in a row.
    private(set) var channels: [Channel] = []
    private(set) var compression = Compression.none
    private(set) var width = 0
    private(set) var height = 0
    private(set) var firstRow = 0
    /// Where the table of offsets begins.
    private(set) var byteCount = 0

    var rowByteCount: Int { width * channels.reduce(0) { $0 + $1.type.byteCount } }
    var blockCount: Int { (height + compression.rowCount - 1) / compression.rowCount }

    init(_ reader: ByteReader) throws(CodecError) {
        guard reader.uint32(at: 0) == 0x0131_2F76, let version = reader.uint32(at: 4) else {
            throw CodecError(.exr, at: 0, "no OpenEXR signature")
        }
        try Self.checkVersion(version)
        var offset = 8
        var found: Set<String> = []
        while true {
            let name = try Self.text(reader, &offset)
            if name.isEmpty { break }
            let type = try Self.text(reader, &offset)
            guard let size = reader.uint32(at: offset), size <= reader.count - offset - 4 else {
                throw CodecError(.exr, at: offset, "expected the attribute \(name), found the end of the file")
            }
            offset += 4
            try read(name, type, reader, offset..<offset + size)
            found.insert(name)
            offset += size
        }
        byteCount = offset
        for name in ["channels", "compression", "dataWindow"] where !found.contains(name) {
            throw CodecError(.exr, at: offset, "expected the attribute \(name) in the header, found none")
        }
    }

    /// Format 2 in the lowest byte, then flags.
    private static func checkVersion(_ version: Int) throws(CodecError) {
        guard version & 0xFF == 2 else {
            throw CodecError(.exr, at: 4, "expected version 2, found \(version & 0xFF)")
        }
        for (flag, name) in [(0x200, "tiles"), (0x800, "deep data"), (0x1000, "several parts")] {
            if version & flag != 0 { throw CodecError(.exr, at: 4, "expected one part of plain rows, found \(name)") }
        }
        // What is left is whether names are long.
        guard version >> 8 & ~0x1E == 0 else { throw CodecError(.exr, at: 4, "unknown flags in \(version)") }
    }

    private mutating func read(
        _ name: String,
        _ type: String,
        _ reader: ByteReader,
        _ range: Range<Int>
    ) throws(CodecError) {
        switch (name, type) {
        case ("channels", "chlist"): try readChannels(reader, range)
        case ("compression", "compression"):
            let number = range.count == 1 ? Int(reader.byte(at: range.lowerBound) ?? 0) : -1
            guard let compression = Compression(rawValue: number) else {
                let isKnown = Self.compressionNames.indices.contains(number)
                let name = isKnown ? Self.compressionNames[number] : "number \(number)"
                let found = "expected no compression, ZIPS or ZIP, found \(name)"
                throw CodecError(.exr, at: range.lowerBound, found)
            }
            self.compression = compression
        case ("dataWindow", "box2i"): try readWindow(reader, range)
        case ("lineOrder", "lineOrder"):
            guard range.count == 1, reader.byte(at: range.lowerBound) == 0 else {
                throw CodecError(.exr, at: range.lowerBound, "expected rows from top to bottom, found another order")
            }
        case ("channels", _), ("compression", _), ("dataWindow", _), ("lineOrder", _):
            throw CodecError(.exr, at: range.lowerBound, "the attribute \(name) of the type \(type)")
        default: break
        }
    }

    private mutating func readWindow(_ reader: ByteReader, _ range: Range<Int>) throws(CodecError) {
        guard range.count == 16 else { throw CodecError(.exr, at: range.lowerBound, "a data window of another size") }
        let numbers = (0..<4).map { index in
            Int(Int32(truncatingIfNeeded: reader.uint32(at: range.lowerBound + 4 * index) ?? 0))
        }
        (width, height, firstRow) = (numbers[2] - numbers[0] + 1, numbers[3] - numbers[1] + 1, numbers[1])
        guard Self.sides.contains(width), Self.sides.contains(height) else {
            let found = "expected 1 to \(Self.sides.upperBound) columns and rows, found \(width)x\(height)"
            throw CodecError(.exr, at: range.lowerBound, found)
        }
    }

    /// Name, type, a byte and three reserved, and how columns and rows are sampled; an empty name ends the list.
    private mutating func readChannels(_ reader: ByteReader, _ range: Range<Int>) throws(CodecError) {
        var offset = range.lowerBound
        channels = []
        while true {
            let start = offset
            let name = try Self.text(reader, &offset)
            if name.isEmpty { break }
            guard offset + 16 <= range.upperBound, let number = reader.uint32(at: offset),
                let type = PixelType(rawValue: number)
            else { throw CodecError(.exr, at: start, "the channel \(name) is of no known type") }
            guard reader.uint32(at: offset + 8) == 1, reader.uint32(at: offset + 12) == 1 else {
                throw CodecError(.exr, at: start, "the channel \(name) does not have every pixel")
            }
            channels.append(Channel(name: name, type: type))
            offset += 16
            guard channels.count <= Self.channelLimit else {
                throw CodecError(.exr, at: start, "more than \(Self.channelLimit) channels")
            }
        }
        guard !channels.isEmpty, offset == range.upperBound else {
            throw CodecError(.exr, at: range.lowerBound, "a list of \(channels.count) channels that does not end")
        }
    }

    /// Up to 255 bytes and a zero.
    private static func text(_ reader: ByteReader, _ offset: inout Int) throws(CodecError) -> String {
        var bytes: [UInt8] = []
        let start = offset
        while let byte = reader.byte(at: offset), bytes.count < 256 {
            offset += 1
            if byte == 0 { return String(decoding: bytes, as: UTF8.self) }
            bytes.append(byte)
        }
        throw CodecError(.exr, at: start, "expected a name of at most 255 bytes, found no end of it")
    }
}
