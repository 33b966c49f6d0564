import Glibc
package import Platform
package import SystemPackage

/// A connection to a .db3 file as it lies; nothing beside the file changes.
package final class SQLiteConnection {
    package let database: SQLiteDatabase
    private(set) var warnings: [String] = []
    /// Beside the file, and there because of this connection alone.
    private let sharedMemory: FilePath?

    /// Opens a file with its write-ahead log, if it has one.
    ///
    /// - Parameters:
    ///   - named: What errors name, where it is not the path itself.
    ///   - tolerance: With `unfinishedFiles` the journal of an interrupted write is passed over, which may show pages
    ///     of two times, and so is a log that cannot be read; otherwise both are `unfinished`. With `damage` a file that
    ///     was cut is opened.
    package init(opening path: FilePath, named: FilePath? = nil, tolerating tolerance: BagTolerance) throws(BagError) {
        if SQLiteConnection.hasHotJournal(path) {
            let reason = "the journal of an interrupted write beside it"
            guard tolerance.contains(.unfinishedFiles) else { throw .unfinished(path, reason: reason) }
            warnings.append("\(path.lastComponent?.string ?? ""): there is \(reason); rows may be missing or doubled")
        }
        let log = path.appendingSuffix("-wal")
        guard fileBytes(log) > 0 else {
            sharedMemory = nil
            database = try SQLiteConnection.open(path, .immutable, named, tolerance)
            return
        }
        let index = path.appendingSuffix("-shm")
        let isNew = !isRegularFile(index)
        do {
            database = try SQLiteConnection.open(path, .readOnly, named, tolerance)
            sharedMemory = isNew ? index : nil
        } catch {
            if isNew { unlink(index.string) }
            guard case .io(_, let reason) = error else { throw error }
            let found = "a write-ahead log beside it that cannot be read here (\(reason))"
            guard tolerance.contains(.unfinishedFiles) else { throw .unfinished(path, reason: found) }
            warnings.append("\(path.lastComponent?.string ?? ""): there is \(found); it is read without")
            sharedMemory = nil
            database = try SQLiteConnection.open(path, .immutable, named, tolerance)
            return
        }
        warnings.append("\(path.lastComponent?.string ?? "") is read with the write-ahead log beside it")
    }

    deinit {
        guard let sharedMemory else { return }
        try? database.close()
        unlink(sharedMemory.string)
    }

    /// True if there is a journal that SQLite would roll back; its first byte is zero when it was finished with.
    static func hasHotJournal(_ path: FilePath) -> Bool {
        let head = try? RegularFile.head(of: path.appendingSuffix("-journal"), byteCount: 1)
        return head?.first.map { $0 != 0 } ?? false
    }

    private static func open(
        _ path: FilePath,
        _ access: SQLiteDatabase.Access,
        _ named: FilePath?,
        _ tolerance: BagTolerance
    ) throws(BagError) -> SQLiteDatabase {
        try reading {
            let database = try SQLiteDatabase(opening: path, access: access, named: named)
            // A file from anywhere: its schema may call no functions with side effects, and its cells are checked.
            try database.execute("PRAGMA trusted_schema=OFF")
            try database.execute("PRAGMA cell_size_check=ON")
            // Without this SQLite reads nothing of a file that has fewer pages than it says.
            if tolerance.contains(.damage) { try database.execute("PRAGMA writable_schema=ON") }
            // The first look at the content, so that what is wrong with it shows here.
            _ = try database.integer("SELECT count(*) FROM sqlite_master")
            return database
        }
    }
}
