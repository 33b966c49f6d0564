import BagTools
import Bags
import Foundation
import SystemPackage
import TestSupport
import Testing

/// Bags with nothing to repair, and paths with nothing to repair at.
struct SoundBagTests {
    private let directory: TemporaryDirectory
    private var bag: FilePath { directory.appending("bag") }
    private var output: FilePath { directory.appending("repaired") }

    init() throws {
        directory = try TemporaryDirectory()
    }

    @Test(arguments: [
        BagOptions(), BagOptions(durability: .resilient, maximumChunkSeconds: 0.5), BagOptions(storage: .mcap),
        BagOptions(storage: .mcap, durability: .resilient, compression: .zstd, maximumChunkSeconds: 0.5),
        BagOptions(compression: .zstd), BagOptions(compression: .zstd, compressionMode: .message),
        BagOptions(distribution: .humble), BagOptions(distribution: .jazzy),
        BagOptions(storage: .mcap, compression: .lz4),
    ])
    func ourOwnBagsAreSound(_ options: BagOptions) async throws {
        try await SampleBag.write(bag, options: options)
        let before = try contents(bag)
        for destination in [BagRepairer.Destination.newBag(output), .inPlace] {
            let report = try BagRepairer.repair(bag, destination)
            #expect(report.isSound, "\(report)")
            #expect(report.messageCount == 200)
            #expect(!FileManager.default.fileExists(atPath: output.string))
            #expect(try contents(bag) == before)
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path.string) == ["bag"])
    }

    @Test(
        .enabled(if: Captures.have("bags-rosbag2"), Comment(rawValue: Captures.absence)),
        arguments: [
            "bags-ros2-jazzy/jazzy_db3", "bags-rosbag2/rosbag2_py/sqlite3/convert_a",
            "bags-rosbag2/rosbag2_py/sqlite3/talker", "bags-rosbag2/rosbag2_tests/sqlite3/cdr_test",
            "bags-rosbag2/rosbag2_transport/sqlite3/test_bag_for_seek", "bags-ros2-jazzy/jazzy_mcap",
            "bags-rosbag2/rosbag2_py/mcap/talker", "bags-rosbag2/rosbag2_tests/mcap/cdr_test",
            "bags-rosbag2/rosbag2_cpp/only_topics.mcap", "bags-rosbag2/rosbag2_cpp/topics_and_services.db3",
        ]
    )
    func bagsOfOthersAreSound(_ name: String) throws {
        let report = try BagRepairer.repair(Captures.path("\(name)"), .newBag(output))
        #expect(report.isSound, "\(report)")
    }

    /// A bag that was made, and whose writer was killed before the first message.
    @Test func whereNothingWasRecordedThereIsNothingToRepair() async throws {
        let sink = BagSink(bag, options: BagOptions(durability: .resilient))
        try await sink.open([SampleBag.note])
        _ = try await sink.finish()
        let closed = try BagRepairer.repair(bag, .newBag(output))
        #expect(closed.isSound && closed.isEmpty && !closed.isDamaged)
        // As it lies at the moment of its creation.
        try FileManager.default.removeItem(atPath: bag.string)
        let begun = BagSink(bag, options: BagOptions(durability: .resilient))
        try await begun.open([SampleBag.note])
        let opened = try BagRepairer.repair(bag, .newBag(output))
        #expect(opened.isSound && opened.isEmpty && !opened.isDamaged)
        // With the beginning of a chunk.
        try Data(count: 5000).write(to: URL(fileURLWithPath: bag.appending("bag_0.db3.part").string))
        let left = try BagRepairer.repair(bag, .newBag(output))
        #expect(left.isEmpty && !left.isDamaged && left.leftOut.map(\.name) == ["bag_0.db3.part"])
        #expect(try contents(output).keys.sorted() == ["metadata.yaml"])
    }

    @Test func whatCannotBeRepairedIsSaid() throws {
        #expect(throws: BagError.notFound(bag)) { try BagRepairer.repair(bag, .newBag(output)) }
        try FileManager.default.createDirectory(atPath: bag.string, withIntermediateDirectories: false)
        #expect { try BagRepairer.repair(bag, .newBag(output)) } throws: { "\($0)".contains("no storage file") }
        try Data("nothing".utf8).write(to: URL(fileURLWithPath: bag.appending("bag_0.db3").string))
        #expect { try BagRepairer.repair(bag, .newBag(output)) } throws: {
            if case BagError.damaged = $0 { true } else { false }
        }
        #expect { try BagRepairer.repair(bag, .newBag(bag)) } throws: {
            if case BagError.cannotCreate = $0 { true } else { false }
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: directory.path.string) == ["bag"])
        #expect(try contents(bag).keys.sorted() == ["bag_0.db3"])
    }
}
