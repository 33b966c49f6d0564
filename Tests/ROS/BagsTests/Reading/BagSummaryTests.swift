import Bags
import Messages
import SystemPackage
import TestSupport
import Testing

/// What a bag is said to hold: rates, gaps, stamps, frames, latched topics.
struct BagSummaryTests {
    private let directory: TemporaryDirectory
    private var bag: FilePath { directory.appending("bag") }

    init() throws {
        directory = try TemporaryDirectory()
    }

    /// A topic's figures as rosbags and Python's statistics give them.
    struct JudgedTopic: Codable, Equatable {
        var name: String
        var count: Int
        var gaps: [Int64]
        var longGaps: Int
        var skew: [Int64]
        var frames: [String]
        var sizes: [Int]
    }

    @Test(
        .enabled(if: PeerPython.isAvailable, Comment(rawValue: PeerPython.absence)),
        .enabled(if: Captures.have("bags-ros2-jazzy"), Comment(rawValue: Captures.absence)),
        arguments: ["jazzy_db3", "jazzy_mcap"]
    )
    func figuresAreThoseOfRosbags(_ name: String) throws {
        let path = Captures.path("bags-ros2-jazzy/\(name)")
        let judged: [JudgedTopic] = try PeerPython.json(
            """
            import json, pathlib, statistics, sys
            from rosbags.highlevel import AnyReader
            from rosbags.typesys import Stores, get_typestore
            result = []
            with AnyReader([pathlib.Path(sys.argv[1])], default_typestore=get_typestore(Stores.ROS2_JAZZY)) as reader:
                for connection in reader.connections:
                    rows = [(time, reader.deserialize(data, connection.msgtype), len(data))
                        for _, time, data in reader.messages([connection])]
                    gaps = [b[0] - a[0] for a, b in zip(rows, rows[1:])]
                    stamped = [(time, message.header) for time, message, _ in rows if hasattr(message, "header")]
                    skew = sorted(t - h.stamp.sec * 10**9 - h.stamp.nanosec for t, h in stamped
                        if h.stamp.sec or h.stamp.nanosec)
                    middle = statistics.median(gaps)
                    def spread(values): return [min(values), int(statistics.median(values)), max(values)] if values else []
                    result.append(dict(name=connection.topic, count=len(rows), gaps=spread(gaps),
                        longGaps=sum(1 for gap in gaps if gap > 3 * middle), skew=spread(skew),
                        frames=sorted({h.frame_id for _, h in stamped}),
                        sizes=[min(row[2] for row in rows), max(row[2] for row in rows)]))
            print(json.dumps(sorted(result, key=lambda topic: topic["name"])))
            """,
            [path.string]
        )
        let summary = try BagReader(opening: path).summary(.headers)
        #expect(summary.topics.count == judged.count)
        for (topic, expected) in zip(summary.topics.sorted { $0.topic.name < $1.topic.name }, judged) {
            #expect(topic.topic.name == expected.name)
            #expect(topic.messageCount == expected.count)
            #expect([topic.smallestMessage, topic.largestMessage] == expected.sizes)
            expectClose(topic.gaps?.spread, expected.gaps)
            #expect(topic.gaps?.longCount == expected.longGaps)
            expectClose(topic.headers?.skewNanoseconds, expected.skew)
            #expect(topic.headers?.frameIDs ?? [] == expected.frames)
            #expect(topic.headers?.unreadableCount ?? 0 == 0)
        }
    }

