import CSQLite
package import SystemPackage

/// A connection to an SQLite file; closed by `close` or on deinitialisation.
///
/// It must not be used from several tasks at a time; its owner is usually an actor.
package final class SQLiteDatabase {
    package enum Access: Sendable {
        /// Opens for writing, and creates the file if there is none.
        case readWrite
        /// Reads with locks and the write-ahead log, as another program may be writing.
        case readOnly
        /// Reads the file as immutable: no locks, no journal, no log; works on read-only media.
        case immutable
    }

    package let path: FilePath
    private var handle: OpaquePointer?

    /// - Parameter named: The name in errors, if it is not the path.
    package init(opening path: FilePath, access: Access, named: FilePath? = nil) throws(SQLiteError) {
        self.path = named ?? path
        var flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
        var name = path.string
        // SQLite would block on a named pipe.
        if let type = FileType(of: path), type != .regular {
            let message = "it is \(type.rawValue), no regular file"
            throw SQLiteError(path: self.path, code: SQLITE_CANTOPEN, message: message)
        }
        switch access {
        case .readWrite: flags |= SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
        case .readOnly: flags |= SQLITE_OPEN_READONLY
        case .immutable:
            flags |= SQLITE_OPEN_READONLY | SQLITE_OPEN_URI
            // In a URI these have a meaning.
            let escaped = percentEncoded(path.string) { !"?#%".utf8.contains($0) }
            name = "file:\(escaped)?immutable=1"
        }
        let code = sqlite3_open_v2(name, &handle, flags, nil)
        guard code == SQLITE_OK else {
            let error = self.error(code, nil)
            sqlite3_close_v2(handle)
            handle = nil
            throw error
        }
    }

    deinit {
        sqlite3_close_v2(handle)
    }

    /// Bounds what the views and values of a file of unknown origin may cost.
    ///
    /// - Parameters:
    ///   - valueBytes: a statement fails where a value that it reads has more.
    ///   - steps: a statement fails after so many instructions of SQLite's machine, some ten for each row.
    package func limit(valueBytes: Int32, steps: Int32) throws(SQLiteError) {
        sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, valueBytes)
        sqlite3_progress_handler(handle, steps, { _ in 1 }, nil)
        // Views must not call functions that do more than compute.
        try execute("PRAGMA trusted_schema = OFF")
    }

    /// Closes the connection; throws an error of the last writes.
    ///
    /// Prepared statements must be finalised or unused.
    package func close() throws(SQLiteError) {
        guard let open = handle else { return }
        let code = sqlite3_close_v2(open)
        handle = nil
        guard code == SQLITE_OK else { throw error(code, nil) }
    }

    /// Executes statements and discards their rows.
    package func execute(_ sql: String) throws(SQLiteError) {
        let code = sqlite3_exec(handle, sql, nil, nil, nil)
        guard code == SQLITE_OK else { throw error(code, sql) }
    }

    /// Prepares one statement, which keeps this connection alive.
    package func prepare(_ sql: String) throws(SQLiteError) -> SQLiteStatement {
        var statement: OpaquePointer?
        let code = sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
        guard code == SQLITE_OK, let statement else { throw error(code, sql) }
        return SQLiteStatement(statement, database: self)
    }

    /// The first column of the first row as a number, or nil if there is no row.
    package func integer(_ sql: String) throws(SQLiteError) -> Int64? {
        let statement = try prepare(sql)
        return try statement.step() ? statement.integer(at: 0) : nil
    }

    func openBlob(table: String, column: String, row: Int64) throws(SQLiteError) -> OpaquePointer? {
        var blob: OpaquePointer?
        let code = sqlite3_blob_open(handle, "main", table, column, row, 0, &blob)
        guard code == SQLITE_OK else { throw error(code, nil) }
        return blob
    }

    /// The last error of this connection, for a call that returned `code`.
    func error(_ code: Int32, _ sql: String?) -> SQLiteError {
        noteFault(code)
        return SQLiteError(path: path, code: code, message: message(of: code), sql: sql)
    }

    /// An error says nothing of the file where the system gave a reason of its own; SQLite calls a page that it cannot read
    /// damaged, too (SQLITE_IOERR_CORRUPTFS becomes SQLITE_CORRUPT).
    private func noteFault(_ code: Int32) {
        let found = lastErrno
        switch code & 0xff {
        case SQLITE_NOMEM: SystemFault.note(path, "read", .noMemory)
        case SQLITE_IOERR: SystemFault.note(path, "read", found == 0 ? .ioError : Errno(rawValue: found))
        case SQLITE_CORRUPT, SQLITE_NOTADB: SystemFault.note(path, "read", Errno(rawValue: found))
        case SQLITE_CANTOPEN: SystemFault.note(path, "open", Errno(rawValue: sqlite3_system_errno(handle)))
        default: break
        }
    }

    /// Keeps a failed call on the file that no error told of.
    func noteFault() { noteFault(SQLITE_CORRUPT) }

    /// The number of the last error of the system on the file; 0 for none.
    private var lastErrno: Int32 {
        // Statements may live longer than the connection is open.
        guard let handle else { return 0 }
        var found: Int32 = 0
        sqlite3_file_control(handle, nil, SQLITE_FCNTL_LAST_ERRNO, &found)
        return found
    }

    private func message(of code: Int32) -> String {
        if let handle, sqlite3_extended_errcode(handle) == code, let text = sqlite3_errmsg(handle) {
            return String(cString: text)
        }
        return sqlite3_errstr(code).map { String(cString: $0) } ?? "unknown error"
    }
}

extension SQLiteDatabase {
    /// The names of the schema's objects of a kind: `table` or `index`.
    package func names(of kind: String) throws(SQLiteError) -> Set<String> {
        let statement = try prepare("SELECT name FROM sqlite_master WHERE type = ?1")
        try statement.bind(kind, at: 1)
        var names: Set<String> = []
        while try statement.step() { names.insert(statement.text(at: 0)) }
        return names
    }

    /// The names of a table's columns; empty if there is no such table.
    package func columns(of table: String) throws(SQLiteError) -> Set<String> {
        let statement = try prepare("SELECT name FROM pragma_table_info(?1)")
        try statement.bind(table, at: 1)
        var names: Set<String> = []
        while try statement.step() { names.insert(statement.text(at: 0)) }
        return names
    }
}

/// A failed SQLite call: the file, the statement, and SQLite's message.
package struct SQLiteError: Error, Hashable, Sendable, CustomStringConvertible {
    package var path: FilePath
    /// The extended result code of sqlite3.h.
    package var code: Int32
    package var message: String
    /// The statement that failed, if the call was one.
    package var sql: String?

    /// The result code without its extension.
    package var primaryCode: Int32 { code & 0xff }

    /// True if the disk or the quota is full (SQLITE_FULL).
    package var isDiskFull: Bool { primaryCode == 13 }

    /// True if the file is damaged or not a database (SQLITE_CORRUPT, SQLITE_NOTADB).
    package var isDamage: Bool { primaryCode == 11 || primaryCode == 26 }

    /// True if a value was longer than it may be (SQLITE_TOOBIG).
    package var isTooLong: Bool { primaryCode == 18 }

    /// True if a statement took more steps than it may (SQLITE_INTERRUPT).
    package var isInterrupted: Bool { primaryCode == 9 }

    package var description: String {
        let statement = sql.map { " in \"\($0)\"" } ?? ""
        return "\(path): SQLite \(message) (\(code))\(statement)"
    }
}
