import BagTools
import Bags
import Foundation
import Messages
import SystemPackage
import TestSupport
import Testing

/// What was in the inputs is what was written, left out by a filter, or said to be missing.
@Suite("What went in and what came out", .enabled(if: PeerPython.isAvailable, Comment(rawValue: PeerPython.absence)))
struct AccountTests {
    private let made: HandmadeBags
    private var output: FilePath { made.directory.appending("out") }

    init() throws { made = try HandmadeBags() }

    private func makeTwoTopics() throws {
        try made.make(
            """
            chunk("bag_0.db3", [(k * 10 ** 9, "x") for k in range(20)], topics=("/a", "/b"))
            metadata(["bag_0.db3"], count=20, topics=[("/a", 10), ("/b", 10)])
            """
        )
    }

    @Test("filters account for what they leave out")
    func filters() async throws {
        try makeTwoTopics()
        let all = try await convert([made.bag], to: output)
        #expect(all.inputCount == 20 && all.writtenCount == 20 && all.filteredCount == 0 && !all.isIncomplete)
        let part = try await convert([made.bag], to: made.directory.appending("part")) {
            $0.selection.only = ["/a"]
            $0.start = .seconds(4)
            $0.end = .seconds(9)
        }
        #expect(part.inputCount == 20 && part.writtenCount == 3 && part.filteredCount == 17 && !part.isIncomplete)
        let twice = try await convert([made.bag, output], to: made.directory.appending("both"))
        #expect(twice.inputCount == 40 && twice.writtenCount == 40 && !twice.lostAnything)
    }

