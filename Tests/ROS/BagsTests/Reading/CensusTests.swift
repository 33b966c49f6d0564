import Bags
import Foundation
import Platform
import SystemPackage
import TestSupport
import Testing

/// What a bag holds is counted in its tables before it is read, and every difference is told with its numbers.
@Suite("Counting before reading", .enabled(if: PeerPython.isAvailable, Comment(rawValue: PeerPython.absence)))
struct CensusTests {
    private let made: HandmadeBags

    init() throws { made = try HandmadeBags() }

    /// Ten rows by an index of times that knows nothing of the change after it.
    ///
    /// - Parameters:
    ///   - times: Of these twenty the first ten are written.
    ///   - change: A statement of Python.
    ///   - count: How many rows there are then.
    private static func changedBehindIndex(times: String, change: String, count: Int) -> String {
        """
        path = os.path.join(bag, "bag_0.db3")
        times = \(times)
        chunk("bag_0.db3", [(time, "x") for time in times[:10]])
        connection = sqlite3.connect(path, isolation_level=None)
        connection.execute("PRAGMA writable_schema=ON")
        row = connection.execute("SELECT * FROM sqlite_master WHERE name='timestamp_idx'").fetchone()
        connection.execute("DELETE FROM sqlite_master WHERE name='timestamp_idx'")
        connection.close()
        connection = sqlite3.connect(path, isolation_level=None)
        \(change)
        connection.execute("PRAGMA writable_schema=ON")
        connection.execute("INSERT INTO sqlite_master VALUES (?, ?, ?, ?, ?)", row)
        connection.close()
        connection = sqlite3.connect(path)
        assert connection.execute("SELECT count(*) FROM messages INDEXED BY timestamp_idx").fetchone()[0] == 10
        metadata(["bag_0.db3"], count=\(count), topics=[("/note", \(count))])
        """
    }

    @Test("rows that the index of times lacks are read", arguments: ["list(range(20))", "list(range(20, 0, -1))"])
    func damagedIndex(times: String) throws {
        let insert =
            "connection.executemany('INSERT INTO messages(topic_id, timestamp, data) VALUES (1, ?, ?)', "
            + "[(time, text('y')) for time in times[10:]])"
        try made.make(Self.changedBehindIndex(times: times, change: insert, count: 20))
        let reader = try BagReader(opening: made.bag)
        let rows = try RowJudge.found(reader)
        #expect(rows.count == 20 && rows.map(\.time) == rows.map(\.time).sorted())
        #expect(reader.warnings.contains { $0.contains("has 10 rows") && $0.contains("20") }, "\(reader.warnings)")
        #expect(reader.differences.isEmpty && reader.heldCount == 20)
        #expect(try reader.summary(.headers).messageCount == 20)
        let part = try RowJudge.found(reader, BagQuery(first: 5, last: 7))
        #expect(part.map(\.time) == [5, 6, 7])
        // Under tolerance row by row.
        #expect(try RowJudge.found(BagReader(opening: made.bag, tolerating: .everything)) == rows)
    }

    @Test("an index of times with more rows than the table tells of lost ones, and the bag is refused")
    func largerIndex() throws {
        let delete = "connection.execute('DELETE FROM messages WHERE id > 4')"
        try made.make(Self.changedBehindIndex(times: "list(range(20))", change: delete, count: 4))
        let reader = try BagReader(opening: made.bag)
        #expect(reader.differences.contains { $0.contains("has 10 rows") && $0.contains("4") }, "\(reader.differences)")
        #expect(throws: BagError.self) { try reader.refuseDifferences() }
    }

    @Test("rows that are no messages are counted and named, and the bag is refused")
    func strangeRows() throws {
        try made.make(
            """
            chunk("bag_0.db3", [(k, "x") for k in range(20)])
            connection = sqlite3.connect(os.path.join(bag, "bag_0.db3"))
            for change in ("topic_id = 77 WHERE id IN (3, 4)", "timestamp = 'soon' WHERE id = 5",
                           "timestamp = 7.5 WHERE id = 6", "data = 12 WHERE id = 7"):
                connection.execute("UPDATE messages SET " + change)
            connection.execute("UPDATE messages SET data = CAST(data AS TEXT) WHERE id = 8")
            connection.commit()
            metadata(["bag_0.db3"], count=20, topics=[("/note", 20)])
            """
        )
        let reader = try BagReader(opening: made.bag)
        #expect(reader.heldCount == 20 && reader.unreadableCount == 5)
        let rows = try RowJudge.found(reader)
        // A text is read as the bytes that it is.
        #expect(rows.map(\.time) == [0, 1] + Array(7..<20) && Set(rows.map(\.size)) == [10])
        let text = reader.differences.joined(separator: "\n")
        for part in ["2 of 20 rows of topics", "(77)", "2 of 20 rows whose timestamp", "1 of 20 rows whose data"] {
            #expect(text.contains(part), "\(text)")
        }
        #expect { try reader.refuseDifferences() } throws: { "\($0)".contains("2 of 20 rows") }
        let lenient = try BagReader(opening: made.bag, tolerating: .everything)
        #expect(throws: Never.self) { try lenient.refuseDifferences() }
        #expect(try RowJudge.found(lenient) == rows)
        #expect(try lenient.summary(.headers).messageCount == 15)
    }