    @Test(arguments: BagOptions.Serialization.allCases)
    func framesAndStampsAreTold(_ serialization: BagOptions.Serialization) async throws {
        var messages = SampleTraffic.messages(ticks: 40, points: 20)
        messages.append(SampleTraffic.fixedTransform(of: "gps", at: SampleTraffic.start + 390_000_000))
        messages.append(transform("elsewhere", "thing", at: SampleTraffic.start + 390_000_000))
        let options = BagOptions(serialization: serialization, maximumChunkSeconds: 0.2)
        _ = try await BagSink(bag, options: options).record(messages)
        let summary = try BagReader(opening: bag).summary(.headers)
        #expect(summary.files.count == 2)
        let frames = try #require(summary.frames)
        #expect(frames.edges.map(\.parent) == ["elsewhere", "map", "map", "map"])
        #expect(frames.edges.map(\.child) == ["thing", "camera", "gps", "phone"])
        #expect(frames.edges.map(\.isStatic) == [false, true, true, false])
        #expect(frames.edges.last?.messageCount == 40)
        #expect(frames.roots == ["elsewhere", "map"])
        #expect(frames.parts == [["camera", "gps", "map", "phone"], ["elsewhere", "thing"]])
        #expect(frames.contested == [])
        let imu = try #require(summary.topics.first { $0.topic.name == "/imu" })
        #expect(imu.headers?.count == 40)
        #expect(imu.headers?.frameIDs == ["map"])
        #expect(imu.headers?.skewNanoseconds == Spread(minimum: 0, median: 0, maximum: 0))
        #expect(imu.headers?.backwardCount == 0)
        let fixed = try #require(summary.topics.first { $0.topic.name == "/tf_static" })
        #expect(fixed.isLatched && fixed.filesWithout == [])
        #expect(!imu.isLatched && imu.qos == .reliable(depth: 10) && imu.profileCount == 1)
        let note = try #require(summary.topics.first { $0.topic.name == "/note" })
        #expect(note.headers == nil)
        #expect(summary.files.reduce(0) { $0 + $1.messageBytes } == summary.bytes)
    }

    @Test func rowsAloneLookAtNoHeader() async throws {
        _ = try await BagSink(bag).record(SampleTraffic.messages(ticks: 10, points: 20))
        let summary = try BagReader(opening: bag).summary()
        #expect(summary.frames == nil)
        #expect(summary.topics.allSatisfy { $0.headers == nil })
    }

    @Test func skewGapsAndBackwardStampsAreCounted() async throws {
        let sink = BagSink(bag)
        try await sink.open()
        let topic = try await sink.add(BagTopic(SampleTraffic.imu, serialization: .cdr))
        // Every 10 ms, with a hole of 500 ms; the stamps are 3 ms old, one of them 1 s, one is zero.
        for index in 0..<100 {
            let time = SampleTraffic.start + Int64(index) * 10_000_000 + (index >= 60 ? 490_000_000 : 0)
            let age: Int64 = index == 50 ? 1_000_000_000 : 3_000_000
            var message = Imu()
            message.header = Header(stampNanoseconds: index == 70 ? 0 : time - age, frameID: "imu")
            try await sink.write(BagRow(topic: topic, timeNanoseconds: time, bytes: message.encodedCDR()))
        }
        _ = try await sink.finish()
        let summary = try #require(try BagReader(opening: bag).summary(.headers).topics.first)
        let headers = try #require(summary.headers)
        #expect(headers.skewNanoseconds == Spread(minimum: 3_000_000, median: 3_000_000, maximum: 1_000_000_000))
        #expect(headers.count == 100 && headers.unstampedCount == 1 && headers.backwardCount == 1)
        let gaps = try #require(summary.gaps)
        #expect(gaps.spread == Spread(minimum: 10_000_000, median: 10_000_000, maximum: 500_000_000))
        #expect(gaps.longCount == 1)
        #expect(gaps.largestSince == SampleTraffic.start + 590_000_000)
    }

