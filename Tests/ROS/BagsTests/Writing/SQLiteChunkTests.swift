import Bags
import Messages
import Platform
import SystemPackage
import TestSupport
import Testing

/// The .db3 files of fast bags, whose index is made after the last row, as SQLite sees them.
struct SQLiteChunkTests {
    private let directory: TemporaryDirectory
    private var bag: FilePath { directory.appending("bag") }

    init() throws {
        directory = try TemporaryDirectory()
    }

    /// Rows that fit into a page, that just do or do not, and that take pages of their own.
    @Test(arguments: [4096, 65_536])
    func sizesAroundEveryThresholdAreSound(_ pageBytes: Int) async throws {
        var sizes: [Int] = []
        let local = pageBytes - 35 - 20
        let minimum = (pageBytes - 12) * 32 / 255 - 23
        for edge in [0, 127, minimum, local, local + minimum, 2 * pageBytes, 3 * pageBytes - 12 + minimum] {
            sizes += (-12...25).map { max(0, edge + $0) }
        }
        try await check(sizes, times: sizes.indices.map { Int64($0) * 7 }, pageBytes)
    }

    @Test func timesInAnyOrderAreFound() async throws {
        var random = SeededRandomNumbers(seed: 5)
        let times = (0..<5_000).map { _ in Int64.random(in: 0...1_000, using: &random) << 40 }
        try await check(times.map { Int($0 >> 40 & 63) }, times: times, 4096)
    }

    /// Above 200,000 rows SQLite keeps the index with each row.
    @Test(arguments: [199_999, 200_000, 200_001, 230_000])
    func indexesOfManyRowsAreSound(_ count: Int) async throws {
        try await check((0..<count).map { $0 & 3 }, times: (0..<count).map { Int64(count - $0) }, 65_536)
    }

    private func check(_ sizes: [Int], times: [Int64], _ pageBytes: Int) async throws {
        // Small chunks have small pages.
        let limit = pageBytes == 4096 ? (8 << 20) - 1 : nil
        let sink = BagSink(bag, options: BagOptions(maximumChunkBytes: limit))
        try await sink.open([Topic(name: "/a", type: Point.self), Topic(name: "/b", type: Point.self)])
        let rows = zip(sizes, times).enumerated().map { index, row in
            BagRow(topic: index % 2, timeNanoseconds: row.1, bytes: blob(row.0, index))
        }
        try await sink.write(contentsOf: rows)
        _ = try await sink.finish()
        let database = try SQLiteDatabase(opening: bag.appending("bag_0.db3"), access: .readOnly)
        #expect(try database.integer("PRAGMA page_size") == Int64(pageBytes))
        let integrity = try database.prepare("PRAGMA integrity_check")
        #expect(try integrity.step())
        #expect(integrity.text(at: 0) == "ok", "\(sizes.count) rows, pages of \(pageBytes)")
        let stored = try database.prepare("SELECT id, topic_id, timestamp, data FROM messages ORDER BY id")
        var count = 0, wrong: [Int] = []
        while try stored.step() {
            let isSame =
                stored.integer(at: 0) == Int64(count + 1) && stored.integer(at: 1) == Int64(count % 2 + 1)
                && stored.integer(at: 2) == times[count] && stored.bytes(at: 3).elementsEqual(rows[count].bytes)
            if !isSame { wrong.append(count) }
            count += 1
        }
        #expect(count == sizes.count && wrong.isEmpty, "\(wrong.prefix(5))")
        let ordered = try database.prepare("SELECT timestamp FROM messages INDEXED BY timestamp_idx ORDER BY timestamp")
        var found: [Int64] = []
        while try ordered.step() { found.append(ordered.integer(at: 0)) }
        #expect(found == times.sorted())
    }

    private func blob(_ size: Int, _ seed: Int) -> [UInt8] {
        (0..<size).map { (index: Int) -> UInt8 in UInt8(truncatingIfNeeded: (index &* 31 &+ seed) ^ (index >> 8)) }
    }
}
