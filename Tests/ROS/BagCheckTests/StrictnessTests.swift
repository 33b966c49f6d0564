import BagTools
import Bags
import Messages
import SystemPackage
import TestSupport
import Testing

/// What is a habit in the bags of others is an error in ours, and what others do by habit is no alarm.
@Suite("Check: ours and others'")
struct StrictnessTests {
    struct Break: Sendable, CustomTestStringConvertible {
        var testDescription: String
        var sql: String
        /// The numbers of the files.
        var files: [Int]
        var kind: BagFindingKind
        var foreign: BagFinding.Severity
    }

    private static let rowsOf = "topic_id = (SELECT id FROM topics WHERE name ="

    static let breaks = [
        Break(
            testDescription: "every stamp 4 ms before its row",
            sql: "UPDATE messages SET timestamp = timestamp + 4000000 WHERE \(rowsOf) '/imu')",
            files: [0, 1],
            kind: .stampRowDiffers,
            foreign: .note
        ),
        Break(
            testDescription: "stamps 4 s before their rows",
            sql: "UPDATE messages SET timestamp = timestamp + 4000000000 WHERE \(rowsOf) '/imu')",
            files: [0],
            kind: .stampRowDiffers,
            foreign: .warning
        ),
        Break(
            testDescription: "everything received six days after its stamp",
            sql: "UPDATE messages SET timestamp = timestamp + 518400000000000",
            files: [0, 1],
            kind: .stampRowDiffers,
            foreign: .note
        ),
        Break(
            testDescription: "one stamp that is not its row's",
            sql:
                "UPDATE messages SET timestamp = timestamp + 1 WHERE id = (SELECT max(id) FROM messages WHERE \(rowsOf) '/imu'))",
            files: [0],
            kind: .stampRowDiffers,
            foreign: .warning
        ),
        Break(
            testDescription: "a latched topic that the second file does not have",
            sql: "DELETE FROM messages WHERE \(rowsOf) '/tf_static')",
            files: [1],
            kind: .latchedMissing,
            foreign: .warning
        ),
        Break(
            testDescription: "a file that begins before the first one ends",
            sql: "UPDATE messages SET timestamp = timestamp - 1900000000",
            files: [1],
            kind: .bagChunkOverlap,
            foreign: .warning
        ),
        Break(
            testDescription: "no index",
            sql: "DROP INDEX timestamp_idx",
            files: [0],
            kind: .databaseIndex,
            foreign: .warning
        ),
        Break(
            testDescription: "a camera_info too few",
            sql:
                "DELETE FROM messages WHERE id = (SELECT max(id) FROM messages WHERE \(rowsOf) '/camera/camera_info'))",
            files: [0],
            kind: .cameraUnpaired,
            foreign: .warning
        ),
    ]

    @Test("findings that depend on who wrote the bag", arguments: breaks, [true, false])
    func severity(broken: Break, isOurs: Bool) async throws {
        let directory = try TemporaryDirectory()
        let path = directory.appending("bag")
        let options = BagOptions(
            maximumChunkSeconds: 1,
            customData: isOurs ? CheckTraffic.provenance : ["recorder": "another"]
        )
        try await CheckTraffic.write(to: path, options)
        for file in broken.files { try HandmadeBag.execute(broken.sql, path.appending("bag_\(file).db3")) }
        let report = try BagChecker.check(path)
        #expect(report.isOurs == isOurs)
        let severities = report.findings.filter { $0.kind == broken.kind }.map(\.severity)
        #expect(Set(severities) == [isOurs ? .error : broken.foreign], "\(report.text)")
    }

    @Test("what a recorder received later than it was stamped is one note for all topics")
    func received() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.appending("bag")
        try await CheckTraffic.write(to: path, BagOptions(customData: [:]))
        let sql = "UPDATE messages SET timestamp = timestamp + 518400000000000"
        try HandmadeBag.execute(sql, path.appending("bag_0.db3"))
        let found = try BagChecker.check(path).findings.filter { $0.kind == .stampRowDiffers }
        #expect(found.count == 1 && found.allSatisfy { $0.severity == .note && $0.topic == nil }, "\(found)")
        #expect(found.first?.places.first?.found.contains("-6 days 0 h to -6 days 0 h") == true, "\(found)")
    }

    @Test("a latched message has to be at the start of each file of ours")
    func lateLatched() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.appending("bag")
        try await CheckTraffic.write(to: path, BagOptions(maximumChunkSeconds: 1, customData: CheckTraffic.provenance))
        let sql = "UPDATE messages SET timestamp = timestamp + 60000000 WHERE \(Self.rowsOf) '/tf_static')"
        try HandmadeBag.execute(sql, path.appending("bag_1.db3"))
        let report = try BagChecker.check(path)
        #expect(report.findings.contains { $0.kind == .latchedMissing && $0.severity == .error }, "\(report.text)")
    }

    @Test("what others sent is not held to our promises", arguments: ["rosbridge", "ros2"])
    func recorded(source: String) async throws {
        let directory = try TemporaryDirectory()
        let path = directory.appending("bag")
        let provenance = ["mapeverything.version": "1.0", "mapeverything.source": source]
        try await CheckTraffic.write(to: path, BagOptions(customData: provenance))
        #expect(try !BagChecker.check(path).isOurs)
    }

    @Test("gaps and stamps that go back")
    func sequences() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.appending("bag")
        var messages: [StampedMessage] = []
        for index in 0..<60 {
            // A pause of a second before number 40; number 50 is stamped as if it had come before 49.
            let time = CheckTraffic.start + Int64(index) * 50_000_000 + (index >= 40 ? 1_000_000_000 : 0)
            var imu = Imu()
            imu.header = Header(stampNanoseconds: index == 50 ? time - 60_000_000 : time, frameID: "phone")
            messages.append(StampedMessage(topic: CheckTraffic.imu, timeNanoseconds: time, message: imu))
        }
        try await CheckTraffic.write(to: path, BagOptions(), messages: messages)
        let report = try BagChecker.check(path)
        let gap = try #require(report.findings.first { $0.kind == .gap }, "\(report.text)")
        #expect(gap.severity == .note && gap.count == 1 && gap.topic == "/imu")
        #expect(gap.places[0].position == .row(41))
        #expect(gap.places[0].timeNanoseconds == messages[40].timeNanoseconds)
        #expect(gap.places[0].found == "none for 1050.000 ms")
        let back = try #require(report.findings.first { $0.kind == .stampBack }, "\(report.text)")
        #expect(back.severity == .warning && back.count == 1 && back.places[0].position == .row(51))
        let differing = try #require(report.findings.first { $0.kind == .stampRowDiffers })
        #expect(differing.places[0].found == "1 of 60 that differ, by -60.000 ms to 0.000 ms, median 0.000 ms")
    }

    @Test("many of a kind are counted, and the first five places kept")
    func bounded() async throws {
        let directory = try TemporaryDirectory()
        let path = directory.appending("bag")
        try await CheckTraffic.write(to: path, BagOptions())
        try HandmadeBag.execute(
            "UPDATE messages SET data = x'00' WHERE \(Self.rowsOf) '/imu')",
            path.appending("bag_0.db3")
        )
        let report = try BagChecker.check(path)
        let finding = try #require(report.findings.first { $0.kind == .messageDecode }, "\(report.text)")
        #expect(finding.count == 40)
        #expect(finding.places.count == BagFinding.keptPlaces)
        #expect(finding.topic == "/imu")
        #expect(report.topics.first { $0.name == "/imu" }?.decodedCount == 0)
        #expect(report.findings[0] == finding)
    }
}
