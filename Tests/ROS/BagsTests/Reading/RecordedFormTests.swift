import Bags
import Foundation
import SystemPackage
import TestSupport
import Testing

/// Bags of every form that recorders have written.
@Suite(.enabled(if: PeerPython.isAvailable, Comment(rawValue: PeerPython.absence)))
struct RecordedFormTests {
    private let made: HandmadeBags
    private var bag: FilePath { made.bag }

    init() throws {
        made = try HandmadeBags()
    }

    @Test(arguments: 1...4)
    func everySchemaVersionIsRead(_ schema: Int) throws {
        try made.make(
            """
            schema = int(sys.argv[2])
            chunk("bag_0.db3", [(30, "c"), (10, "a"), (20, "b")], schema)
            metadata(["bag_0.db3"], version=4, topics=[("/note", 3)], count=3)
            """,
            ["\(schema)"]
        )
        let reader = try BagReader(opening: bag)
        #expect(reader.schemaVersion == schema)
        #expect(reader.warnings == [])
        let topic = try #require(reader.topics.first)
        #expect(topic.qosText == "from metadata")
        #expect(topic.typeHash == (schema == 4 ? "RIHS01_0" : ""))
        #expect(topic.definitionText == (schema == 4 ? "string data" : ""))
        #expect(topic.definitionEncoding == (schema == 4 ? "ros2msg" : ""))
        let rows = try RowJudge.found(reader)
        #expect(rows.map(\.time) == [10, 20, 30])
        #expect(try rows == RowJudge.expected(bag))
        #expect(try BagReader(opening: bag.appending("bag_0.db3")).schemaVersion == schema)
    }

    @Test(arguments: ["FILE", "MESSAGE"], [8, 9])
    func compressedBagsAreRead(_ mode: String, _ version: Int) throws {
        try made.make(
            """
            from pathlib import Path
            from rosbags.rosbag2 import Writer
            from rosbags.rosbag2.enums import CompressionFormat, CompressionMode, StoragePlugin
            from rosbags.typesys import Stores, get_typestore
            store = get_typestore(Stores.ROS2_JAZZY)
            os.rmdir(bag)
            writer = Writer(Path(bag), version=int(sys.argv[3]), storage_plugin=StoragePlugin.SQLITE3)
            writer.set_compression(CompressionMode[sys.argv[2]], CompressionFormat.ZSTD)
            with writer:
                connection = writer.add_connection("/note", "std_msgs/msg/String", typestore=store)
                for index in range(50):
                    writer.write(connection, 1000 + index, text("x" * index * 100))
            """,
            [mode, "\(version)"]
        )
        let reader = try BagReader(opening: bag)
        let rows = try RowJudge.found(reader)
        #expect(rows.count == 50)
        #expect(rows.map(\.size) == (0..<50).map { 9 + 100 * $0 })
        #expect(try rows == RowJudge.expected(bag))
        #expect(reader.warnings == [])
        let summary = try reader.summary()
        #expect(summary.bytes == rows.reduce(0) { $0 + $1.size })
        #expect(summary.topics.first?.messageCount == 50)
        // The file alone tells what it is.
        let file = try #require(reader.files.first)
        #expect(try RowJudge.found(BagReader(opening: file)) == rows)
    }

    /// As the app leaves it: version 8 without hashes, chunks sorted as text, rows and chunks out of order.
    @Test func thePhoneAppsBagIsReadInTimeOrder() throws {
        try made.make(
            """
            def envelope(value):
                return json.dumps({"op": "publish", "topic": "/note", "msg": {"data": value}}).encode()
            names = [f"mapeverything_{n}.db3" for n in range(12)]
            for n, name in enumerate(names):
                rows = [(1000 + n * 100 + (k * 37) % 120 - 10, f"{n} {k}") for k in range(20)]
                chunk(name, rows, schema=2, format="rosbridge_json", encode=envelope)
            extra = "  custom_data:\\n    'mapeverything.serialization_format': 'rosbridge_json'\\n"
            metadata(sorted(names), version=8, count=240, extra=extra)
            """
        )
        let reader = try BagReader(opening: bag)
        let rows = try RowJudge.found(reader)
        #expect(rows.count == 240)
        #expect(rows.map(\.time) == rows.map(\.time).sorted())
        #expect(try rows.map(\.time) == RowJudge.expected(bag).map(\.time))
        #expect(reader.metadata.customData == ["mapeverything.serialization_format": "rosbridge_json"])
        #expect(reader.files.map { $0.lastComponent?.string } == (0..<12).map { "mapeverything_\($0).db3" })
    }

    /// The app lists its chunks when it ends: after a crash the list is empty.
    @Test func chunksThatNoListNamesAreFound() throws {
        try made.make(
            """
            for n in range(11): chunk(f"mapeverything_{n}.db3", [(100 * n + k, "x") for k in range(3)], schema=2)
            metadata([], version=8)
            """
        )
        let reader = try BagReader(opening: bag)
        #expect(reader.files.last?.lastComponent?.string == "mapeverything_10.db3")
        #expect(try RowJudge.found(reader).count == 33)
        #expect(reader.warnings.contains { $0.contains("lists no files") })
    }

    @Test func anEmptyBagIsRead() throws {
        try made.make(
            """
            chunk("bag_0.db3", [])
            metadata(["bag_0.db3"])
            """
        )
        let reader = try BagReader(opening: bag)
        #expect(try RowJudge.found(reader) == [])
        #expect(try reader.summary().times == nil)
    }

    @Test func filesElsewhereAreFoundBesideTheList() throws {
        try made.make(
            """
            chunk("bag_0.db3", [(1, "x")])
            metadata(["/data/elsewhere/bag_0.db3"])
            """
        )
        #expect(try RowJudge.found(BagReader(opening: bag)).count == 1)
    }

    @Test func whatIsMissingIsPassedOnlyWhenToldSo() throws {
        try made.make(
            """
            for n in (0, 2): chunk(f"bag_{n}.db3", [(100 * n + k, "x") for k in range(3)])
            chunk("renamed.db3", [(100 + k, "y") for k in range(3)])
            metadata([f"bag_{n}.db3" for n in range(3)])
            """
        )
        #expect { try BagReader(opening: bag) } throws: { "\($0)".contains("\"bag_1.db3\", which is missing") }
        let reader = try BagReader(opening: bag, tolerating: .everything)
        #expect(try RowJudge.found(reader).map(\.time) == [0, 1, 2, 100, 101, 102, 200, 201, 202])
        #expect(reader.warnings.contains { $0.contains("bag_1.db3") })
        #expect(reader.warnings.contains { $0.contains("renamed.db3") })
    }

    @Test func brokenMetadataIsPassedOnlyWhenToldSo() throws {
        try made.make(
            """
            chunk("bag_0.db3", [(1, "x")])
            open(bag + "/metadata.yaml", "w").write("rosbag2_bagfile_information: [")
            """
        )
        #expect(BagReader.looksLikeBag(bag))
        #expect(throws: BagError.self) { try BagReader(opening: bag) }
        let reader = try BagReader(opening: bag, tolerating: .damage)
        #expect(!reader.hasMetadataFile)
        #expect(try RowJudge.found(reader).count == 1)
    }
}
