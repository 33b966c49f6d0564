import Platform

/// One file header of the central directory (APPNOTE 4.3.12).
struct ZIPRecord {
    var name: ArchiveName
    var size: Int
    /// `nil` for 1980, with which writers fill a time that they do not know.
    var modified: ArchiveTime?
    var location: ZIPDirectory.Location
    /// Where the record stands in the file.
    var offset: Int

    init(reading window: inout FileWindow, base: Int) throws(CodecError) {
        let start = window.position
        offset = start
        let header = try window.next(46)
        let fields = header.withUnsafeBytes { Fields(ByteReader($0)) }
        guard let fields else { throw CodecError(.zip, at: start, "expected a central directory header") }
        name = try ArchiveName.parse(try window.next(fields.nameLength), codec: .zip, at: start)
        let extra = try window.next(fields.extraLength)
        _ = try window.next(fields.commentLength)
        var wide = extra.withUnsafeBytes { WideFields(ByteReader($0)) }
        func widened(_ value: Int) throws(CodecError) -> Int {
            guard value == 0xFFFF_FFFF else { return value }
            guard let result = wide.next() else { throw CodecError(.zip, at: start, "a ZIP64 value is missing") }
            return result
        }
        let isTime = fields.date >> 9 > 0
        modified =
            wide.unixSeconds.map { .unix(seconds: $0) }
            ?? (isTime ? .local(date: fields.date, time: fields.time) : nil)
        size = try widened(fields.size)
        let storedSize = try widened(fields.storedSize)
        let headerOffset = try widened(fields.headerOffset).addingReportingOverflow(base)
        guard !headerOffset.overflow else { throw CodecError(.zip, at: start, "an offset that is too large") }
        location = ZIPDirectory.Location(
            headerOffset: headerOffset.partialValue,
            storedSize: storedSize,
            method: fields.method,
            flags: fields.flags,
            checksum: fields.checksum,
            end: 0
        )
    }

    private struct Fields {
        var flags, method, time, date, storedSize, size, nameLength, extraLength, commentLength, headerOffset: Int
        var checksum: UInt32

        init?(_ reader: ByteReader) {
            guard reader.uint32(at: 0) == 0x0201_4B50 else { return nil }
            flags = reader.uint16(at: 8) ?? 0
            method = reader.uint16(at: 10) ?? 0
            time = reader.uint16(at: 12) ?? 0
            date = reader.uint16(at: 14) ?? 0
            checksum = UInt32(truncatingIfNeeded: reader.uint32(at: 16) ?? 0)
            storedSize = reader.uint32(at: 20) ?? 0
            size = reader.uint32(at: 24) ?? 0
            nameLength = reader.uint16(at: 28) ?? 0
            extraLength = reader.uint16(at: 30) ?? 0
            commentLength = reader.uint16(at: 32) ?? 0
            headerOffset = reader.uint32(at: 42) ?? 0
        }
    }

    /// The values of the ZIP64 extra field, in the order of the header's saturated ones (4.5.3), and Info-ZIP's time.
    private struct WideFields {
        private var values: [Int] = []
        /// The modification time of the extended timestamp (0x5455), where its first bit says that it is there.
        private(set) var unixSeconds: Int?
        private var used = 0

        init(_ reader: ByteReader) {
            var place = 0
            while let tag = reader.uint16(at: place), let length = reader.uint16(at: place + 2) {
                place += 4
                guard length <= reader.count - place else { return }
                if tag == 0x5455, length >= 5, (reader.uint16(at: place) ?? 0) & 1 == 1 {
                    unixSeconds = reader.uint32(at: place + 1)
                }
                if tag == 1, values.isEmpty {
                    // At most three: uncompressed size, compressed size, offset.
                    for field in 0..<min(3, length / 8) {
                        guard let value = reader.uint64(at: place + 8 * field).flatMap(Int.init(exactly:))
                        else {
                            return
                        }
                        values.append(value)
                    }
                }
                place += length
            }
        }

        mutating func next() -> Int? {
            guard used < values.count else { return nil }
            used += 1
            return values[used - 1]
        }
    }
}
