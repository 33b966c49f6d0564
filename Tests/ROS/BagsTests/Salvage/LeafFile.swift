import Bags
import Foundation
import Platform
import SystemPackage
import TestSupport
import Testing

/// A .db3 file whose messages lie in a table that no reader of a bag asks: only its leaves lead to them.
struct LeafFile {
    let path: FilePath
    private let target: FilePath

    /// - Parameter reservedBytes: How many bytes at the end of each page SQLite leaves alone.
    init(in directory: TemporaryDirectory, pageBytes: Int, reservedBytes: Int = 0) throws {
        path = directory.appending("\(pageBytes)-\(reservedBytes).db3")
        target = directory.appending("\(pageBytes)-\(reservedBytes)-saved.db3")
        try? FileManager.default.removeItem(atPath: path.string)
        try execute(["PRAGMA page_size = \(pageBytes)", "PRAGMA user_version = 1"])
        if reservedBytes > 0 {
            // The header's reserved space, and where the cells of the empty first page begin.
            var bytes = try read()
            bytes[20] = UInt8(reservedBytes)
            bytes.replaceSubrange(105..<107, with: be(pageBytes - reservedBytes, 2))
            try write(bytes)
        }
        try execute([
            "CREATE TABLE lost(id INTEGER PRIMARY KEY, topic_id, timestamp, data)",
            "CREATE TABLE topics(id INTEGER PRIMARY KEY, name TEXT, type TEXT, serialization_format TEXT)",
            "CREATE TABLE messages(id INTEGER PRIMARY KEY, topic_id INTEGER, timestamp INTEGER, data BLOB)",
        ])
    }

    func execute(_ statements: [String]) throws {
        let database = try SQLiteDatabase(opening: path, access: .readWrite)
        try database.execute("PRAGMA synchronous = OFF")
        try database.execute((["BEGIN"] + statements + ["COMMIT"]).joined(separator: ";"))
        try database.close()
    }

    func add(topic number: Int64) throws {
        try execute(["INSERT INTO topics VALUES (\(number), '/t\(number)', 'std_msgs/msg/String', 'cdr')"])
    }

    func read() throws -> [UInt8] { Array(try #require(FileManager.default.contents(atPath: path.string))) }

    func write(_ bytes: [UInt8]) throws { try Data(bytes).write(to: URL(fileURLWithPath: path.string)) }

    func salvage(of original: FilePath? = nil) throws -> SQLiteSalvage {
        try? FileManager.default.removeItem(atPath: target.string)
        return try SQLiteSalvage.salvage(path, of: original, to: target, topics: [:])
    }

    /// The numbers of what was saved.
    func savedNumbers() throws -> [Int64] {
        let rows = try SQLiteDatabase(opening: target, access: .immutable).prepare(
            "SELECT id FROM messages ORDER BY id"
        )
        var numbers: [Int64] = []
        while try rows.step() { numbers.append(rows.integer(at: 0)) }
        return numbers
    }

    /// How many rows a query has in what was saved; the file itself is `source`.
    func count(_ query: String) throws -> Int64? {
        let database = try SQLiteDatabase(opening: target, access: .readOnly)
        try database.execute("ATTACH '\(path)' AS source")
        return try database.integer("SELECT count(*) FROM (\(query))")
    }

    /// What the table has that was not saved.
    static let missing = "SELECT * FROM source.lost EXCEPT SELECT id, topic_id, timestamp, data FROM messages"

    /// The texts of a table in what was saved, row by row.
    func texts(_ query: String) throws -> [String] {
        let rows = try SQLiteDatabase(opening: target, access: .immutable).prepare(query)
        var texts: [String] = []
        while try rows.step() { texts.append(rows.text(at: 0)) }
        return texts
    }
}

/// A number in big-endian order.
func be(_ value: Int, _ count: Int) -> [UInt8] {
    (0..<count).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
}

/// A leaf page made by hand (SQLite file format, 1.6).
struct LeafPage {
    private(set) var bytes: [UInt8]

    /// - Parameters:
    ///   - count: The number of cells that the page states; as many as there are pointers if it is nil.
    ///   - cells: What stands where.
    init(pointers: [Int], count: Int? = nil, cells: [Int: [UInt8]]) {
        bytes = [13, 0, 0] + be(count ?? pointers.count, 2) + [0, 0, 0] + pointers.flatMap { be($0, 2) }
        bytes += [UInt8](repeating: 0, count: 512 - bytes.count)
        for (place, cell) in cells { bytes.replaceSubrange(place..<place + cell.count, with: cell) }
    }

    /// A page with one cell, which ends where the page does.
    init(_ cell: [UInt8]) { self.init(pointers: [512 - cell.count], cells: [512 - cell.count: cell]) }

    /// A varint of SQLite: seven bits a byte, of a ninth byte all eight.
    static func varint(_ value: Int64) -> [UInt8] {
        var rest = UInt64(bitPattern: value)
        guard rest < 1 << 56 else {
            let last = UInt8(truncatingIfNeeded: rest)
            rest >>= 8
            return (0..<8).reversed().map { UInt8(truncatingIfNeeded: rest >> (7 * $0)) | 0x80 } + [last]
        }
        var bytes = [UInt8(rest & 0x7F)]
        while rest >= 0x80 {
            rest >>= 7
            bytes.insert(UInt8(rest & 0x7F) | 0x80, at: 0)
        }
        return bytes
    }

    /// A cell with what belongs in front of a payload.
    static func cell(_ number: Int64, size: Int? = nil, _ payload: [UInt8]) -> [UInt8] {
        varint(Int64(size ?? payload.count)) + varint(number) + payload
    }

    /// A payload: the serial types behind their length, and the values.
    static func payload(_ types: [Int64], _ values: [UInt8] = []) -> [UInt8] {
        let head = types.flatMap(varint)
        return varint(Int64(head.count + 1)) + head + values
    }
}
