import Containers
import Glibc
import SystemPackage
import TestSupport
import Testing

/// Tables whose pages we lay down, as SQLite sees them.
struct SQLiteTableBuilderTests {
    private let directory: TemporaryDirectory
    private var path: FilePath { directory.appending("file.db") }

    init() throws {
        directory = try TemporaryDirectory()
    }

    /// Rows that fit, that just do or do not, and that take pages of their own.
    @Test(arguments: [512, 1024, 4096, 65_536])
    func sizesAroundEveryThresholdAreSound(_ pageBytes: Int) throws {
        var sizes: [Int] = []
        let local = pageBytes - 35 - 20
        let minimum = (pageBytes - 12) * 32 / 255 - 23
        for edge in [0, 127, minimum, local, local + minimum, 2 * pageBytes, 3 * pageBytes - 12 + minimum] {
            sizes += (-12...25).map { max(0, edge + $0) }
        }
        try check(pageBytes, sizes, keys: sizes.indices.map { Int64($0) * 7 })
    }

    /// From nothing over one page of each kind to trees of several levels.
    @Test(arguments: [0, 1, 2, 3, 20, 26, 27, 28, 29, 30, 700, 760, 790, 20_000], [512, 4096])
    func treesOfEveryHeightAreSound(_ count: Int, _ pageBytes: Int) throws {
        try check(pageBytes, (0..<count).map { $0 % 90 }, keys: (0..<count).map { Int64($0) << 32 })
    }

    /// The sizes at which a page of the index, or a level of it, is just full.
    @Test func everyCountAroundAFullPageIsSound() throws {
        for count in 0..<140 { try check(512, Array(repeating: 3, count: count), keys: (0..<count).map { Int64($0) }) }
        // 28 keys a leaf, 22 children less one a page above it: 29 * 23 fill a level.
        for count in 29 * 22 - 3...29 * 24 + 3 where count % 2 == 0 || count > 690 {
            try check(512, Array(repeating: 0, count: count), keys: (0..<count).map { Int64($0) })
        }
    }

    @Test func keysInAnyOrderAreFound() throws {
        var random = SeededRandomNumbers(seed: 5)
        let keys = (0..<5_000).map { _ in Int64.random(in: -50...1_000, using: &random) << 40 }
        try check(512, keys.map { Int($0 & 63) }, keys: keys)
    }

    @Test func tooManyKeysAreLeftToSQLite() throws {
        try check(512, Array(repeating: 9, count: 101), keys: (0..<101).map { 100 - $0 }, maximumKeyCount: 100)
    }

    /// SQLite takes a file for damaged that uses the page at 1 GiB; the pages before it are a hole in the file here.
    @Test func thePageThatSQLiteLocksIsLeftOut() throws {
        try createTable(65_536)
        #expect(truncate(path.string, (16_384 - 3) * 65_536) == 0)
        try build(65_536, [200_000, 200_000, 60_000, 60_000, 60_000, 400_000], keys: [1, 2, 3, 4, 5, 6], 1_000)
        let database = try SQLiteDatabase(opening: path, access: .immutable)
        #expect(try database.integer("SELECT SUM(LENGTH(data)) FROM messages") == 980_000)
        #expect(try database.integer("SELECT COUNT(*) FROM messages INDEXED BY timestamp_idx WHERE timestamp > 0") == 6)
    }

    private func check(_ pageBytes: Int, _ sizes: [Int], keys: [Int64], maximumKeyCount: Int = 1 << 20) throws {
        try createTable(pageBytes)
        try build(pageBytes, sizes, keys: keys, maximumKeyCount)
        let database = try SQLiteDatabase(opening: path, access: .readOnly)
        let integrity = try database.prepare("PRAGMA integrity_check")
        #expect(try integrity.step())
        #expect(integrity.text(at: 0) == "ok", "\(sizes.count) rows, pages of \(pageBytes)")
        let rows = try database.prepare("SELECT id, topic_id, timestamp, data FROM messages ORDER BY id")
        var count = 0
        while try rows.step() {
            let isSame =
                rows.integer(at: 0) == Int64(count + 1) && rows.integer(at: 1) == topic(count)
                && rows.integer(at: 2) == keys[count] && Array(rows.bytes(at: 3)) == blob(sizes[count], count)
            #expect(isSame, "row \(count)")
            count += 1
        }
        #expect(count == sizes.count)
        let ordered = try database.prepare("SELECT timestamp FROM messages ORDER BY timestamp, id")
        for key in keys.sorted() {
            #expect(try ordered.step())
            #expect(ordered.integer(at: 0) == key)
        }
    }

    private func createTable(_ pageBytes: Int) throws {
        try DurableFiles.remove(path)
        let database = try SQLiteDatabase(opening: path, access: .readWrite)
        try database.execute("PRAGMA page_size=\(pageBytes)")
        try database.execute("PRAGMA synchronous=OFF")
        try database.execute(
            "CREATE TABLE messages(id INTEGER PRIMARY KEY, topic_id INTEGER NOT NULL, timestamp INTEGER NOT NULL, "
                + "data BLOB NOT NULL)"
        )
        try database.execute("CREATE INDEX timestamp_idx ON messages (timestamp ASC)")
        try database.close()
    }

    private func build(_ pageBytes: Int, _ sizes: [Int], keys: [Int64], _ maximumKeyCount: Int) throws {
        let pages = try SQLitePages(appendingTo: path, pageBytes: pageBytes)
        var builder = SQLiteTableBuilder(pages, maximumKeyCount: maximumKeyCount)
        var projected = 0
        for (index, size) in sizes.enumerated() {
            projected = builder.projectedBytes(adding: size)
            try blob(size, index).withUnsafeBytes { try builder.append(topic(index), keys[index], $0) }
        }
        try builder.finish(tableRoot: 2, indexRoot: 3)
        if !sizes.isEmpty { #expect(pages.pageCount * pageBytes <= projected, "\(sizes.count) rows") }
        try pages.finish()
        guard !builder.hasIndex else { return }
        let database = try SQLiteDatabase(opening: path, access: .readWrite)
        try database.execute("DROP INDEX timestamp_idx")
        try database.execute("CREATE INDEX timestamp_idx ON messages (timestamp ASC)")
        try database.close()
    }

    private func topic(_ index: Int) -> Int64 { index % 3 == 0 ? 1_000 : Int64(index % 127) + 1 }

    private func blob(_ size: Int, _ seed: Int) -> [UInt8] {
        (0..<size).map { UInt8(truncatingIfNeeded: ($0 &* 31 &+ seed) ^ ($0 >> 8)) }
    }
}
