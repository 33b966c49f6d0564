import Containers
import SystemPackage

/// Opens storage files by what is in them.
enum StoredFiles {
    static func open(
        _ path: FilePath,
        messages compression: BlobCodec.Compression,
        tolerating tolerance: BagTolerance
    ) throws(BagError) -> any StoredFile {
        guard let kind = FileKind(of: path) else { throw .notFound(path) }
        let name = path.lastComponent?.string ?? ""
        switch kind {
        case .zstd:
            throw .unsupported(path, what: "a compressed file")
        case .mcap:
            throw .unsupported(path, what: "an MCAP file")
        case .sqlite, .empty, .other:
            // An empty file is a database without tables for SQLite, and what is none is named so by it.
            guard !name.contains(".mcap") else {
                throw .damaged(path, place: "byte 0", expected: "the magic number of MCAP", found: "other bytes")
            }
            let connection = try SQLiteConnection(
                opening: path,
                toleratesJournal: tolerance.contains(.unfinishedFiles)
            )
            return try SQLiteStoredFile(connection, path: path, messages: compression)
        }
    }
}
