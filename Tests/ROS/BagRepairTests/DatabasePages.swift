import Foundation
import Platform
import SystemPackage

/// Pages of .db3 files, to damage them.
enum DatabasePages {
    static func change(_ file: FilePath, _ sql: String) throws {
        let database = try SQLiteDatabase(opening: file, access: .readWrite)
        try database.execute(sql)
        try database.close()
    }

    static func roots(_ file: FilePath) throws -> (table: Int, index: Int) {
        (try root(of: "messages", file), try root(of: "timestamp_idx", file))
    }

    /// The number of the first page of a table or an index.
    static func root(of name: String, _ file: FilePath) throws -> Int {
        let database = try SQLiteDatabase(opening: file, access: .immutable)
        return Int(try database.integer("SELECT rootpage FROM sqlite_schema WHERE name = '\(name)'") ?? 0)
    }

    /// Where the cells of an inner page begin, from the start of the page (SQLite file format, 1.6).
    static func cellOffsets(of page: Int, _ bytes: Data, _ pageBytes: Int) -> [Int] {
        let start = (page - 1) * pageBytes
        let count = Int(bytes[start + 3]) << 8 | Int(bytes[start + 4])
        return (0..<count).map { Int(bytes[start + 12 + 2 * $0]) << 8 | Int(bytes[start + 13 + 2 * $0]) }
    }

    static func children(of page: Int, _ bytes: Data, _ pageBytes: Int) -> [Int] {
        let start = (page - 1) * pageBytes
        return cellOffsets(of: page, bytes, pageBytes).map { cell in
            (0..<4).reduce(0) { $0 << 8 | Int(bytes[start + cell + $1]) }
        }
    }
}
