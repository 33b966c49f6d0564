package import Recording

/// Reading a TIFF's header (TIFF 6.0): enough to pass a file on, nothing is decoded.
package enum TIFF {
    /// More strips or tiles than a map tile can have.
    private static let maximumParts = 1 << 16

    /// The size of the first image of a TIFF all of whose strips or tiles lie within the file.
    package static func inspect(_ bytes: [UInt8]) throws(CodecError) -> GridSize {
        try bytes.withUnsafeBufferPointer { (buffer) throws(CodecError) in
            try TIFFDirectory(UnsafeRawBufferPointer(buffer)).size()
        }
    }

    /// The first directory of a file (section 2).
    private struct TIFFDirectory {
        private let reader: ByteReader
        private let isLittleEndian: Bool
        private var start = 0
        private var count = 0

        init(_ bytes: UnsafeRawBufferPointer) throws(CodecError) {
            reader = ByteReader(bytes)
            guard bytes.count >= 8, bytes.starts(with: "II*\0".utf8) || bytes.starts(with: "MM\0*".utf8) else {
                throw CodecError(.tiff, at: 0, "no TIFF signature")
            }
            isLittleEndian = bytes[0] == UInt8(ascii: "I")
            guard let offset = value(at: 4, byteCount: 4), let entries = value(at: offset, byteCount: 2), entries > 0,
                offset + 2 + 12 * entries <= bytes.count
            else { throw CodecError(.tiff, at: 4, "expected a directory within \(bytes.count) bytes") }
            start = offset + 2
            count = entries
        }

        func size() throws(CodecError) -> GridSize {
            guard let width = values(256)?.first, let height = values(257)?.first, width > 0, height > 0 else {
                throw CodecError(.tiff, at: start, "expected a size above zero")
            }
            // Strips, or else tiles: offsets and byte counts.
            guard let offsets = values(273) ?? values(324), let lengths = values(279) ?? values(325),
                offsets.count == lengths.count
            else { throw CodecError(.tiff, at: start, "expected offsets and byte counts of strips or tiles") }
            for (offset, length) in zip(offsets, lengths) where length > reader.count - min(offset, reader.count) {
                throw CodecError(.tiff, at: offset, "expected \(length) bytes of pixels, found the end of the file")
            }
            return GridSize(width: width, height: height)
        }

        /// The values of a field of the type SHORT or LONG; `nil` where there is none, or it is another.
        private func values(_ tag: Int) -> [Int]? {
            guard let entry = (0..<count).map({ start + 12 * $0 }).first(where: { value(at: $0, byteCount: 2) == tag }),
                let type = value(at: entry + 2, byteCount: 2), type == 3 || type == 4,
                let number = value(at: entry + 4, byteCount: 4), (1...TIFF.maximumParts).contains(number)
            else { return nil }
            let size = type == 3 ? 2 : 4
            // What fits into four bytes stands in the entry itself.
            guard let place = number * size <= 4 ? entry + 8 : value(at: entry + 8, byteCount: 4) else { return nil }
            var values: [Int] = []
            for index in 0..<number {
                guard let one = value(at: place + index * size, byteCount: size) else { return nil }
                values.append(one)
            }
            return values
        }

        private func value(at offset: Int, byteCount: Int) -> Int? {
            var value = 0
            for index in 0..<byteCount {
                guard let byte = reader.byte(at: offset + (isLittleEndian ? byteCount - 1 - index : index)) else {
                    return nil
                }
                value = value << 8 | Int(byte)
            }
            return value
        }
    }
}
