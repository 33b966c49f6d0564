import Platform

/// Where the central directory is, from the records at the end of a ZIP file (APPNOTE 4.3.14 to 4.3.16).
struct ZIPTrailer {
    private(set) var directory: Range<Int>
    private(set) var entryCount: Int
    /// The number to add to the offsets in the file: something may stand before the archive.
    private(set) var base = 0

    init(file: ArchiveFile) throws(CodecError) {
        // The comment has at most 65,535 bytes.
        let tailStart = max(0, file.size - 65_557)
        let tail = try file.bytes(at: tailStart, count: file.size - tailStart)
        guard let place = tail.withUnsafeBytes({ ZIPTrailer.findEnd(in: ByteReader($0)) }) else {
            throw CodecError(.zip, at: tailStart, "expected an end-of-central-directory record, found none: cut short?")
        }
        let fields = tail.withUnsafeBytes { bytes in
            let reader = ByteReader(bytes)
            return (
                disks: (reader.uint16(at: place + 4) ?? 0) | (reader.uint16(at: place + 6) ?? 0),
                count: reader.uint16(at: place + 10) ?? 0,
                size: reader.uint32(at: place + 12) ?? 0,
                offset: reader.uint32(at: place + 16) ?? 0
            )
        }
        var (count, size, offset) = (fields.count, fields.size, fields.offset)
        var directoryEnd = tailStart + place
        if let wide = try ZIPTrailer.readWide(file: file, endRecord: directoryEnd) {
            (count, size, offset, directoryEnd) = wide
        } else if fields.disks != 0, fields.disks != 0xFFFF {
            throw CodecError(.zip, at: directoryEnd, "a part of a multi-disk archive")
        }
        guard size <= directoryEnd, offset <= directoryEnd - size, count <= size / 46 else {
            throw CodecError(
                .zip,
                at: directoryEnd,
                "a directory of \(count) entries in \(size) bytes at \(offset) does not fit"
            )
        }
        directory = directoryEnd - size..<directoryEnd
        entryCount = count
        base = directoryEnd - size - offset
    }

    /// The last record whose comment ends with the file.
    private static func findEnd(in reader: ByteReader) -> Int? {
        var place = reader.count - 22
        while place >= 0 {
            if reader.uint32(at: place) == 0x0605_4B50,
                let comment = reader.uint16(at: place + 20), place + 22 + comment == reader.count
            {
                return place
            }
            place -= 1
        }
        return nil
    }

    private typealias Wide = (count: Int, size: Int, offset: Int, directoryEnd: Int)

    /// The ZIP64 record, if its locator stands before the plain record.
    private static func readWide(file: ArchiveFile, endRecord: Int) throws(CodecError) -> Wide? {
        guard endRecord >= 20 else { return nil }
        let locator = try file.bytes(at: endRecord - 20, count: 20)
        let declared = locator.withUnsafeBytes { bytes -> UInt64? in
            let reader = ByteReader(bytes)
            return reader.uint32(at: 0) == 0x0706_4B50 ? reader.uint64(at: 8) : nil
        }
        guard let declared else { return nil }
        guard let offset = Int(exactly: declared), offset <= endRecord - 76 else {
            throw CodecError(.zip, at: endRecord - 20, "a ZIP64 record outside of the file")
        }
        let record = try file.bytes(at: offset, count: 56)
        let fields = record.withUnsafeBytes { bytes -> (UInt64, UInt64, UInt64)? in
            let reader = ByteReader(bytes)
            guard reader.uint32(at: 0) == 0x0606_4B50, let count = reader.uint64(at: 32),
                let size = reader.uint64(at: 40), let start = reader.uint64(at: 48)
            else { return nil }
            return (count, size, start)
        }
        guard let fields, let count = Int(exactly: fields.0), let size = Int(exactly: fields.1),
            let start = Int(exactly: fields.2)
        else {
            throw CodecError(.zip, at: offset, "expected a ZIP64 end-of-central-directory record")
        }
        return (count, size, start, offset)
    }
}
