package import Platform
package import SystemPackage

/// Writes a ZIP file (PKWARE APPNOTE 6.3.10) from front to back: stored entries, ZIP64 where a number needs it.
///
/// The same calls give the same bytes: every entry is of 1980-01-01. Memory grows with the number of entries, not with
/// their sizes. The file is no archive before ``finish()``.
package final class ZIPWriter {
    private struct Entry {
        var name: [UInt8]
        var offset: Int
        var size = 0
        var checksum: UInt32 = 0
        /// True if the local header has room for sizes of 64 bits.
        var isWide: Bool
    }

    private let file: OutputFile
    private let narrowLimit: Int
    private var entries: [Entry] = []
    private var open: Entry?

    /// - Parameter narrowLimit: numbers from this one on take 64 bits; lower only in tests.
    package init(creating path: FilePath, narrowLimit: Int = 0xFFFF_FFFF) throws(FileError) {
        file = try OutputFile(creating: path)
        self.narrowLimit = narrowLimit
    }

    /// Adds a whole file; names are relative, with `/`, and each is given once.
    package func add(_ name: String, _ bytes: [UInt8]) throws(FileError) {
        var entry = Entry(
            name: Array(name.utf8),
            offset: file.byteCount,
            isWide: bytes.count >= narrowLimit
        )
        entry.size = bytes.count
        entry.checksum = CRC32.checksum(bytes)
        try file.append(localHeader(entry))
        try file.append(bytes)
        entries.append(entry)
    }

    /// Begins a file whose content comes in pieces; nothing else is added before ``endEntry()``.
    package func beginEntry(_ name: String) throws(FileError) {
        precondition(open == nil, "one file of an archive at a time")
        let entry = Entry(name: Array(name.utf8), offset: file.byteCount, isWide: true)
        try file.append(localHeader(entry))
        open = entry
    }

    /// The next piece of the file that was begun.
    package func append(_ bytes: [UInt8]) throws(FileError) {
        guard var entry = open else { preconditionFailure("a piece of no file") }
        entry.size += bytes.count
        entry.checksum = CRC32.checksum(bytes, continuing: entry.checksum)
        open = entry
        try file.append(bytes)
    }

    /// Ends the file that was begun: its size and checksum are written where they belong.
    package func endEntry() throws(FileError) {
        guard let entry = open else { preconditionFailure("the end of no file") }
        try file.replace(at: entry.offset, with: localHeader(entry))
        entries.append(entry)
        open = nil
    }

    /// Writes the directory and closes the file.
    package func finish() throws(FileError) {
        precondition(open == nil, "a file of the archive has no end")
        let start = file.byteCount
        for entry in entries { try file.append(directoryHeader(entry)) }
        try file.append(trailer(directory: start..<file.byteCount))
        try file.finish()
    }

    /// 4.3.7; a wide entry has both sizes in a ZIP64 extra field (4.5.3).
    private func localHeader(_ entry: Entry) -> [UInt8] {
        let extra = entry.isWide ? Self.extraField([entry.size, entry.size]) : []
        let size = entry.isWide ? 0xFFFF_FFFF : entry.size
        return long(0x0403_4B50) + common(entry, isWide: entry.isWide, sizes: (size, size))
            + short(extra.count) + entry.name + extra
    }

    /// 4.3.12; only numbers that need it stand in the ZIP64 extra field.
    private func directoryHeader(_ entry: Entry) -> [UInt8] {
        let (sizeIsWide, offsetIsWide) = (entry.size >= narrowLimit, entry.offset >= narrowLimit)
        let wide = (sizeIsWide ? [entry.size, entry.size] : []) + (offsetIsWide ? [entry.offset] : [])
        let extra = wide.isEmpty ? [] : Self.extraField(wide)
        let size = sizeIsWide ? 0xFFFF_FFFF : entry.size
        // Made by version 4.5 on MS-DOS: no permissions. Then comment, disk and attributes, all 0.
        return long(0x0201_4B50) + short(45)
            + common(entry, isWide: entry.isWide || !wide.isEmpty, sizes: (size, size))
            + short(extra.count) + [UInt8](repeating: 0, count: 10)
            + long(offsetIsWide ? 0xFFFF_FFFF : entry.offset) + entry.name + extra
    }

    /// The fields of both headers: version needed, flags, method, time, date, checksum, sizes, length of the name.
    private func common(_ entry: Entry, isWide: Bool, sizes: (Int, Int)) -> [UInt8] {
        // 4.4.4: bit 11 says that the name is UTF-8.
        let flags = entry.name.allSatisfy { $0 < 0x80 } ? 0 : 0x0800
        let head = short(isWide ? 45 : 20) + short(flags) + short(0)
        let date = short(0) + short(1 << 5 | 1)
        return head + date + long(Int(entry.checksum)) + long(sizes.0) + long(sizes.1)
            + short(entry.name.count)
    }

    /// 4.3.14 to 4.3.16.
    private func trailer(directory: Range<Int>) -> [UInt8] {
        let count = entries.count
        let isWide = count >= 0xFFFF || directory.count >= narrowLimit || directory.lowerBound >= narrowLimit
        var bytes: [UInt8] = []
        if isWide {
            bytes += long(0x0606_4B50) + wide(44) + short(45) + short(45)
            bytes += wide(0) + wide(count) + wide(count)
            bytes += wide(directory.count) + wide(directory.lowerBound)
            bytes += long(0x0706_4B50) + long(0) + wide(directory.upperBound)
            bytes += long(1)
        }
        let shortCount = isWide ? 0xFFFF : count
        bytes += long(0x0605_4B50) + long(0) + short(shortCount)
        bytes += short(shortCount) + long(isWide ? 0xFFFF_FFFF : directory.count)
        return bytes + long(isWide ? 0xFFFF_FFFF : directory.lowerBound) + short(0)
    }

    private static func extraField(_ values: [Int]) -> [UInt8] {
        short(1) + short(8 * values.count) + values.flatMap { wide($0) }
    }
}

private func short(_ value: Int) -> [UInt8] { .integer(UInt16(truncatingIfNeeded: value)) }
private func long(_ value: Int) -> [UInt8] { .integer(UInt32(truncatingIfNeeded: value)) }
private func wide(_ value: Int) -> [UInt8] { .integer(UInt64(truncatingIfNeeded: value)) }
