import Bags
import Foundation
import SystemPackage
import TestSupport
import Testing

/// Files that another program was killed over: a write-ahead log or a journal lies beside them.
@Suite(.enabled(if: PeerPython.isAvailable, Comment(rawValue: PeerPython.absence)))
struct InterruptedBagTests {
    private let made: HandmadeBags
    private var bag: FilePath { made.bag }

    init() throws {
        made = try HandmadeBags()
    }

    @Test func aWriteAheadLogIsReadWithItsFile() throws {
        try made.makeInWriteAheadLog()
        let before = try contents()
        let reader = try BagReader(opening: bag)
        #expect(reader.warnings.contains { $0.contains("write-ahead log") })
        let rows = try RowJudge.found(reader)
        #expect(rows.map(\.time) == Array(0..<30))
        #expect(try reader.summary().messageCount == 30)
        #expect(try contents() == before, "reading changes nothing")
    }

    @Test func theSharedMemoryOfALogIsNotLeftBehind() throws {
        try made.makeInWriteAheadLog()
        try FileManager.default.removeItem(atPath: bag.appending("bag_0.db3-shm").string)
        let before = try contents()
        #expect(try RowJudge.found(BagReader(opening: bag)).count == 30)
        #expect(try contents() == before)
    }

    @Test func aHotJournalIsRefusedWithAdvice() throws {
        try made.makeWithHotJournal()
        let before = try contents()
        #expect { try BagReader(opening: bag) } throws: { error in
            guard let error = error as? BagError, case .unfinished(let path, let reason) = error else { return false }
            return path == bag.appending("bag_0.db3") && reason.contains("journal")
                && error.advice?.contains("repair") == true
        }
        let reader = try BagReader(opening: bag, tolerating: .everything)
        #expect(reader.warnings.contains { $0.contains("journal") })
        _ = try RowJudge.found(reader)
        #expect(try contents() == before, "reading changes nothing")
    }

    /// `journal_mode=PERSIST` leaves a journal whose beginning is zero: nothing to roll back.
    @Test func aFinishedJournalIsNoMatter() throws {
        try made.make(
            """
            chunk("bag_0.db3", [(1, "x")])
            metadata(["bag_0.db3"])
            connection = sqlite3.connect(bag + "/bag_0.db3")
            connection.execute("PRAGMA journal_mode=PERSIST")
            connection.execute("UPDATE messages SET timestamp = 2")
            connection.commit()
            connection.close()
            assert os.path.getsize(bag + "/bag_0.db3-journal") > 0
            """
        )
        #expect(try RowJudge.found(BagReader(opening: bag)).map(\.time) == [2])
    }

    /// Names and contents of everything in the directory; a log's index is rebuilt by every reader.
    private func contents() throws -> [String: Data] {
        var contents: [String: Data] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: bag.string) {
            contents[name] =
                name.hasSuffix("-shm")
                ? Data() : FileManager.default.contents(atPath: bag.appending(name).string)
        }
        return contents
    }
}
