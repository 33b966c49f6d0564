import Platform

/// Reads the central directory of a ZIP file (APPNOTE 4.3.12 to 4.3.16).
struct ZIPDirectory {
    /// Where an entry lies, as the central directory says.
    struct Location: Hashable, Sendable {
        var headerOffset: Int
        var storedSize: Int
        var method: Int
        var flags: Int
        var checksum: UInt32
        /// Where the next entry, or the central directory, starts: the data ends before.
        var end: Int
    }

    private let file: ArchiveFile
    private let trailer: ZIPTrailer

    init(file: ArchiveFile) throws(CodecError) {
        self.file = file
        trailer = try ZIPTrailer(file: file)
    }

    func readIndex() throws(CodecError) -> ArchiveIndex<Location> {
        var index = ArchiveIndex<Location>(codec: .zip)
        let records = try readRecords()
        let ends = try entryEnds(of: records)
        for (record, end) in zip(records, ends) {
            guard case .file(let name) = record.name else { continue }
            var location = record.location
            location.end = end
            try index.add(name, size: record.size, modified: record.modified, location: location, at: record.offset)
        }
        return index
    }

    private func readRecords() throws(CodecError) -> [ZIPRecord] {
        var window = FileWindow(file: file, range: trailer.directory)
        var records: [ZIPRecord] = []
        for _ in 0..<trailer.entryCount {
            records.append(try ZIPRecord(reading: &window, base: trailer.base))
        }
        return records
    }

    /// For each record, where the bytes that may be its own end; entries that share bytes are refused.
    private func entryEnds(of records: [ZIPRecord]) throws(CodecError) -> [Int] {
        let order = records.indices.sorted { records[$0].location.headerOffset < records[$1].location.headerOffset }
        var ends = [Int](repeating: trailer.directory.lowerBound, count: records.count)
        for (place, current) in order.enumerated() {
            let location = records[current].location
            if place + 1 < order.count {
                ends[current] = records[order[place + 1]].location.headerOffset
            }
            let available = ends[current].subtractingReportingOverflow(location.headerOffset)
            guard !available.overflow, available.partialValue >= 30,
                location.storedSize <= available.partialValue - 30
            else {
                throw CodecError(
                    .zip,
                    at: records[current].offset,
                    "an entry at \(location.headerOffset) of \(location.storedSize) bytes overlaps \(ends[current])"
                )
            }
        }
        return ends
    }
}

/// A ZIP file (PKWARE APPNOTE 6.3.10): stored and deflated entries, ZIP64, no encryption.
///
/// The central directory decides; local headers only say where data starts. An archive whose entries overlap, leave the
/// file, repeat a name or have a name that leads out of it is refused whole.
package struct ZIPArchive: Archive {
    private let file: ArchiveFile
    private let index: ArchiveIndex<ZIPDirectory.Location>

    package init(path: String) throws(CodecError) {
        file = try ArchiveFile(path: path, codec: .zip)
        index = try ZIPDirectory(file: file).readIndex()
    }

    package var entries: [ArchiveEntry] { index.entries }

    package func size(of name: String) -> Int? { index.size(of: name) }

    package func modified(_ name: String) -> ArchiveTime? { index.modified(name) }

    package func read(_ name: String, into bytes: inout [UInt8], maximumBytes: Int) throws(CodecError) {
        let extent = try extent(of: name)
        try EntryStream.readWhole(file: file, name: name, extent: extent, maximumBytes: maximumBytes, into: &bytes)
    }

    package func part(of name: String) -> FilePart? { (try? extent(of: name))?.part(of: file) }

    package func stream(_ name: String) throws(CodecError) -> EntryStream {
        try EntryStream(file: file, name: name, extent: extent(of: name))
    }

    private func extent(of name: String) throws(CodecError) -> EntryStream.Extent {
        let (size, location) = try index.find(name)
        func problem(_ reason: String) -> CodecError {
            CodecError(.zip, at: location.headerOffset, "entry \(quoted(name)): \(reason)")
        }
        // 4.4.4: bit 0 is encryption, bit 13 hides the local header's values.
        guard location.flags & 0x2001 == 0 else { throw problem("it is encrypted") }
        guard location.method == 0 || location.method == 8 else {
            throw problem("expected compression method 0 or 8, found \(location.method)")
        }
        // A DEFLATE stream cannot grow by more than 1032 times, so that a larger size is a lie.
        guard size / 1032 <= location.storedSize else {
            throw problem("\(location.storedSize) bytes cannot hold the declared \(size)")
        }
        let header = try file.bytes(at: location.headerOffset, count: 30)
        let (nameLength, extraLength) = header.withUnsafeBytes { bytes in
            let reader = ByteReader(bytes)
            let isHeader = reader.uint32(at: 0) == 0x0403_4B50
            return (isHeader ? reader.uint16(at: 26) : nil, reader.uint16(at: 28))
        }
        guard let nameLength, let extraLength else { throw problem("expected a local header") }
        let start = location.headerOffset + 30 + nameLength + extraLength
        guard start <= location.end, location.storedSize <= location.end - start else {
            throw problem("its \(location.storedSize) bytes overlap what follows at \(location.end)")
        }
        return EntryStream.Extent(
            offset: start,
            storedSize: location.storedSize,
            size: size,
            isDeflated: location.method == 8,
            checksum: location.checksum
        )
    }
}

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