    @Test("metadata.yaml is held against the tables, in total and by topic")
    func metadataDiffers() throws {
        try made.make(
            """
            chunk("bag_0.db3", [(k, "x") for k in range(20)], topics=("/a", "/b"))
            metadata(["bag_0.db3"], count=21, topics=[("/a", 10), ("/b", 9)])
            """
        )
        let reader = try BagReader(opening: made.bag)
        let texts = reader.differences
        #expect(texts.contains { $0.contains("says 21 messages") && $0.contains("20") }, "\(texts)")
        #expect(texts.contains { $0.hasPrefix("/b: ") && $0.contains("says 9") && $0.contains("10") }, "\(texts)")
        #expect(texts.count == 2 && reader.statedCount == 21)
        // A recorder that was killed had counted nothing yet.
        try made.make("metadata([], count=0)")
        #expect(try BagReader(opening: made.bag).differences == [])
    }

    @Test("every span of time gives the rows that a look at all of them gives")
    func spans() throws {
        var random = SeededRandomNumbers(seed: 5)
        let extremes: [Int64] = [.min, .min + 1, -1, 0, 1, .max - 1, .max]
        for round in 0..<30 {
            let path = made.directory.appending("spans-\(round).db3")
            let database = try SQLiteDatabase(opening: path, access: .readWrite)
            try database.execute(
                """
                CREATE TABLE topics(id INTEGER PRIMARY KEY, name TEXT, type TEXT, serialization_format TEXT);
                CREATE TABLE messages(id INTEGER PRIMARY KEY, topic_id INTEGER, timestamp INTEGER, data BLOB);
                INSERT INTO topics VALUES (1, '/a', 'std_msgs/msg/String', 'cdr'), (2, '/b', 'std_msgs/msg/String', 'cdr');
                """
            )
            if round % 3 != 0 { try database.execute("CREATE INDEX timestamp_idx ON messages (timestamp ASC)") }
            var rows = (0..<Int.random(in: 0..<40, using: &random)).map { _ in
                let wide = Bool.random(using: &random)
                let id =
                    wide ? Int64.random(in: .min ... .max, using: &random) : Int64.random(in: 1...200, using: &random)
                return (id: id, time: extremes.randomElement(using: &random) ?? 0)
            }
            rows = Dictionary(rows.map { ($0.id, $0.time) }) { $1 }
                .map { (id: $0.key, time: $0.value) }.sorted { $0.id < $1.id }
            // Two of three have their rows in the order of time.
            let times = rows.map(\.time).sorted()
            if round % 3 != 2 { for index in rows.indices { rows[index].time = times[index] } }
            for row in rows {
                try database.execute("INSERT INTO messages VALUES (\(row.id), \(1 + (row.id & 1)), \(row.time), x'00')")
            }
            try database.close()
            let reader = try BagReader(opening: path)
            // rosbag2 knows no times before 1970.
            let sorted = rows.filter { $0.time >= 0 }.sorted { ($0.time, $0.id) < ($1.time, $1.id) }
            #expect(reader.unreadableCount == rows.count - sorted.count)
            for first in extremes {
                for last in extremes {
                    let expected = sorted.filter { first <= $0.time && $0.time <= last }
                    let found = try RowJudge.found(reader, BagQuery(first: first, last: last))
                    #expect(found.map(\.time) == expected.map(\.time), "round \(round), \(first) to \(last)")
                    let own = try RowJudge.found(reader, BagQuery(topics: ["/b"], first: first, last: last))
                    #expect(own.map(\.time) == expected.filter { $0.id & 1 == 1 }.map(\.time), "round \(round)")
                }
            }
            // Differences of such times are more than a number holds.
            let summary = try reader.summary(.headers)
            #expect(summary.messageCount == sorted.count)
        }
    }

