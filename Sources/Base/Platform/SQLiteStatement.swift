import CSQLite

/// A prepared statement: bind, step, read columns, reset.
package final class SQLiteStatement {
    private let handle: OpaquePointer
    private let database: SQLiteDatabase

    init(_ handle: OpaquePointer, database: SQLiteDatabase) {
        self.handle = handle
        self.database = database
    }

    deinit {
        // A check of the database tells of pages that cannot be read in its rows.
        database.noteFault()
        sqlite3_finalize(handle)
    }

    // MARK: Parameters, numbered from 1

    package func bind(_ value: Int64, at index: Int32) throws(SQLiteError) {
        try check(sqlite3_bind_int64(handle, index, value))
    }

    /// Binds a copy of the text.
    package func bind(_ text: String, at index: Int32) throws(SQLiteError) {
        var text = text
        let transient = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
        let code = text.withUTF8 { bytes in
            bytes.withMemoryRebound(to: CChar.self) {
                sqlite3_bind_text64(
                    handle,
                    index,
                    $0.baseAddress,
                    UInt64($0.count),
                    transient,
                    UInt8(SQLITE_UTF8)
                )
            }
        }
        try check(code)
    }

    /// Binds bytes without copying them: they must stay where they are until `reset`.
    package func bindWithoutCopy(_ bytes: UnsafeRawBufferPointer, at index: Int32) throws(SQLiteError) {
        guard let base = bytes.baseAddress, !bytes.isEmpty else {
            return try check(sqlite3_bind_zeroblob(handle, index, 0))
        }
        try check(sqlite3_bind_blob64(handle, index, base, UInt64(bytes.count), nil))
    }

    // MARK: Running

    /// Advances to the next row; false when there is none left.
    package func step() throws(SQLiteError) -> Bool {
        let code = sqlite3_step(handle)
        if code == SQLITE_ROW { return true }
        if code == SQLITE_DONE { return false }
        throw failure(code)
    }

    /// Executes a statement without rows, and resets it.
    package func run() throws(SQLiteError) {
        let code = sqlite3_step(handle)
        guard code == SQLITE_DONE || code == SQLITE_ROW else {
            let error = failure(code)
            sqlite3_reset(handle)
            throw error
        }
        sqlite3_reset(handle)
    }

    /// Resets the statement; parameters keep their values.
    package func reset() {
        sqlite3_reset(handle)
    }

    // MARK: Columns of the row at hand, numbered from 0

    package func integer(at column: Int32) -> Int64 {
        sqlite3_column_int64(handle, column)
    }

    /// True if the value is an integer, regardless of the column's declared type.
    package func isInteger(at column: Int32) -> Bool {
        sqlite3_column_type(handle, column) == SQLITE_INTEGER
    }

    package func isNull(at column: Int32) -> Bool {
        sqlite3_column_type(handle, column) == SQLITE_NULL
    }

    /// The text of a column; empty for NULL.
    ///
    /// Ill-formed UTF-8 is replaced.
    package func text(at column: Int32) -> String {
        guard let bytes = sqlite3_column_text(handle, column) else { return "" }
        let count = Int(sqlite3_column_bytes(handle, column))
        return String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
    }

    /// The bytes of a column, valid until the next `step` or `reset`; empty for NULL.
    package func bytes(at column: Int32) -> UnsafeRawBufferPointer {
        let base = sqlite3_column_blob(handle, column)
        return UnsafeRawBufferPointer(start: base, count: base == nil ? 0 : Int(sqlite3_column_bytes(handle, column)))
    }

    private func check(_ code: Int32) throws(SQLiteError) {
        guard code == SQLITE_OK else { throw failure(code) }
    }

    private func failure(_ code: Int32) -> SQLiteError {
        database.error(code, sqlite3_sql(handle).map { String(cString: $0) })
    }
}

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
