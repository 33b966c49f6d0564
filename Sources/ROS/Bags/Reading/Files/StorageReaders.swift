import Platform
import SystemPackage

/// Opens storage files by what is in them.
enum StorageReaders {
    static func open(
        _ path: FilePath,
        messages compression: BlobCodec.Compression,
        tolerating tolerance: BagTolerance,
        unpacking limit: UnpackLimit
    ) throws(BagError) -> any StorageReader {
        guard let kind = FileKind(of: path) else { throw .notFound(path) }
        guard !FileKind.isPointer(path) else { throw .notFetched(path) }
        var opening = Opening(path: path, compression: compression, tolerance: tolerance)
        guard kind == .zstd || SharedFrames.isHeadless(path) else {
            return try opening.plain(path, kind, unpackedBytes: nil)
        }
        let (unpacked, problem, remark) = try Unpacking.file(
            path,
            keepsPart: tolerance.contains(.damage),
            limit: limit
        )
        if let remark { opening.warnings = ["\(path.lastComponent?.string ?? path.string): \(remark)"] }
        return try reading {
            let kind = try FileKind(of: unpacked.descriptor)
            guard kind == .sqlite || kind == .mcap else {
                throw problem
                    ?? .damaged(path, place: "content", expected: "a .db3 or .mcap file", found: "something else")
            }
            let size = Int(try unpacked.descriptor.seek(offset: 0, from: .end))
            // An MCAP file is read through the descriptor; SQLite keeps what it opened by name.
            return try unpacked.withName { try opening.plain($0, kind, unpackedBytes: size) }
        }
    }
}

private struct Opening {
    /// The path that errors name.
    let path: FilePath
    let compression: BlobCodec.Compression
    let tolerance: BagTolerance
    /// The oddities of its packing.
    var warnings: [String] = []

    /// - Parameter content: The path itself, or what was unpacked.
    func plain(_ content: FilePath, _ kind: FileKind, unpackedBytes: Int?) throws(BagError) -> any StorageReader {
        switch kind {
        case .mcap:
            return try MCAPStorageReader(
                opening: content,
                path: path,
                unpackedBytes: unpackedBytes,
                messages: compression,
                tolerating: tolerance,
                warnings: warnings
            )
        case .sqlite, .empty, .other, .zstd:
            // An empty file is a database without tables for SQLite, and what is none is named so by it.
            guard kind == .sqlite || !(path.lastComponent?.string ?? "").contains(".mcap") else {
                throw .damaged(path, place: "byte 0", expected: "the magic number of MCAP", found: "other bytes")
            }
            do {
                let file = try sqlite(content, unpackedBytes, nil)
                guard tolerance.contains(.salvage), let damage = try damage(of: file) else { return file }
                return try salvaged(content, unpackedBytes, damage) ?? file
            } catch {
                guard tolerance.contains(.salvage), kind == .sqlite, case .damaged = error,
                    let saved = try salvaged(content, unpackedBytes, error)
                else { throw error }
                return saved
            }
        }
    }

    /// Why what a file's tables give is not what is in it; nil where it may be.
    private func damage(of file: SQLiteStorageReader) throws(BagError) -> BagError? {
        let census = try file.census()
        guard census.needsSalvage || census.counts.isEmpty else { return nil }
        let found = census.damage.first ?? "none"
        return .damaged(path, place: "messages", expected: "every row once", found: found)
    }

    private func sqlite(
        _ content: FilePath,
        _ unpackedBytes: Int?,
        _ salvage: SalvageNote?
    ) throws(BagError) -> SQLiteStorageReader {
        try SQLiteStorageReader(
            SQLiteConnection(opening: content, named: path, tolerating: tolerance),
            path: path,
            unpackedBytes: unpackedBytes,
            messages: compression,
            tolerating: tolerance,
            salvage: salvage,
            warnings: warnings
        )
    }

    /// A reader of the part of a .db3 file that can be saved; nil for nothing.
    private func salvaged(
        _ content: FilePath,
        _ unpackedBytes: Int?,
        _ problem: BagError
    ) throws(BagError) -> SQLiteStorageReader? {
        // A log has newer pages than the file: `repair` takes it in.
        guard fileBytes(content.appendingSuffix("-wal")) == 0 else { return nil }
        return try writing {
            let target = try NamelessFile()
            return try target.withName { name in
                let salvage = try wholePages(content) {
                    try SQLiteSalvage.salvage($0, of: content, to: name, topics: [:])
                }
                guard salvage.messageCount > 0 else { return nil }
                return try sqlite(name, unpackedBytes, SalvageNote(salvage, problem))
            }
        }
    }

    /// Gives the file, or a copy without what is there of a page that is cut.
    private func wholePages<Result>(_ content: FilePath, _ body: (FilePath) throws -> Result) throws -> Result {
        let cutBytes = try SQLiteSalvage.cutPageBytes(content)
        guard cutBytes > 0 else { return try body(content) }
        let copy = try NamelessFile()
        try FileCopy.copy(content, to: copy.descriptorPath)
        try copy.descriptor.resize(to: Int64(fileBytes(content)) - cutBytes)
        return try copy.withName(body)
    }
}