    @Test("a message on a damaged page costs only itself where that is accepted")
    func damagedMessage() throws {
        try made.make(
            """
            chunk("bag_0.db3", [(k, "x" * 20000) for k in range(20)])
            metadata(["bag_0.db3"], count=20, topics=[("/note", 20)])
            """
        )
        let path = made.bag.appending("bag_0.db3").string
        var bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        // The first page of overflow whose link leads nowhere: pages of only letters follow a link of four bytes.
        let page = try #require(
            stride(from: 8 * 4096, to: bytes.count, by: 4096).first { start in
                bytes[start + 4..<start + 4096].allSatisfy { $0 == UInt8(ascii: "x") }
            }
        )
        bytes.replaceSubrange(page..<page + 4, with: [0x7F, 0xFF, 0xFF, 0xFF])
        try bytes.write(to: URL(fileURLWithPath: path))
        let reader = try BagReader(opening: made.bag)
        #expect(reader.heldCount == 20)
        #expect(throws: BagError.self) { try RowJudge.found(reader) }
        let cursor = try reader.rows(tolerating: .damage)
        var count = 0
        while try cursor.next() != nil { count += 1 }
        #expect(count == 19 && cursor.missingCount == 1 && cursor.problems.count == 1)
    }

    @Test("of equal times in two files that of the first file comes first")
    func equalTimes() throws {
        try made.make(
            """
            chunk("bag_0.db3", [(5, "first")])
            chunk("bag_1.db3", [(1, "a"), (5, "other one")])
            metadata(["bag_0.db3", "bag_1.db3"], count=3, topics=[("/note", 3)])
            """
        )
        let sizes = try RowJudge.found(BagReader(opening: made.bag)).map(\.size)
        #expect(sizes == [10, 14, 18])
    }

    @Test("a named pipe among the files, or as metadata.yaml, is refused without being opened")
    func namedPipes() throws {
        try made.make(#"chunk("bag_0.db3", [(1, "x")]); metadata(["bag_0.db3"], count=1, topics=[("/note", 1)])"#)
        let text = try Data(contentsOf: URL(fileURLWithPath: made.bag.appending("metadata.yaml").string))
        for name in ["metadata.yaml", "bag_0.db3", "bag_0.db3-journal"] {
            let path = made.bag.appending(name)
            let content = FileManager.default.contents(atPath: path.string)
            unlink(path.string)
            try #require(mkfifo(path.string, 0o600) == 0)
            if name.hasSuffix("journal") {
                // It is no journal, so there is none.
                #expect(try RowJudge.found(BagReader(opening: made.bag)).count == 1)
            } else {
                #expect { try BagReader(opening: made.bag) } throws: { error in
                    if case BagError.unsupported(path, what: "a named pipe") = error { true } else { false }
                }
                #expect(throws: BagError.self) { try BagReader(opening: path) }
            }
            unlink(path.string)
            if let content { try content.write(to: URL(fileURLWithPath: path.string)) }
        }
        try text.write(to: URL(fileURLWithPath: made.bag.appending("metadata.yaml").string))
        for name in ["bag_0.mcap", "bag_0.db3.zstd", "bag_0.mcap.zstd"] {
            let path = made.directory.appending(name)
            try #require(mkfifo(path.string, 0o600) == 0)
            #expect { try BagReader(opening: path) } throws: { "\($0)".contains("a named pipe") }
        }
    }

    @Test("what unpacks to far more than its size is refused before it is unpacked, unless it is allowed")
    func bomb() throws {
        try made.make(
            """
            import zstandard
            packer = zstandard.ZstdCompressor()
            for name, size in (("told_0.db3.zstd", 300 << 20), ("untold_0.db3.zstd", -1)):
                with open(os.path.join(bag, name), "wb") as stream:
                    with packer.stream_writer(stream, size=size, closefd=False) as frame:
                        for _ in range(300): frame.write(bytes(1 << 20))
            """
        )
        for name in ["told_0.db3.zstd", "untold_0.db3.zstd"] {
            let path = made.bag.appending(name)
            #expect { try BagReader(opening: path) } throws: {
                "\($0)".contains("unpacked size") && "\($0)".contains("--max-unpacked")
            }
            // Zeros are no database.
            #expect {
                try BagReader(opening: path, tolerating: [], unpacking: UnpackLimit(fileBytes: 301 << 20))
            } throws: { "\($0)".contains("damaged") && !"\($0)".contains("unpacked size") }
            let limit = UnpackLimit(fileBytes: 299 << 20)
            let problems = try BagReader(opening: path, tolerating: .everything, unpacking: limit).problems
            #expect(problems.count == 1 && "\(problems)".contains("unpacked size"))
        }
    }
}
