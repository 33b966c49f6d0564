import Bags
import Containers
import Glibc
import SystemPackage

/// A connection to a file as it lies, with its write-ahead log; nothing beside the file stays changed.
final class SQLiteFileConnection {
    let database: SQLiteDatabase
    /// Beside the file, and there because of this connection alone.
    private let sharedMemory: FilePath?

    init(_ path: FilePath) throws(SQLiteError) {
        let index = FilePath(path.string + "-shm")
        let isNew = !isRegularFile(index)
        if let withLog = SQLiteFileConnection.openWithLog(path) {
            database = withLog
            sharedMemory = isNew ? index : nil
        } else {
            database = try SQLiteDatabase(opening: path, access: .immutable)
            sharedMemory = nil
        }
        // A file from anywhere: its schema may call no functions with side effects, and its cells are checked.
        try database.execute("PRAGMA trusted_schema=OFF")
        try database.execute("PRAGMA cell_size_check=ON")
    }

    deinit {
        guard let sharedMemory else { return }
        try? database.close()
        unlink(sharedMemory.string)
    }

    /// nil without a log, or where it cannot be read, as on read-only media.
    private static func openWithLog(_ path: FilePath) -> SQLiteDatabase? {
        guard fileBytes(FilePath(path.string + "-wal")) > 0 else { return nil }
        do throws(SQLiteError) {
            let database = try SQLiteDatabase(opening: path, access: .readOnly)
            _ = try database.integer("SELECT count(*) FROM sqlite_master")
            return database
        } catch {
            return nil
        }
    }
}
