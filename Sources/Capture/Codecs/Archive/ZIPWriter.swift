import CZlib
package import Files
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
        var checksum: UInt = 0
        /// Whether the local header has room for sizes of 64 bits.
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
        entry.checksum = Self.checksum(0, bytes)
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
        entry.checksum = Self.checksum(entry.checksum, bytes)
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
        return Self.little(0x0403_4B50, 4) + common(entry, isWide: entry.isWide, sizes: (size, size))
            + Self.little(extra.count, 2) + entry.name + extra
    }

    /// 4.3.12; only numbers that need it stand in the ZIP64 extra field.
    private func directoryHeader(_ entry: Entry) -> [UInt8] {
        let (sizeIsWide, offsetIsWide) = (entry.size >= narrowLimit, entry.offset >= narrowLimit)
        let wide = (sizeIsWide ? [entry.size, entry.size] : []) + (offsetIsWide ? [entry.offset] : [])
        let extra = wide.isEmpty ? [] : Self.extraField(wide)
        let size = sizeIsWide ? 0xFFFF_FFFF : entry.size
        // Made by version 4.5 on MS-DOS: no permissions. Then comment, disk and attributes, all 0.
        return Self.little(0x0201_4B50, 4) + Self.little(45, 2)
            + common(entry, isWide: entry.isWide || !wide.isEmpty, sizes: (size, size))
            + Self.little(extra.count, 2) + [UInt8](repeating: 0, count: 10)
            + Self.little(offsetIsWide ? 0xFFFF_FFFF : entry.offset, 4) + entry.name + extra
    }

    /// What both headers have: version needed, flags, method, time, date, checksum, sizes, length of the name.
    private func common(_ entry: Entry, isWide: Bool, sizes: (Int, Int)) -> [UInt8] {
        // 4.4.4: bit 11 says that the name is UTF-8.
        let flags = entry.name.allSatisfy { $0 < 0x80 } ? 0 : 0x0800
        let head = Self.little(isWide ? 45 : 20, 2) + Self.little(flags, 2) + Self.little(0, 2)
        let date = Self.little(0, 2) + Self.little(1 << 5 | 1, 2)
        return head + date + Self.little(Int(entry.checksum), 4) + Self.little(sizes.0, 4) + Self.little(sizes.1, 4)
            + Self.little(entry.name.count, 2)
    }

    /// 4.3.14 to 4.3.16.
    private func trailer(directory: Range<Int>) -> [UInt8] {
        let count = entries.count
        let isWide = count >= 0xFFFF || directory.count >= narrowLimit || directory.lowerBound >= narrowLimit
        var bytes: [UInt8] = []
        if isWide {
            bytes += Self.little(0x0606_4B50, 4) + Self.little(44, 8) + Self.little(45, 2) + Self.little(45, 2)
            bytes += Self.little(0, 8) + Self.little(count, 8) + Self.little(count, 8)
            bytes += Self.little(directory.count, 8) + Self.little(directory.lowerBound, 8)
            bytes += Self.little(0x0706_4B50, 4) + Self.little(0, 4) + Self.little(directory.upperBound, 8)
            bytes += Self.little(1, 4)
        }
        let shortCount = isWide ? 0xFFFF : count
        bytes += Self.little(0x0605_4B50, 4) + Self.little(0, 4) + Self.little(shortCount, 2)
        bytes += Self.little(shortCount, 2) + Self.little(isWide ? 0xFFFF_FFFF : directory.count, 4)
        return bytes + Self.little(isWide ? 0xFFFF_FFFF : directory.lowerBound, 4) + Self.little(0, 2)
    }

    private static func extraField(_ values: [Int]) -> [UInt8] {
        little(1, 2) + little(8 * values.count, 2) + values.flatMap { little($0, 8) }
    }

    private static func checksum(_ start: UInt, _ bytes: [UInt8]) -> UInt {
        bytes.withUnsafeBufferPointer { crc32_z(start, $0.baseAddress, $0.count) }
    }

    private static func little(_ value: Int, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }
}
