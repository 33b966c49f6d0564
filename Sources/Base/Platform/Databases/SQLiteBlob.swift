import CSQLite

/// Reads parts of the blobs of one column, without loading whole blobs.
package final class SQLiteBlob {
    private var handle: OpaquePointer?
    private let database: SQLiteDatabase
    private let table: String
    private let column: String

    /// - Parameter column: a column of blobs in a table of the main database with rowids.
    package init(_ database: SQLiteDatabase, table: String, column: String) {
        self.database = database
        self.table = table
        self.column = column
    }

    deinit {
        sqlite3_blob_close(handle)
    }

    /// Moves to another row; an error if there is no such row, or no blob in it.
    package func open(row: Int64) throws(SQLiteError) {
        if handle == nil {
            handle = try database.openBlob(table: table, column: column, row: row)
            return
        }
        let code = sqlite3_blob_reopen(handle, row)
        guard code == SQLITE_OK else {
            // A blob handle is unusable after an error.
            let error = database.error(code, nil)
            sqlite3_blob_close(handle)
            handle = nil
            throw error
        }
    }

    /// The size of the current blob.
    package var count: Int { handle == nil ? 0 : Int(sqlite3_blob_bytes(handle)) }

    /// The first bytes of the blob, at most `limit`.
    package func firstBytes(_ limit: Int) throws(SQLiteError) -> [UInt8] {
        let size = min(max(0, limit), count)
        guard size > 0 else { return [] }
        var code = SQLITE_OK
        let bytes = [UInt8](unsafeUninitializedCapacity: size) { buffer, initialized in
            code = sqlite3_blob_read(handle, buffer.baseAddress, Int32(size), 0)
            initialized = code == SQLITE_OK ? size : 0
        }
        guard code == SQLITE_OK else { throw database.error(code, nil) }
        return bytes
    }
}
