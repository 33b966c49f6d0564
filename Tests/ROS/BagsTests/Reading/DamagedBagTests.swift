import Bags
import Foundation
import Messages
import SystemPackage
import TestSupport
import Testing

/// Bags that are not what they should be: a typed error that names the file, or a warning, and never a crash.
struct DamagedBagTests {
    private let directory: TemporaryDirectory
    private var bag: FilePath { directory.appending("bag") }
    private var chunk: FilePath { bag.appending("bag_0.db3") }
    private var metadata: FilePath { bag.appending("metadata.yaml") }

    init() throws {
        directory = try TemporaryDirectory()
    }

    @Test func whatIsNotThereIsNotFound() {
        #expect(throws: BagError.notFound(bag)) { try BagReader(opening: bag) }
        #expect(!BagReader.looksLikeBag(bag))
    }

    @Test func aMissingChunkIsNamed() async throws {
        try await record()
        try FileManager.default.removeItem(atPath: chunk.string)
        #expect { try BagReader(opening: bag) } throws: { "\($0)".contains("bag_0.db3") }
    }

    @Test func aBagWithoutMetadataIsReadWithAWarning() async throws {
        try await record()
        let before = try BagReader(opening: bag).summary()
        try FileManager.default.removeItem(atPath: metadata.string)
        let after = try BagReader(opening: bag).summary()
        #expect(after.messageCount == before.messageCount)
        #expect(after.warnings.contains { $0.contains("metadata.yaml") })
        #expect(BagReader.looksLikeBag(bag))
        #expect(try BagReader(opening: chunk).summary().messageCount == before.messageCount)
    }

    @Test func unfinishedFilesSaySo() async throws {
        try await record()
        try Data([1]).write(to: URL(fileURLWithPath: bag.appending("bag_1.db3.part").string))
        #expect(try BagReader(opening: bag).warnings.contains { $0.contains("bag_1.db3.part") })
        #expect { try BagReader(opening: bag.appending("bag_1.db3.part")) } throws: {
            if case BagError.unfinished = $0 { true } else { false }
        }
        try Data([1]).write(to: URL(fileURLWithPath: chunk.string + "-journal"))
        #expect { try BagReader(opening: bag) } throws: {
            if case BagError.unfinished(let path, _) = $0 { path == chunk } else { false }
        }
    }

    @Test func countsThatAreNotTrueAreWarnings() async throws {
        try await record()
        var text = try String(contentsOfFile: metadata.string, encoding: .utf8)
        text = text.replacing("    message_count: 20", with: "    message_count: 21")
        try Data(text.utf8).write(to: URL(fileURLWithPath: metadata.string))
        let warnings = try BagReader(opening: bag).summary().warnings
        #expect(warnings.contains { $0.contains("21") && $0.contains("20") })
    }

    @Test func anUnknownCompressionIsNamed() throws {
        try FileManager.default.createDirectory(atPath: bag.string, withIntermediateDirectories: false)
        let text = """
            rosbag2_bagfile_information:
              version: 4
              storage_identifier: sqlite3
              compression_mode: FILE
              compression_format: squash
            """
        try Data(text.utf8).write(to: URL(fileURLWithPath: metadata.string))
        #expect { try BagReader(opening: bag) } throws: { "\($0)".contains("compression_format \"squash\"") }
    }

    @Test(arguments: [
        ("", "rosbag2_bagfile_information"),
        ("a: [1", "YAML"),
        ("rosbag2_bagfile_information: 5", "5"),
        ("rosbag2_bagfile_information:\n  version: 12\n", "12"),
        ("rosbag2_bagfile_information:\n  version: x\n", "version"),
        ("rosbag2_bagfile_information:\n  version: 4\n  storage_identifier: tape\n", "tape"),
        (
            "rosbag2_bagfile_information:\n  version: 4\n  storage_identifier: sqlite3\n  compression_mode: TAR\n",
            "tar"
        ),
        (
            "rosbag2_bagfile_information:\n  storage_identifier: sqlite3\n  relative_file_paths: 3\n",
            "relative_file_paths"
        ),
        ("rosbag2_bagfile_information:\n  topics_with_message_count:\n    - name: x\n", "topics_with_message_count[0]"),
        (String(repeating: "[", count: 100_000), "YAML"),
        (
            "rosbag2_bagfile_information:\n  deep: " + String(repeating: "{? ", count: 900)
                + "[" + String(repeating: "x,", count: 100_000) + "x]" + String(repeating: " : 1}", count: 900),
            "keys"
        ),
        (aliasBomb + "  ? *a8\n  : 1\n", "aliases"),
        (
            aliasBomb
                + "  topics_with_message_count:\n  - topic_metadata: {name: /a, type: b, offered_qos_profiles: *a8}\n",
            "aliases"
        ),
    ])
    func badMetadataIsAnErrorThatNamesTheKey(_ text: String, _ expected: String) throws {
        try FileManager.default.createDirectory(atPath: bag.string, withIntermediateDirectories: false)
        try Data(text.utf8).write(to: URL(fileURLWithPath: metadata.string))
        #expect { try BagReader(opening: bag) } throws: { error in
            error is BagError && "\(error)".contains("metadata.yaml") && "\(error)".contains(expected)
        }
    }

    /// A thousand million words in half a kilobyte: comparing them as keys, or writing them out, never ends.
    private static let aliasBomb =
        "rosbag2_bagfile_information:\n  version: 4\n  a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"
        + (1...8).map { level in
            let names = [String](repeating: "*a\(level - 1)", count: 10).joined(separator: ", ")
            return "  a\(level): &a\(level) [\(names)]\n"
        }.joined()

    @Test func profilesOfAliasesOfAliasesAreNone() {
        let text = Self.aliasBomb.split(separator: "\n").dropFirst(2).map { "-\($0)\n" }.joined()
        #expect(QoS(rosbag2Text: text + "- ? *a8\n  : 1\n") == .reliable(depth: 10))
    }

    /// Every cut and every flipped byte gives rows or a `BagError`.
    @Test func damagedDatabasesNeverCrash() async throws {
        try await record()
        let sound = try #require(FileManager.default.contents(atPath: chunk.string))
        var random = SystemRandomNumberGenerator.seeded
        var failures = 0
        for round in 0..<400 {
            var bytes = sound
            if round.isMultiple(of: 4) {
                bytes = bytes.prefix(Int.random(in: 0..<bytes.count, using: &random))
            } else {
                // Half of them in the page that the header and the schema are on.
                for _ in 0..<4 {
                    let end = round.isMultiple(of: 2) ? 4_096 : bytes.count
                    bytes[Int.random(in: 0..<end, using: &random)] = UInt8.random(in: 0...255, using: &random)
                }
            }
            try bytes.write(to: URL(fileURLWithPath: chunk.string))
            do {
                let reader = try BagReader(opening: bag)
                _ = try reader.summary()
                let cursor = try reader.rows()
                while try cursor.next() != nil {}
            } catch {
                failures += 1
            }
        }
        #expect(failures > 0)
    }

    private func record() async throws {
        let options = BagOptions(maximumChunkBytes: 7 << 20)
        _ = try await BagSink(bag, options: options).record(SampleTraffic.messages(ticks: 20, points: 50))
    }
}

extension SystemRandomNumberGenerator {
    fileprivate static var seeded: SeededRandomNumbers { SeededRandomNumbers(seed: 7) }
}