    @Test("a message that does not decode is left out and counted, though its bytes would only be copied")
    func undecodable() async throws {
        try makeTwoTopics()
        // Where a bag has no definition of a type, ours may be that of another release.
        let defined = made.directory.appending("defined")
        _ = try await convert([made.bag], to: defined)
        try made.make(
            """
            connection = sqlite3.connect(os.path.join(os.path.dirname(bag), "defined", "defined_0.db3"))
            connection.execute("UPDATE messages SET data = x'00010000FF00000041' WHERE id = 3")
            connection.commit()
            """
        )
        for storage in BagOptions.Storage.allCases {
            let report = try await convert([defined], to: made.directory.appending(storage.rawValue)) {
                $0.bag.storage = storage
            }
            #expect(report.topics.allSatisfy { $0.treatment == "copied" })
            #expect(report.inputCount == 20 && report.writtenCount == 19 && report.brokenCount == 1)
            #expect(
                report.isIncomplete && report.broken[0].topic == "/a"
                    && report.broken[0].timeNanoseconds == 2_000_000_000
            )
        }
    }

    @Test("a message that does not read as a type that no definition states is counted and copied", arguments: [1, 10])
    func undecodableWithoutDefinition(count: Int) async throws {
        try makeTwoTopics()
        try made.make(
            """
            connection = sqlite3.connect(os.path.join(bag, "bag_0.db3"))
            connection.execute("UPDATE messages SET data = x'00010000FF00000041' WHERE id % 2 = 1 AND id < \(2 * count)")
            connection.commit()
            """
        )
        for storage in BagOptions.Storage.allCases {
            let report = try await convert([made.bag], to: made.directory.appending(storage.rawValue)) {
                $0.bag.storage = storage
            }
            #expect(report.writtenCount == 20 && report.brokenCount == 0 && !report.isIncomplete)
            #expect(report.topics.map(\.unfit) == [count, 0])
            let text = "/a: \(count) of 10 messages do not read as the std_msgs/msg/String that is known here"
            #expect(report.warnings.filter { $0.hasPrefix(text) }.count == 1, "\(report.warnings)")
        }
    }

    @Test("without metadata.yaml the file's own metadata is the count")
    func ownMetadata() async throws {
        try makeTwoTopics()
        let whole = made.directory.appending("whole")
        _ = try await convert([made.bag], to: whole)
        try made.make(
            """
            folder = os.path.join(os.path.dirname(bag), "whole")
            os.remove(os.path.join(folder, "metadata.yaml"))
            connection = sqlite3.connect(os.path.join(folder, "whole_0.db3"))
            connection.execute("DELETE FROM messages WHERE id = 3")
            connection.commit()
            """
        )
        let report = try await convert([whole], to: output)
        #expect(report.writtenCount == 19)
        #expect(report.warnings.contains { $0.contains("counts 20 messages in it, it has 19") }, "\(report.warnings)")
    }

    @Test("of a bag in which nothing can be read no bag is made")
    func nothingReadable() async throws {
        try makeTwoTopics()
        try made.make(
            """
            connection = sqlite3.connect(os.path.join(bag, "bag_0.db3"))
            connection.execute("UPDATE messages SET topic_id = 9")
            connection.commit()
            """
        )
        await #expect {
            try await convert([made.bag], to: output) { $0.acceptsDamage = true }
        } throws: {
            "\($0)".contains("no message that can be read")
        }
        #expect(!FileManager.default.fileExists(atPath: output.string))
    }

    @Test("a bag that does not hold what it says is refused before anything is written, or its lack is counted")
    func refused() async throws {
        try makeTwoTopics()
        try made.make(
            """
            connection = sqlite3.connect(os.path.join(bag, "bag_0.db3"))
            connection.execute("UPDATE messages SET topic_id = 9 WHERE id < 4")
            connection.commit()
            """
        )
        await #expect {
            try await convert([made.bag], to: output)
        } throws: {
            "\($0)".contains("3 of 20 rows of topics")
        }
        #expect(!FileManager.default.fileExists(atPath: output.string))
        let report = try await convert([made.bag], to: output) { $0.acceptsDamage = true }
        #expect(report.inputCount == 20 && report.writtenCount == 17 && report.missingCount == 3)
        #expect(report.isIncomplete && report.damage.contains { $0.contains("3 of 20") })
        #expect(try allRows(output).count == 17)
    }

    @Test("of bare rows too all static transforms from before the start are carried")
    func bareLatchedRows() async throws {
        func transform(_ child: String) -> String {
            """
            {"transforms":[{"header":{"stamp":{"sec":1,"nanosec":0},"frame_id":"base"},"child_frame_id":"\(child)",\
            "transform":{"translation":{"x":1.0,"y":0.0,"z":0.0},"rotation":{"x":0.0,"y":0.0,"z":0.0,"w":1.0}}}]}
            """
        }
        let chunk = made.directory.appending("app_0.db3")
        try HandmadeBag.appChunk(
            chunk,
            topics: [
                .init(name: "/tf_static", type: "tf2_msgs/msg/TFMessage"),
                .init(name: "/n", type: "std_msgs/msg/Int32"),
            ],
            rows: [
                .init("/tf_static", 1_000_000_000, json: transform("camera")),
                .init("/tf_static", 2_000_000_000, json: transform("imu")),
                .init("/n", 5_000_000_000, json: #"{"data":7}"#),
            ]
        )
        let report = try await convert([chunk], to: output) { $0.start = .nanosecondsSinceEpoch(4_000_000_000) }
        #expect(report.carriedLatched == 2 && report.writtenCount == 1 && report.filteredCount == 2)
        let frames = try allRows(output).prefix(2).flatMap { try TFMessage.decoding(cdr: $0.bytes).transforms }
        #expect(Set(frames.map(\.childFrameID)) == ["camera", "imu"])
        // What is looked at for reports sees them as well.
        let summary = try BagReader(opening: chunk).summary(.headers)
        let fixed = try #require(summary.topics.first { $0.topic.name == "/tf_static" }?.headers)
        #expect(fixed.count == 2 && fixed.unreadableCount == 0)
    }

    @Test("an object without a key of its type is no message, except of a type without fields")
    func foreignObjects() async throws {
        let chunk = made.directory.appending("app_0.db3")
        try HandmadeBag.appChunk(
            chunk,
            topics: [.init(name: "/n", type: "std_msgs/msg/Int32"), .init(name: "/e", type: "std_msgs/msg/Empty")],
            rows: [
                .init("/n", 1, json: "{}"), .init("/n", 2, json: #"{"data":1}"#), .init("/e", 3, json: " {} "),
                .init("/n", 4, json: #"{"op":"status","msg":"x"}"#), .init("/n", 5, json: #"{"foo":1}"#),
                .init("/n", 6, json: #"{"op":7}"#),
            ]
        )
        let report = try await convert([chunk], to: output)
        #expect(report.writtenCount == 2 && report.brokenCount == 4 && report.isIncomplete)
        #expect(report.broken.map(\.timeNanoseconds) == [1, 4, 5, 6])
        #expect(report.broken.contains { $0.reason.contains("found only foo") })
        #expect(report.shortfalls.contains { $0.contains("4 of 6 messages") })
    }

    @Test("of a file with a page that cannot be read all other rows are taken, and what is missing is counted")
    func unreadablePage() async throws {
        try made.make(
            """
            chunk("bag_0.db3", [(k * 10 ** 9, f"{k} " * 300) for k in range(200)])
            metadata(["bag_0.db3"], count=200)
            path = os.path.join(bag, "bag_0.db3")
            connection = sqlite3.connect(path)
            connection.execute("PRAGMA page_size=4096")
            connection.execute("VACUUM")
            connection.close()
            content = bytearray(open(path, "rb").read())
            leaves = [at for at in range(4096, len(content), 4096) if content[at] == 13 and content[at + 4] > 1]
            content[leaves[len(leaves) // 2]] = 77
            open(path, "wb").write(content)
            """
        )
        await #expect(throws: BagError.self) { try await convert([made.bag], to: output) }
        let report = try await convert([made.bag], to: output) { $0.acceptsDamage = true }
        #expect(report.inputCount == 200 && report.writtenCount + report.missingCount == 200)
        #expect((190..<200).contains(report.writtenCount) && report.isIncomplete, "\(report.damage)")
        #expect(report.damage.contains { $0.contains("saved one by one") })
        #expect(try allRows(output).count == report.writtenCount)
    }

    @Test("what has no header of CDR is no message, though nothing is decoded", arguments: ["", "hello", "\u{0}"])
    func copiedRowsAreMessages(_ content: String) async throws {
        let chunk = made.directory.appending("recorded_0.db3")
        try HandmadeBag.recorded(
            chunk,
            topics: [.init(name: "/note", type: "std_msgs/msg/String")],
            rows: [.init("/note", 1, Array(content.utf8)), .init("/note", 2, [0, 1, 0, 0, 2, 0, 0, 0, 65, 0])]
        )
        let report = try await convert([chunk], to: output)
        #expect(report.writtenCount == 1 && report.brokenCount == 1 && report.isIncomplete)
        #expect(report.broken.first?.reason.contains("representation header") == true)
    }

    @Test("attachments and metadata records go along to .mcap, and are named where the target is .db3")
    func enclosures() async throws {
        try made.make(
            """
            from mcap.writer import Writer
            with open(os.path.join(bag, "bag_0.mcap"), "wb") as stream:
                writer = Writer(stream)
                writer.start("ros2", "x")
                schema = writer.register_schema("std_msgs/msg/String", "ros2msg", b"string data")
                channel = writer.register_channel("/note", "cdr", schema)
                writer.add_attachment(5, 6, "calibration.yaml", "text/yaml", b"a: 1")
                for _ in range(2): writer.add_metadata("site", {"b": "2", "a": "1"})
                writer.add_metadata("rosbag2", {"ROS_DISTRO": "humble"})
                for time in range(4): writer.add_message(channel, time, text("x"), time)
                writer.add_attachment(7, 0, "empty", "", b"")
                writer.finish()
            """
        )
        let report = try await convert([made.bag], to: output) { $0.bag.storage = .mcap }
        #expect(report.keptExtras.attachments == ["calibration.yaml", "empty"] && report.droppedExtras.isEmpty)
        #expect(report.keptExtras.metadataRecords == ["site", "site"] && !report.lostAnything)
        let found = try made.make(
            """
            from mcap.reader import make_reader
            reader = make_reader(open(sys.argv[2], "rb"))
            print([(a.log_time, a.create_time, a.name, a.media_type, a.data) for a in reader.iter_attachments()])
            print(sorted((m.name, tuple(sorted(m.metadata.items()))) for m in reader.iter_metadata() if m.name == "site"))
            print(len(list(reader.iter_messages())), reader.get_summary().statistics.attachment_count)
            """,
            [output.appending("out_0.mcap").string]
        )
        #expect(
            found == """
                [(6, 5, 'calibration.yaml', 'text/yaml', b'a: 1'), (0, 7, 'empty', '', b'')]
                [('site', (('a', '1'), ('b', '2'))), ('site', (('a', '1'), ('b', '2')))]
                4 2
                """
        )
        let database = try await convert([made.bag], to: made.directory.appending("db3"))
        #expect(database.droppedExtras.attachments == ["calibration.yaml", "empty"])
        #expect(database.droppedExtras.metadataRecords == ["site", "site"])
        #expect(database.lostAnything && !database.isIncomplete)
    }

    @Test("messages that are compressed one by one inside of .mcap are unpacked", arguments: [true, false])
    func messageCompression(hasMetadata: Bool) async throws {
        try made.make(
            """
            import zstandard
            from mcap.writer import Writer
            with open(os.path.join(bag, "bag_0.mcap"), "wb") as stream:
                writer = Writer(stream)
                writer.start("ros2", "x")
                schema = writer.register_schema("std_msgs/msg/String", "ros2msg", b"string data")
                channel = writer.register_channel("/note", "cdr", schema)
                for time in range(50):
                    writer.add_message(channel, time, zstandard.compress(text("word " * time)), time)
                writer.finish()
            """
        )
        if hasMetadata {
            try made.make(
                """
                metadata(["bag_0.mcap"], storage="mcap", count=50, topics=[("/note", 50)])
                path = os.path.join(bag, "metadata.yaml")
                lines = open(path).read().replace("compression_format: ''", "compression_format: zstd")
                open(path, "w").write(lines.replace("compression_mode: ''", "compression_mode: MESSAGE"))
                """
            )
        }
        let report = try await convert([made.bag], to: output)
        #expect(report.writtenCount == 50 && !report.lostAnything)
        for (index, row) in try allRows(output).enumerated() {
            #expect(try StringMessage.decoding(cdr: row.bytes).data == String(repeating: "word ", count: index))
        }
        let topic = try #require(try BagReader(opening: made.bag).summary(.headers).topics.first)
        #expect(topic.smallestMessage == 9 && topic.largestMessage == 9 + 5 * 49 && topic.storedBytes < topic.bytes)
    }

    @Test("times that no bag can hold are counted")
    func impossibleTimes() async throws {
        try made.make(
            """
            from mcap.writer import Writer
            chunk("early_0.db3", [(-8000000000000000000, "x"), (-1, "x"), (0, "x"), (2 ** 63 - 1, "x")])
            with open(os.path.join(bag, "late_0.mcap"), "wb") as stream:
                writer = Writer(stream)
                writer.start("ros2", "x")
                schema = writer.register_schema("std_msgs/msg/String", "ros2msg", b"string data")
                channel = writer.register_channel("/note", "cdr", schema)
                for time in (5, 2 ** 63 - 1, 2 ** 63, 2 ** 64 - 1): writer.add_message(channel, time, text("x"), time)
                writer.finish()
            """
        )
        let file = made.bag.appending("early_0.db3")
        await #expect(throws: BagError.self) { try await convert([file], to: output) }
        let early = try await convert([file], to: output) { $0.acceptsDamage = true }
        #expect(early.inputCount == 4 && early.writtenCount == 2 && early.missingCount == 2 && early.isIncomplete)
        let late = try await convert([made.bag.appending("late_0.mcap")], to: made.directory.appending("late"))
        #expect(late.inputCount == 4 && late.writtenCount == 2 && late.missingCount == 2 && late.isIncomplete)
        // What is asked for by its time is not missing where its time is another.
        let part = try await convert([made.bag.appending("late_0.mcap")], to: made.directory.appending("part")) {
            $0.end = .nanosecondsSinceEpoch(100)
        }
        #expect(part.writtenCount == 1 && part.missingCount == 0 && part.filteredCount == 3 && !part.isIncomplete)
    }

    @Test("no random damage loses a message without a word", arguments: ["db3", "mcap", "bare.mcap", "db3.zstd"])
    func randomDamage(form: String) async throws {
        try made.make(
            """
            import zstandard
            from mcap.writer import Writer, CompressionType, IndexType
            rows = [(1000 + 7 * k % 60, "x" * (k % 50)) for k in range(120)]
            chunk("bag_0.db3", rows, topics=("/a", "/b"))
            data = open(os.path.join(bag, "bag_0.db3"), "rb").read()
            open(os.path.join(bag, "bag_0.db3.zstd"), "wb").write(zstandard.compress(data))
            for name, options in (("bag_0.mcap", {}), ("bag_0.bare.mcap", dict(index_types=IndexType.NONE,
                    repeat_channels=False, repeat_schemas=False, use_statistics=False, enable_crcs=False))):
                with open(os.path.join(bag, name), "wb") as stream:
                    writer = Writer(stream, chunk_size=900, compression=CompressionType.NONE, **options)
                    writer.start("ros2", "x")
                    schema = writer.register_schema("std_msgs/msg/String", "ros2msg", b"string data")
                    channels = [writer.register_channel(topic, "cdr", schema) for topic in ("/a", "/b")]
                    for index, (time, value) in enumerate(rows):
                        writer.add_message(channels[index % 2], time, text(value), time)
                    writer.finish()
            """
        )
        let sound = try Data(contentsOf: URL(fileURLWithPath: made.bag.appending("bag_0.\(form)").string))
        var random = SeededRandomNumbers(seed: 17)
        var claims: [String: Int] = [:]
        for round in 0..<120 {
            var bytes = sound
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let place = Int.random(in: 16..<bytes.count, using: &random)
                if round % 3 == 0 {
                    let end = min(bytes.count, place + Int.random(in: 1...80, using: &random))
                    bytes.replaceSubrange(place..<end, with: Data(count: end - place))
                } else {
                    bytes[place] = UInt8.random(in: 0...255, using: &random)
                }
            }
            let path = made.directory.appending("damaged-\(round).\(form)")
            try bytes.write(to: URL(fileURLWithPath: path.string))
            for accepts in [false, true] {
                let target = made.directory.appending("out-\(round)-\(accepts)")
                guard let report = try? await convert([path], to: target, { $0.acceptsDamage = accepts }) else {
                    continue
                }
                let written = try BagReader(opening: target).summary().messageCount
                #expect(report.writtenCount == written)
                let sum = report.readCount + report.filteredCount + report.missingCount + report.skippedCount
                #expect(report.inputCount == sum && report.filteredCount == 0, "round \(round)")
                if !report.isIncomplete { claims[path.string] = written }
            }
        }
        // The judge counts what is there, without any index.
        let counts = try JSONDecoder().decode(
            [String: Int].self,
            from: Data(try made.make(Self.judge, claims.keys.sorted()).utf8)
        )
        #expect(counts.count == claims.count)
        for (path, claimed) in claims {
            let count = try #require(counts[path])
            // What the judge cannot read we may.
            #expect(count < 0 || count == claimed, "\(path): \(claimed) of \(count)")
        }
    }

    private static let judge = """
        import tempfile, zstandard
        from mcap.stream_reader import StreamReader
        from mcap.records import Message
        def database(path):
            connection = sqlite3.connect(f"file:{path}?mode=ro&immutable=1", uri=True)
            return connection.execute("SELECT count(*) FROM messages NOT INDEXED").fetchone()[0]
        def count(path):
            try:
                if path.endswith(".mcap"):
                    with open(path, "rb") as stream:
                        return sum(isinstance(r, Message) for r in StreamReader(stream, emit_chunks=False).records)
                if path.endswith(".zstd"):
                    with tempfile.NamedTemporaryFile() as file:
                        file.write(zstandard.decompress(open(path, "rb").read(), max_output_size=1 << 26))
                        file.flush()
                        return database(file.name)
                return database(path)
            except Exception:
                return -1
        print(json.dumps({path: count(path) for path in sys.argv[2:]}))
        """
}
