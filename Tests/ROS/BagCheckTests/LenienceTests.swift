import BagTools
import Bags
import Foundation
import Messages
import SystemPackage
import TestSupport
import Testing

/// What looks odd and is right, or is the habit of a known recorder: no error.
@Suite("Check: what is no damage", .enabled(if: PeerPython.isAvailable, "needs the Python peers"))
struct LenienceTests {
    private let made: HandmadeBags
    private var bag: FilePath { made.bag }

    init() throws {
        made = try HandmadeBags()
    }

    /// The phone app takes the first and the last row that it wrote for the ends, and computes in floating point.
    @Test("times of the phone app", arguments: [0, 954, -954, 2_000_000])
    func appTimes(off: Int) throws {
        try makeAppBag(start: 1_000_000_500, duration: 3_000_000_000 + off)
        let times = try BagChecker.check(bag).findings.filter {
            $0.kind == .metadataTimes || $0.kind == .metadataFileTimes
        }
        let isMeant = abs(off) < 1_000_000
        #expect(
            !times.isEmpty && times.allSatisfy { ($0.severity == .error) != isMeant || $0.severity == .note },
            "\(times)"
        )
        #expect(times.contains { $0.severity == .error } != isMeant)
    }

    @Test("the phone app is not held to what this program promises")
    func appIsNotOurs() throws {
        try makeAppBag(start: 1_000_000_500, duration: 3_000_000_000)
        #expect(try !BagChecker.check(bag).isOurs)
    }

    /// Rows from 1.0 s to 4.1 s, of which neither the first nor the last is at an end.
    private func makeAppBag(start: Int, duration: Int) throws {
        try made.make(
            """
            def envelope(value):
                return json.dumps({"op": "publish", "topic": "/note", "msg": {"data": value}}).encode()
            rows = [(1000000500, "a"), (1000000000, "b"), (4100000000, "c"), (4000000500, "d")]
            chunk("bag_0.db3", rows, schema=2, format="rosbridge_json", encode=envelope)
            start, duration = int(sys.argv[2]), int(sys.argv[3])
            times = f"duration: {{nanoseconds: {duration}}}, starting_time: {{nanoseconds_since_epoch: {start}}}"
            open(bag + "/metadata.yaml", "w").write(
                "rosbag2_bagfile_information: {version: 5, storage_identifier: sqlite3, message_count: 4, " + times
                + ", topics_with_message_count: [{topic_metadata: {name: /note, type: std_msgs/msg/String, "
                + "serialization_format: rosbridge_json, offered_qos_profiles: ''}, message_count: 4}], "
                + "compression_format: '', compression_mode: '', relative_file_paths: [bag_0.db3], "
                + "files: [{path: bag_0.db3, message_count: 4, " + times + "}], "
                + "custom_data: {mapeverything.serialization_format: rosbridge_json}}")
            """,
            ["\(start)", "\(duration)"]
        )
    }

    @Test("an .mcap under the name of a .db3 is read as what it is, and the name is told")
    func wrongName() async throws {
        let source = made.directory.appending("source")
        try await CheckTraffic.write(
            to: source,
            BagOptions(storage: .mcap, customData: [:]),
            messages: try CheckTraffic.messages(ticks: 10)
        )
        let file = made.directory.appending("named.db3")
        try FileManager.default.copyItem(atPath: source.appending("source_0.mcap").string, toPath: file.string)
        let report = try BagChecker.check(file)
        #expect(report.isSound, "\(report.text)")
        #expect(report.findings.contains { $0.kind == .bagWrongName && $0.severity == .warning })
        let read = try BagReader(opening: file).summary().messageCount
        #expect(report.messageCount == read && read > 0)
    }

    /// No reader of ours takes an unknown version, so it is an error here too.
    @Test("a version of metadata.yaml that does not exist")
    func unknownVersion() throws {
        try made.make("chunk('bag_0.db3', [(k, 'x') for k in range(5)]); metadata(['bag_0.db3'], version=99, count=5)")
        #expect(throws: BagError.self) { try BagReader(opening: bag) }
        let report = try BagChecker.check(bag)
        #expect(report.findings.contains { $0.kind == .metadataVersion && $0.severity == .error })
    }

    @Test("a log that cannot be read leaves nothing beside the file")
    func nothingStaysBeside() throws {
        try made.makeInWriteAheadLog()
        let file = bag.appending("bag_0.db3")
        var bytes = try #require(FileManager.default.contents(atPath: file.string))
        // The schema is in the first page, behind the file's header.
        bytes.replaceSubrange(100..<140, with: Data(repeating: 0xA7, count: 40))
        try bytes.write(to: URL(fileURLWithPath: file.string))
        try? FileManager.default.removeItem(atPath: file.string + "-shm")
        let before = try FileManager.default.contentsOfDirectory(atPath: bag.string).sorted()
        _ = try BagChecker.check(bag)
        #expect(try FileManager.default.contentsOfDirectory(atPath: bag.string).sorted() == before)
    }

    /// Jazzy's writer without a cache, and all of its `bag convert` (rosbag2 PR 2444).
    @Test("a file's message_count that is exactly double is a note, another one an error", arguments: [2, 3])
    func doubledCount(factor: Int) async throws {
        let path = made.directory.appending("counted")
        try await CheckTraffic.write(to: path, BagOptions(distribution: .jazzy, customData: [:]))
        let count = try BagReader(opening: path).heldCount
        let file = path.appending("metadata.yaml").string
        let text = try String(contentsOfFile: file, encoding: .utf8)
        let start = try #require(text.range(of: "  files:")).upperBound
        let changed = text.replacingOccurrences(
            of: "message_count: \(count)",
            with: "message_count: \(count * factor)",
            range: start..<text.endIndex
        )
        try #require(changed != text)
        try changed.write(toFile: file, atomically: true, encoding: .utf8)
        let finding = try #require(try BagChecker.check(path).findings.first { $0.kind == .metadataFileCount })
        #expect(finding.severity == (factor == 2 ? .note : .error))
        // A note asks for nothing.
        #expect(finding.advice.contains("mapeverything repair") == (factor != 2))
    }

    @Test("names of frames with the slash of ROS 1 are those without, for check and inspect alike")
    func slashedFrames() async throws {
        let path = made.directory.appending("slashed")
        let messages = [("/map", "odom"), ("odom", "/base"), ("base", "camera")].enumerated().map { index, names in
            let time = CheckTraffic.start + Int64(index)
            return CheckTraffic.stamped(CheckTraffic.transforms, time) { (message: inout TFMessage, header) in
                message.transforms = [CheckTraffic.transform(header, from: names.0, to: names.1, x: 1)]
            }
        }
        try await CheckTraffic.write(to: path, BagOptions(customData: [:]), messages: messages)
        let report = try BagChecker.check(path)
        #expect(!report.has(.transformDisconnected) && !report.has(.transformTwoParents), "\(report.text)")
        #expect(try BagReader(opening: path).summary(.headers).frames?.parts.count == 1)
    }

    @Test("a Git LFS pointer in place of a file is named, and nothing is said of what it would hold")
    func pointer() async throws {
        let path = made.directory.appending("pointed")
        try await CheckTraffic.write(to: path, BagOptions(customData: [:]))
        let pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 7\n"
        let file = path.appending("pointed_0.db3")
        try pointer.write(toFile: file.string, atomically: true, encoding: .utf8)
        #expect(try BagChecker.check(path).complaints == ["error bag.not-fetched"])
        for tolerance in [[], BagTolerance.everything] {
            let error = #expect(throws: BagError.self) {
                try BagReader(opening: path, tolerating: tolerance).refuseIfNothingOpens()
            }
            #expect(error == .notFetched(file) && error?.advice?.contains("git lfs pull") == true)
        }
    }

    /// Recording may begin or end between an image and its camera_info; in the middle of a bag neither comes alone.
    @Test("one message alone at either end of a bag", arguments: [false, true])
    func partners(isInTheMiddle: Bool) async throws {
        let all = try CheckTraffic.messages(ticks: 40)
        let times = Set(all.filter { $0.topic.name.hasSuffix("camera_info") }.map(\.timeNanoseconds)).sorted()
        let gone = isInTheMiddle ? times[times.count / 2] : try #require(times.last)
        let messages = all.filter { !($0.topic.name.hasSuffix("camera_info") && $0.timeNanoseconds == gone) }
            // Nothing is later than the message that is alone.
            .filter { isInTheMiddle || $0.timeNanoseconds <= gone }
        #expect(messages.count < all.count)
        let path = made.directory.appending("paired")
        try await CheckTraffic.write(to: path, BagOptions(customData: CheckTraffic.provenance), messages: messages)
        let found = try BagChecker.check(path).findings.filter { $0.kind == .cameraUnpaired }
        #expect(!found.isEmpty && found.allSatisfy { $0.severity == (isInTheMiddle ? .error : .note) }, "\(found)")
    }
}