    /// What a row in JSON does not have is at its default, as where it is decoded: no header is no stamp, and no damage.
    @Test func rowsWithoutAHeaderHaveNoStamp() async throws {
        let sink = BagSink(bag, options: BagOptions(serialization: .rosbridgeJSON))
        try await sink.open()
        let single = try await sink.add(BagTopic(SampleTraffic.imu, serialization: .rosbridgeJSON))
        var odd = topic("/odd", "a_msgs/msg/Odd", "std_msgs/Header head\nuint8 a")
        odd.serializationFormat = "rosbridge_json"
        let other = try await sink.add(odd)
        let rows = [
            (single, #"{"orientation":{"w":1}}"#), (single, #"{"op":"publish","topic":"/imu","msg":{}}"#),
            (single, #"{"foo":1}"#), (single, #"{"header":7}"#), (other, #"{"head":{"frame_id":"map"}}"#),
        ]
        for (index, row) in rows.enumerated() {
            let time = SampleTraffic.start + Int64(index)
            try await sink.write(BagRow(topic: row.0, timeNanoseconds: time, bytes: Array(row.1.utf8)))
        }
        _ = try await sink.finish()
        let topics = try BagReader(opening: bag).summary(.headers).topics
        let headers = try #require(topics.first { $0.topic.name == SampleTraffic.imu.name }?.headers)
        #expect(headers.count == 2 && headers.unstampedCount == 2 && headers.unreadableCount == 2)
        #expect(topics.first { $0.topic.name == "/odd" }?.headers?.frameIDs == ["map"])
    }

    /// A definition that only the bag has is enough to find the header.
    @Test func headersOfForeignTypesAreFound() async throws {
        let sink = BagSink(bag)
        try await sink.open()
        let header = "\n\(String(repeating: "=", count: 80))\nMSG: std_msgs/Header\nstring frame_id\n"
        let item = "\n\(String(repeating: "=", count: 80))\nMSG: a_msgs/Item\n# one\nstd_msgs/Header header\n"
        let single = try await sink.add(topic("/one", "a_msgs/msg/Item", "uint8 A=1\nstd_msgs/Header header" + header))
        let many = try await sink.add(topic("/many", "a_msgs/msg/Items", "a_msgs/Item[] items\n" + item + header))
        let none = try await sink.add(topic("/none", "a_msgs/msg/None", "uint8 a\nstd_msgs/Header header" + header))
        // What this program knows needs no definition.
        let common = try await sink.add(topic("/joints", "sensor_msgs/msg/JointState", ""))
        let stamp: [UInt8] = [7, 0, 0, 0, 5, 0, 0, 0, 4, 0, 0, 0] + Array("map\0".utf8)
        for (index, bytes) in [(single, stamp), (many, [1, 0, 0, 0] + stamp), (none, [0] + stamp), (common, stamp)] {
            try await sink.write(BagRow(topic: index, timeNanoseconds: 7_000_000_009, bytes: [0, 1, 0, 0] + bytes))
        }
        try await sink.write(BagRow(topic: many, timeNanoseconds: 8_000_000_000, bytes: [0, 1, 0, 0, 0, 0, 0, 0]))
        try await sink.write(BagRow(topic: single, timeNanoseconds: 8_000_000_000, bytes: [0, 1, 0, 0, 0]))
        _ = try await sink.finish()
        let topics = try BagReader(opening: bag).summary(.headers).topics
        #expect(topics[single].headers?.frameIDs == ["map"])
        #expect(topics[single].headers?.unreadableCount == 1)
        #expect(topics[many].headers?.skewNanoseconds == Spread(minimum: 4, median: 4, maximum: 4))
        #expect(topics[many].headers?.unreadableCount == 0)
        #expect(topics[none].headers == nil)
        #expect(topics[common].headers?.frameIDs == ["map"])
    }

    private func topic(_ name: String, _ type: String, _ definition: String) -> BagTopic {
        BagTopic(
            name: name,
            typeName: type,
            serializationFormat: "cdr",
            qosText: "",
            typeHash: "",
            definitionText: definition
        )
    }

    private func transform(_ parent: String, _ child: String, at time: Int64) -> StampedMessage {
        var transform = TransformStamped()
        transform.header = Header(stampNanoseconds: time, frameID: parent)
        transform.childFrameID = child
        transform.transform.rotation.w = 1
        var message = TFMessage()
        message.transforms = [transform]
        return StampedMessage(topic: SampleTraffic.transforms, timeNanoseconds: time, message: message)
    }

    /// The ends are exact, the median is within two per cent.
    private func expectClose(_ spread: Spread?, _ expected: [Int64], sourceLocation: SourceLocation = #_sourceLocation)
    {
        guard let spread else { return #expect(expected.isEmpty, sourceLocation: sourceLocation) }
        #expect([spread.minimum, spread.maximum] == [expected[0], expected[2]], sourceLocation: sourceLocation)
        #expect(abs(spread.median - expected[1]) <= abs(expected[1] / 50), sourceLocation: sourceLocation)
    }
}
