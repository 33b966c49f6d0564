import Bags
import Foundation
import SystemPackage
import TestSupport
import Testing

/// Bags that rosbag2 itself wrote, read row by row and compared with what Python's sqlite3 reads.
@Suite(
    .enabled(if: PeerPython.isAvailable, Comment(rawValue: PeerPython.absence)),
    .enabled(if: Captures.have("bags-rosbag2", "bags-ros2-jazzy"), Comment(rawValue: Captures.absence))
)
struct BagReaderTests {
    static let bags = [
        "bags-ros2-jazzy/jazzy_db3",
        "bags-ros2-jazzy/jazzy_db3/jrecdb_0.db3",
        "bags-rosbag2/rosbag2_cpp/topics_and_services.db3",
        "bags-rosbag2/rosbag2_py/sqlite3/convert_a",
        "bags-rosbag2/rosbag2_py/sqlite3/convert_b",
        "bags-rosbag2/rosbag2_py/sqlite3/reindex_test_bags/multiple_files",
        "bags-rosbag2/rosbag2_py/sqlite3/talker",
        "bags-rosbag2/rosbag2_py/sqlite3/wbag",
        "bags-rosbag2/rosbag2_tests/sqlite3/bag_with_topics_and_service_events",
        "bags-rosbag2/rosbag2_tests/sqlite3/cdr_test",
        "bags-rosbag2/rosbag2_tests/sqlite3/wrong_rmw_test",
        "bags-rosbag2/rosbag2_transport/sqlite3/rewriter_a",
        "bags-rosbag2/rosbag2_transport/sqlite3/rewriter_b",
        "bags-rosbag2/rosbag2_transport/sqlite3/test_bag_for_seek",
        "bags-ros2-jazzy/jazzy_mcap",
        "bags-ros2-jazzy/jazzy_mcap/jrec_0.mcap",
        "bags-rosbag2/rosbag2_cpp/only_services.mcap",
        "bags-rosbag2/rosbag2_cpp/only_topics.mcap",
        "bags-rosbag2/rosbag2_cpp/topics_and_services.mcap",
        "bags-rosbag2/rosbag2_py/mcap/convert_a",
        "bags-rosbag2/rosbag2_py/mcap/convert_b",
        "bags-rosbag2/rosbag2_py/mcap/reindex_test_bags/multiple_files",
        "bags-rosbag2/rosbag2_py/mcap/talker",
        "bags-rosbag2/rosbag2_py/mcap/wbag",
        "bags-rosbag2/rosbag2_tests/mcap/bag_with_topics_and_service_events",
        "bags-rosbag2/rosbag2_tests/mcap/cdr_test",
        "bags-rosbag2/rosbag2_tests/mcap/wrong_rmw_test",
        "bags-rosbag2/rosbag2_transport/mcap/rewriter_a",
        "bags-rosbag2/rosbag2_transport/mcap/rewriter_b",
        "bags-rosbag2/rosbag2_transport/mcap/test_bag_for_seek",
    ]

    @Test(arguments: bags)
    func rowsAreThoseOfSQLite(_ bag: String) throws {
        let path = Captures.path("\(bag)")
        let reader = try BagReader(opening: path)
        #expect(try RowJudge.found(reader) == RowJudge.expected(path))
    }

    @Test(arguments: bags)
    func summaryCountsTheRows(_ bag: String) throws {
        let path = Captures.path("\(bag)")
        let rows = try RowJudge.expected(path)
        let summary = try BagReader(opening: path).summary()
        #expect(summary.messageCount == rows.count)
        #expect(summary.bytes == rows.reduce(0) { $0 + $1.size })
        #expect(summary.times?.first == rows.first?.time)
        #expect(summary.times?.last == rows.last?.time)
        // Some of rosbag2's own test bags have no metadata.yaml, or one that is not true.
        let isOdd = bag.hasSuffix("multiple_files") || bag.hasSuffix("wbag")
        #expect(summary.warnings.isEmpty == !isOdd, "\(summary.warnings)")
        for topic in summary.topics {
            let own = rows.filter { $0.topic == topic.topic.name }
            #expect(topic.messageCount == own.count)
            let gap = zip(own.dropFirst(), own).map { $0.time - $1.time }.max()
            #expect(topic.gaps?.spread.maximum == gap)
        }
    }

    @Test func topicAndTimeFiltersHold() throws {
        let path = Captures.path("bags-ros2-jazzy/jazzy_db3")
        let rows = try RowJudge.expected(path)
        let reader = try BagReader(opening: path)
        let (first, last) = (rows[10].time, rows[70].time)
        let found = try RowJudge.found(reader, BagQuery(topics: ["/bench/points"], first: first, last: last))
        let expected = rows.filter { $0.topic == "/bench/points" && (first...last).contains($0.time) }
        #expect(!expected.isEmpty)
        #expect(found == expected)
    }

    @Test func jazzyMetadataIsUnderstood() throws {
        let reader = try BagReader(opening: Captures.path("bags-ros2-jazzy/jazzy_db3"))
        #expect(reader.metadata.version == 9)
        #expect(reader.metadata.distribution == "jazzy")
        #expect(reader.metadata.messageCount == 120)
        #expect(reader.schemaVersion == 4)
        #expect(reader.warnings.isEmpty)
        let points = try #require(reader.topics.first { $0.name == "/bench/points" })
        #expect(points.typeHash == "RIHS01_9198cabf7da3796ae6fe19c4cb3bdd3525492988c70522628af5daa124bae2b5")
        #expect(points.definitionText.contains("PointField[] fields"))
        #expect(points.qosText.contains("durability: transient_local"))
    }
}
