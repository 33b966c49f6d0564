import BagTools
import Bags
import SystemPackage
import TestSupport
import Testing

/// Bags that rosbag2 itself wrote: no error, and only such warnings as a person would agree with.
@Suite("Check: bags of rosbag2", .enabled(if: Captures.have("bags-rosbag2"), Comment(rawValue: Captures.absence)))
struct ReferenceBagTests {
    struct Bag: Sendable, CustomTestStringConvertible {
        var path: String
        /// Kinds of warnings that are true of it.
        var warnings: [String] = []
        var errors: [String] = []
        var messageCount: Int
        var decodedCount: Int

        var testDescription: String { path }
    }

    private static let undescribed = ["message.unknown-type"]
    /// libmcap wrote Schema and Channel of topics without messages into the summary alone.
    private static let summaryAlone = ["mcap.channel", "mcap.schema"]

    static let bags: [Bag] = [
        Bag(path: "ros2-jazzy/jazzy_db3", warnings: ["cloud.non-finite"], messageCount: 120, decodedCount: 120),
        Bag(path: "ros2-jazzy/jazzy_mcap", warnings: ["cloud.non-finite"], messageCount: 120, decodedCount: 120),
        Bag(
            path: "rosbag2/rosbag2_py/mcap/convert_a",
            warnings: ["mcap.statistics"],
            messageCount: 150,
            decodedCount: 150
        ),
        Bag(path: "rosbag2/rosbag2_py/mcap/convert_b", messageCount: 75, decodedCount: 75),
        Bag(path: "rosbag2/rosbag2_py/mcap/talker", messageCount: 20, decodedCount: 20),
        Bag(path: "rosbag2/rosbag2_py/mcap/wbag", messageCount: 6074, decodedCount: 6074),
        Bag(
            path: "rosbag2/rosbag2_py/mcap/reindex_test_bags/multiple_files",
            errors: ["metadata.missing"],
            messageCount: 3177,
            decodedCount: 3177
        ),
        Bag(path: "rosbag2/rosbag2_py/sqlite3/convert_a", warnings: undescribed, messageCount: 150, decodedCount: 0),
        Bag(path: "rosbag2/rosbag2_py/sqlite3/convert_b", warnings: undescribed, messageCount: 75, decodedCount: 0),
        // Its definitions are made up, and say so by their hashes. ParameterEvent's names a Parameter without bringing
        // its text: that one is found among the common definitions.
        Bag(
            path: "rosbag2/rosbag2_py/sqlite3/talker",
            warnings: ["definition.hash-form", "message.decode"],
            messageCount: 20,
            decodedCount: 10
        ),
        Bag(
            path: "rosbag2/rosbag2_py/sqlite3/wbag",
            messageCount: 6074,
            decodedCount: 6074
        ),
        Bag(
            path: "rosbag2/rosbag2_py/sqlite3/reindex_test_bags/multiple_files",
            errors: ["metadata.missing"],
            messageCount: 3177,
            decodedCount: 3177
        ),
        Bag(path: "rosbag2/rosbag2_cpp/topics_and_services.db3", messageCount: 13, decodedCount: 7),
        Bag(path: "rosbag2/rosbag2_cpp/only_services.mcap", messageCount: 12, decodedCount: 0),
        Bag(path: "rosbag2/rosbag2_cpp/only_topics.mcap", warnings: summaryAlone, messageCount: 7, decodedCount: 7),
        Bag(
            path: "rosbag2/rosbag2_cpp/topics_and_services.mcap",
            warnings: summaryAlone,
            messageCount: 13,
            decodedCount: 7
        ),
        Bag(
            path: "rosbag2/rosbag2_tests/mcap/bag_with_topics_and_service_events",
            warnings: summaryAlone,
            messageCount: 10,
            decodedCount: 2
        ),
        Bag(
            path: "rosbag2/rosbag2_tests/sqlite3/bag_with_topics_and_service_events",
            messageCount: 10,
            decodedCount: 2
        ),
        Bag(path: "rosbag2/rosbag2_tests/mcap/cdr_test", messageCount: 7, decodedCount: 7),
        Bag(path: "rosbag2/rosbag2_tests/sqlite3/cdr_test", messageCount: 7, decodedCount: 7),
        Bag(
            path: "rosbag2/rosbag2_tests/mcap/wrong_rmw_test",
            errors: ["mcap.encoding"],
            messageCount: 7,
            decodedCount: 0
        ),
        Bag(
            path: "rosbag2/rosbag2_tests/sqlite3/wrong_rmw_test",
            warnings: undescribed,
            errors: ["metadata.format"],
            messageCount: 7,
            decodedCount: 0
        ),
        Bag(
            path: "rosbag2/rosbag2_transport/mcap/rewriter_a",
            warnings: ["mcap.statistics"],
            messageCount: 150,
            decodedCount: 150
        ),
        Bag(path: "rosbag2/rosbag2_transport/mcap/rewriter_b", messageCount: 75, decodedCount: 75),
        Bag(
            path: "rosbag2/rosbag2_transport/mcap/test_bag_for_seek",
            warnings: ["topic.type-form"],
            messageCount: 5,
            decodedCount: 5
        ),
        Bag(
            path: "rosbag2/rosbag2_transport/sqlite3/rewriter_a",
            warnings: undescribed,
            messageCount: 150,
            decodedCount: 0
        ),
        Bag(
            path: "rosbag2/rosbag2_transport/sqlite3/rewriter_b",
            warnings: undescribed,
            messageCount: 75,
            decodedCount: 0
        ),
        Bag(
            path: "rosbag2/rosbag2_transport/sqlite3/test_bag_for_seek",
            warnings: undescribed + ["topic.type-form"],
            messageCount: 5,
            decodedCount: 0
        ),
    ]

    @Test("raise no false alarm", arguments: bags)
    func alarms(bag: Bag) throws {
        let report = try BagChecker.check(Captures.path("bags-\(bag.path)"), options: ImageDecoding.options)
        let expected = bag.errors.map { "error \($0)" } + bag.warnings.map { "warning \($0)" }
        // A reader that took part in a write-ahead log may have left its index beside the file.
        let found = Set(report.complaints).subtracting(["warning db3.journal"])
        #expect(found == Set(expected), "\(report.text)")
        #expect(report.messageCount == bag.messageCount)
        #expect(report.decodedCount == bag.decodedCount)
        #expect(!report.isOurs)
    }

    @Test("a directory without a bag is none")
    func empty() throws {
        let path = Captures.path("bags-rosbag2/rosbag2_tests/empty_dir")
        #expect(throws: BagError.self) { try BagChecker.check(path) }
        #expect(throws: BagError.notFound(path.appending("x"))) { try BagChecker.check(path.appending("x")) }
    }
}
