import Databases
import Glibc
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
}
