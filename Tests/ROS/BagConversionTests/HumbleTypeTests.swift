import BagTools
import Bags
import Messages
import SystemPackage
import TestSupport
import Testing

/// Types whose fields are others since Humble, in bags that do not say which they mean.
struct HumbleTypeTests {
    private static let time: Int64 = 1_700_000_000_000_000_000
    /// A Range of Humble: 1 s, 2 ns, "r", infrared, four floats; by hand from the rules of CDR.
    private static let range: [UInt8] =
        [0, 1, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0, 0x72, 0, 1, 0]
        + [0, 0, 0x80, 0x3F, 0, 0, 0, 0x40, 0, 0, 0x40, 0x40, 0, 0, 0x80, 0x40]

    private func converted(
        _ bytes: [UInt8],
        hash: String = "",
        _ change: (inout ConversionOptions) -> Void = { _ in }
    ) async throws -> (topic: BagTopic, rows: [BagRow]) {
        let directory = try TemporaryDirectory()
        let chunk = directory.appending("a.db3")
        try HandmadeBag.recorded(
            chunk,
            topics: [.init(name: "/range", type: "sensor_msgs/msg/Range", hash: hash)],
            rows: [.init("/range", Self.time, bytes)]
        )
        _ = try await convert([chunk], to: directory.appending("out"), change)
        let topic = try #require(try BagReader(opening: directory.appending("out")).topics.first)
        return (topic, try allRows(directory.appending("out")))
    }

    @Test("CDR without a hash is Humble's")
    func withoutHash() async throws {
        let (topic, rows) = try await converted(Self.range) { $0.bag.storage = .mcap }
        #expect(topic.definitionText.contains("float32 range\n") && !topic.definitionText.contains("variance"))
        #expect(rows.map(\.bytes) == [Self.range])
        let json = try await converted(Self.range) { $0.bag.serialization = .rosbridgeJSON }.rows
        #expect(json.map { String(decoding: $0.bytes, as: UTF8.self) }.first?.contains(#""range":4"#) == true)
    }

    @Test("CDR with the hash of Jazzy is Jazzy's")
    func withHash() async throws {
        let latest = try TypeResolver().resolve("sensor_msgs/msg/Range")
        let bytes = Self.range + [0, 0, 0, 0x3F]
        let (topic, rows) = try await converted(bytes, hash: latest.typeHash) { $0.bag.storage = .mcap }
        #expect(topic.definitionText.contains("float32 variance\n"))
        #expect(rows.map(\.bytes) == [bytes])
        let json = try await converted(bytes, hash: latest.typeHash) { $0.bag.serialization = .rosbridgeJSON }.rows
        #expect(json.map { String(decoding: $0.bytes, as: UTF8.self) }.first?.contains(#""variance":0.5"#) == true)
    }

    @Test("the first messages are found behind many others, and in a later file")
    func sparse() throws {
        let directory = try TemporaryDirectory()
        let topics = ["/many", "/once", "/later"].map { HandmadeBag.TopicRow(name: $0, type: "sensor_msgs/msg/Range") }
        let latest = Self.range + [0, 0, 0, 0x3F]
        let many = (1...600).map { HandmadeBag.Row("/many", Self.time + $0, Self.range) }
        let once = HandmadeBag.Row("/once", Self.time + 999, latest)
        try HandmadeBag.recorded(directory.appending("a_0.db3"), topics: topics, rows: many + [once])
        let later = HandmadeBag.Row("/later", Self.time + 2000, latest)
        let strange = HandmadeBag.Row("/strange", Self.time + 2001, [0, 1, 0, 0, 1])
        let more = topics + [HandmadeBag.TopicRow(name: "/strange", type: "sensor_msgs/msg/Range")]
        try HandmadeBag.recorded(directory.appending("a_1.db3"), topics: more, rows: [later, strange])
        let read = try BagReader(opening: directory.path).topics
        #expect(read.map(\.edition) == [.of(release: "humble"), .of(release: nil), .of(release: nil), .unknown])
    }

    @Test("a .db3 file, which has one definition of a type, has none of two editions")
    func mixed() async throws {
        let directory = try TemporaryDirectory()
        let chunk = directory.appending("a.db3")
        try HandmadeBag.recorded(
            chunk,
            topics: ["/old", "/new"].map { .init(name: $0, type: "sensor_msgs/msg/Range") },
            rows: [.init("/old", Self.time, Self.range), .init("/new", Self.time + 1, Self.range + [0, 0, 0, 0x3F])]
        )
        _ = try await convert([chunk], to: directory.appending("out"))
        #expect(try BagReader(opening: directory.appending("out")).topics.map(\.definitionText) == ["", ""])
        _ = try await convert([chunk], to: directory.appending("mcap")) { $0.bag.storage = .mcap }
        let topics = try BagReader(opening: directory.appending("mcap")).topics
        #expect(Set(topics.map(\.definitionText)).count == 2 && topics.allSatisfy(\.hasDefinition))
    }

    @Test("JSON becomes what the distribution of the output reads", arguments: [true, false])
    func json(isHumble: Bool) async throws {
        let directory = try TemporaryDirectory()
        let chunk = directory.appending("a.db3")
        try HandmadeBag.appChunk(
            chunk,
            topics: [.init(name: "/range", type: "sensor_msgs/msg/Range")],
            rows: [.init("/range", Self.time, json: #"{"op":"publish","topic":"/range","msg":{"range":4}}"#)]
        )
        _ = try await convert([chunk], to: directory.appending("out")) {
            if isHumble { $0.bag.distribution = .humble }
        }
        let row = try #require(try allRows(directory.appending("out")).first)
        #expect(row.bytes.count == (isHumble ? 36 : 40))
    }
}
