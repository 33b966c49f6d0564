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
            try index.add(name, size: record.size, location: location, at: record.offset)
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
