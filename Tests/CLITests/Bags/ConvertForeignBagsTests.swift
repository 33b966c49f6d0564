import Foundation
import SystemPackage
import TestSupport
import Testing

/// The bags that rosbag2 itself wrote, converted to both storages.
@Suite(
    .serialized,
    .enabled(if: Peer.isAvailable, Comment(rawValue: Peer.absence)),
    .enabled(if: Captures.have("bags-rosbag2"), Comment(rawValue: Captures.absence))
)
struct ConvertForeignBagsTests {
    private let folder: Scratch

    init() throws { folder = try Scratch() }

    /// Folders with storage files, and the lone files that have no metadata.yaml beside them.
    private static func bags() throws -> [String] {
        let root = Captures.root.string
        var bags: Set<String> = []
        for name in try FileManager.default.subpathsOfDirectory(atPath: root)
        where name.hasPrefix("bags-") && (name.hasSuffix(".db3") || name.hasSuffix(".mcap")) {
            let parent = (name as NSString).deletingLastPathComponent
            bags.insert("\(root)/\(parent.hasSuffix("rosbag2_cpp") ? name : parent)")
        }
        return bags.sorted()
    }

    /// Types that nothing defines: SQLite can store such messages, an .mcap file cannot.
    private static let undefined = [
        "rosbag2_py/sqlite3/convert", "rosbag2_transport/sqlite3/", "rosbag2_cpp/topics_and_services.db3",
        "sqlite3/bag_with_topics_and_service_events",
    ]
    /// Those of them that have topics of known types, too.
    private static let withOthers = ["topics_and_services.db3", "bag_with_topics_and_service_events"]

    /// Bags with tests of their own: one was cut by a kill and is refused, of the other rosbags gives packed messages; and one
    /// whose definition of a type is a stub that its messages contradict, which leaves them out.
    private static let special = ["killed_jazzy_mcap", "jazzy_mcap_message_zstd", "rosbag2_py/sqlite3/talker"]

    @Test func keepTheirMessages() async throws {
        var made: [(bag: String, output: String)] = []
        for (index, bag) in try Self.bags().enumerated()
        where !bag.contains("wrong_rmw") && !Self.special.contains(where: { bag.contains($0) }) {
            for storage in ["sqlite3", "mcap"] {
                let output = folder("\(index)-\(storage)")
                let outcome = try await Command.run(["convert", bag, "-o", output, "--storage", storage])
                let isUndefined = storage == "mcap" && Self.undefined.contains { bag.contains($0) }
                if isUndefined {
                    // Where another topic is left it is written, else there is nothing to write.
                    let hasOthers = Self.withOthers.contains { bag.hasSuffix($0) }
                    #expect(outcome.status == (hasOthers ? 1 : 65), "\(bag): \(outcome)")
                    #expect((outcome.output + outcome.errors).contains("--msg-path"), "\(outcome)")
                    #expect(FileManager.default.fileExists(atPath: output) == (outcome.status == 1))
                } else {
                    #expect(outcome.status == 0, "\(bag): \(outcome)")
                    made.append((bag, output))
                }
            }
        }
        #expect(made.count >= 43)
        let readings = try await PeerReading.of(Array(Set(made.map(\.bag))) + made.map(\.output))
        for one in made {
            let original = try #require(readings[one.bag]), copy = try #require(readings[one.output])
            // One of them names a type as ROS 1 did.
            let expected = original.files.map {
                $0.replacing(" test_msgs/BasicTypes ", with: " test_msgs/msg/BasicTypes ")
            }
            #expect(!expected.isEmpty)
            #expect(copy.files == expected, "\(one.bag) to \(one.output)")
            // Files that were cut in two have lost their topics: rosbags reads none of these originals either.
            #expect(copy.rosbags == expected, "\(one.bag) to \(one.output)")
        }
    }

    /// Messages in another form are copied into files of the same kind, and into no others.
    @Test(arguments: ["mcap", "sqlite3"])
    func otherFormats(storage: String) async throws {
        let bag = Captures.path("bags-rosbag2/rosbag2_tests/\(storage)/wrong_rmw_test").string
        for target in ["mcap", "sqlite3"] {
            let output = folder("\(target)")
            let outcome = try await Command.run(["convert", bag, "-o", output, "--storage", target])
            #expect(outcome.status == (target == storage ? 0 : 65), "\(outcome)")
            #expect(FileManager.default.fileExists(atPath: output) == (target == storage))
        }
    }
}
