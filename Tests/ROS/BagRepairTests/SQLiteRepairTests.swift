import BagTools
import Bags
import Foundation
import SystemPackage
import TestSupport
import Testing

/// .db3 bags that another program was killed over, or that have lost something.
@Suite(.enabled(if: PeerPython.isAvailable, Comment(rawValue: PeerPython.absence)))
struct SQLiteRepairTests {
    private let made: HandmadeBags
    private var bag: FilePath { made.bag }
    private var output: FilePath { made.directory.appending("repaired") }

    init() throws {
        made = try HandmadeBags()
    }

    @Test(arguments: [false, true])
    func aWriteAheadLogIsTakenIn(_ inPlace: Bool) throws {
        try made.makeInWriteAheadLog()
        let before = try contents(bag)
        let report = try repair(inPlace)
        #expect(report.files.first?.actions.first?.contains("log with 10 messages") == true)
        #expect(report.messageCount == 30 && !report.hasLosses)
        try expectSound(report, times: Array(0..<30))
        if !inPlace { #expect(try contents(bag) == before) }
    }

    @Test(arguments: [false, true])
    func aHotJournalIsRolledBack(_ inPlace: Bool) throws {
        try made.makeWithHotJournal()
        let before = try contents(bag)
        let report = try repair(inPlace)
        #expect(report.files.first?.actions.first?.contains("rolled back") == true)
        try expectSound(report, times: Array(0..<20))
        if !inPlace { #expect(try contents(bag) == before) }
    }

    @Test func whatIsLostIsMadeAnew() throws {
        try made.make(
            """
            chunk("bag_0.db3", [(k, f"{k}") for k in range(20)])
            metadata(["bag_0.db3"], version=4, count=20)
            connection = sqlite3.connect(bag + "/bag_0.db3")
            connection.execute("DROP INDEX timestamp_idx")
            connection.execute("INSERT INTO messages(topic_id, timestamp, data) "
                "SELECT topic_id, timestamp, data FROM messages WHERE id <= 5")
            connection.commit()
            """
        )
        let report = try repair(false)
        #expect(report.metadataAction?.contains("did not say") == true)
        #expect(report.files.first?.actions.contains { $0.contains("index of times") } == true)
        // Identical rows may be what was sent: metadata.yaml alone does not prove the contrary.
        #expect(!report.isSound)
        #expect(try Row.all(report.output).map(\.time) == (Array(0..<5) + Array(0..<20)).sorted())
        // check_bag.py wants rows in the order of time, which these were not written in and are not brought into.
        try Judge.readByRosbags(report.output, count: 25)
        #expect(try BagRepairer.repair(report.output, .inPlace).isSound)
    }

    @Test func topicsThatAreGoneComeFromOtherFiles() throws {
        try made.make(
            """
            chunk("bag_0.db3", [(k, "x") for k in range(20)], topics=("/a", "/b"))
            chunk("bag_1.db3", [(100 + k, "x") for k in range(20)], topics=("/a", "/b"))
            metadata(["bag_0.db3", "bag_1.db3"], count=40)
            connection = sqlite3.connect(bag + "/bag_1.db3")
            connection.execute("DELETE FROM topics WHERE name = '/b'")
            connection.execute("INSERT INTO messages(topic_id, timestamp, data) VALUES (9, 150, x'00')")
            connection.commit()
            """
        )
        let report = try repair(false)
        #expect(report.messageCount == 40)
        #expect(report.files[1].losses.map(\.messageCount) == [1])
        #expect(report.files[1].actions.contains { $0.contains("/b") && $0.contains("10 messages") })
        try Judge.check(output)
        #expect(try Row.all(output).filter { $0.topic == "/b" }.count == 20)
    }

    /// What the phone app leaves: version 8 without hashes, chunks that no list names.
    @Test func thePhoneAppsMetadataIsCompleted() throws {
        try made.make(
            """
            def envelope(value):
                return json.dumps({"op": "publish", "topic": "/note", "msg": {"data": value}}).encode()
            for n in range(11):
                rows = [(100 * n + k, f"{n} {k}") for k in range(5)]
                chunk(f"mapeverything_{n}.db3", rows, schema=2, format="rosbridge_json", encode=envelope)
            metadata([], version=8)
            open(bag + "/final_pointcloud.ply", "w").write("ply")
            """
        )
        let report = try repair(false)
        #expect(report.metadataAction != nil && !report.hasLosses)
        #expect(report.files.map(\.name) == (0..<11).map { "mapeverything_\($0).db3" })
        #expect(report.files.allSatisfy { $0.actions.isEmpty })
        #expect(FileManager.default.fileExists(atPath: output.appending("final_pointcloud.ply").string))
        try Judge.check(output)
        #expect(try BagReader(opening: output).warnings == [])
        #expect(try BagRepairer.repair(output, .inPlace).isSound)
    }

    @Test func aMissingFileOfMetadataIsMade() throws {
        try made.make("for n in range(3): chunk(f'bag_{n}.db3', [(100 * n + k, 'x') for k in range(9)])")
        let report = try repair(true)
        #expect(report.metadataAction?.contains("none") == true)
        try Judge.check(bag)
        #expect(try BagReader(opening: bag).metadata.version == 5)
    }

    @Test func aLoneFileGetsABag() throws {
        try made.make("chunk('bag_0.db3', [(k, 'x') for k in range(9)])")
        try made.make("sqlite3.connect(bag + '/bag_0.db3').execute('DROP INDEX timestamp_idx').connection.commit()")
        let report = try BagRepairer.repair(bag.appending("bag_0.db3"), .newBag(output))
        #expect(report.messageCount == 9 && !report.isSound)
        try Judge.check(output)
        let again = try BagRepairer.repair(bag.appending("bag_0.db3"), .inPlace)
        #expect(!again.isSound && again.metadataAction == nil)
        #expect(try contents(bag).keys.sorted() == ["bag_0.db3"])
    }

    private func repair(_ inPlace: Bool) throws -> RepairReport {
        try BagRepairer.repair(bag, inPlace ? .inPlace : .newBag(output))
    }

    private func expectSound(
        _ report: RepairReport,
        times: [Int64],
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        #expect(!report.isSound, sourceLocation: sourceLocation)
        #expect(try Row.all(report.output).map(\.time) == times, sourceLocation: sourceLocation)
        #expect(
            try contents(report.output).keys.sorted() == ["bag_0.db3", "metadata.yaml"],
            sourceLocation: sourceLocation
        )
        try Judge.check(report.output, sourceLocation: sourceLocation)
        #expect(try BagRepairer.repair(report.output, .inPlace).isSound, sourceLocation: sourceLocation)
    }
}
