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
        guard kind == .zstd else {
            return try openPlain(path, kind, named: path, messages: compression, tolerating: tolerance)
        }
        let (unpacked, problem) = try Unpacking.file(path, keepsPart: tolerance.contains(.damage))
        return try reading {
            let kind = try FileKind(of: unpacked.descriptor)
            guard kind == .sqlite || kind == .mcap else {
                throw problem
                    ?? .damaged(path, place: "content", expected: "a .db3 or .mcap file", found: "something else")
            }
            // An MCAP file is read through the descriptor; SQLite keeps what it opened by name.
            return try unpacked.withName {
                try openPlain($0, kind, named: path, messages: compression, tolerating: tolerance)
            }
        }
    }

    /// - Parameter named: what errors name.
    private static func openPlain(
        _ path: FilePath,
        _ kind: FileKind,
        named: FilePath,
        messages compression: BlobCodec.Compression,
        tolerating tolerance: BagTolerance
    ) throws(BagError) -> any StoredFile {
        switch kind {
        case .mcap:
            throw .unsupported(named, what: "an MCAP file")
        case .sqlite, .empty, .other, .zstd:
            // An empty file is a database without tables for SQLite, and what is none is named so by it.
            guard !(path.lastComponent?.string ?? "").contains(".mcap") else {
                throw .damaged(named, place: "byte 0", expected: "the magic number of MCAP", found: "other bytes")
            }
            let connection = try SQLiteConnection(
                opening: path,
                named: named,
                toleratesJournal: tolerance.contains(.unfinishedFiles)
            )
            return try SQLiteStoredFile(connection, path: named, messages: compression)
        }
    }
}
