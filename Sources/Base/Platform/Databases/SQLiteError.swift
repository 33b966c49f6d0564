package import SystemPackage

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
