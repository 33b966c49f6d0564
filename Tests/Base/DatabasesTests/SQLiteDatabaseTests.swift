import Glibc
import Platform
import SystemPackage
import TestSupport
import Testing

@Suite("SQLite databases")
struct SQLiteDatabaseTests {
    @Test(
        "a named pipe is not opened, whatever for",
        arguments: [SQLiteDatabase.Access.immutable, .readOnly, .readWrite]
    )
    func namedPipe(access: SQLiteDatabase.Access) throws {
        let directory = try TemporaryDirectory()
        let pipe = directory.appending("x.db3")
        try #require(mkfifo(pipe.string, 0o600) == 0)
        #expect { try SQLiteDatabase(opening: pipe, access: access) } throws: { "\($0)".contains("a named pipe") }
    }

    @Test("a part of a blob is read, a row without one is an error, and the next row is read again")
    func blobs() throws {
        let directory = try TemporaryDirectory()
        let database = try SQLiteDatabase(opening: directory.appending("x.db3"), access: .readWrite)
        try database.execute("CREATE TABLE t (b); INSERT INTO t VALUES (x'010203'), (NULL), (x'04')")
        let blob = SQLiteBlob(database, table: "t", column: "b")
        try blob.open(row: 1)
        #expect(blob.count == 3)
        #expect(try blob.firstBytes(2) == [1, 2])
        #expect(throws: SQLiteError.self) { try blob.open(row: 2) }
        #expect(throws: SQLiteError.self) { try blob.open(row: 9) }
        try blob.open(row: 3)
        #expect(try blob.firstBytes(9) == [4])
    }

    @Test("limits end a view that never ends, and refuse a value that is too long; what is small passes")
    func limits() throws {
        let directory = try TemporaryDirectory()
        let database = try SQLiteDatabase(opening: directory.appending("x.db3"), access: .readWrite)
        try database.execute(
            """
            CREATE TABLE t (b); INSERT INTO t VALUES (zeroblob(2000)), (x'01');
            CREATE VIEW endless AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) AS i FROM n;
            CREATE VIEW huge AS SELECT zeroblob(900000000) AS b
            """
        )
        try database.limit(valueBytes: 1000, steps: 100_000)
        #expect(throws: SQLiteError.self) { try database.integer("SELECT i FROM endless") }
        let statement = try database.prepare("SELECT b FROM huge")
        #expect(throws: SQLiteError.self) { try statement.step() }
        #expect(throws: SQLiteError.self) { try database.integer("SELECT b FROM t WHERE rowid = 1") }
        #expect(try database.integer("SELECT count(*) FROM t") == 2)
        let small = try database.prepare("SELECT b FROM t WHERE rowid = 2")
        #expect(try small.step() && small.bytes(at: 0).elementsEqual([1]))
    }
}
