import BagTools
import Bags
import Messages
import SystemPackage
import TestSupport
import Testing

@Suite("Cutting, filtering, renaming, merging")
struct SelectionTests {
    private static let start: Int64 = 1_700_000_000_000_000_000
    private static let integer = HandmadeBag.TopicRow(name: "/n", type: "std_msgs/msg/Int32")

    @Test("start and end cut, both belonging to what stays")
    func cut() async throws {
        let directory = try TemporaryDirectory()
        let bag = try numbers(directory, name: "a.db3", count: 10)
        _ = try await convert([bag], to: directory.appending("out")) {
            $0.start = .seconds(3)
            $0.end = .nanosecondsSinceEpoch(Self.start + 6_000_000_000)
        }
        #expect(try values(directory.appending("out")) == [3, 4, 5, 6])
    }

    @Test("a cut keeps the static transforms from before it, with the time of its first message")
    func carriedTransforms() async throws {
        let directory = try TemporaryDirectory()
        let sink = BagSink(directory.appending("in"))
        let fixed = Topic(name: "/tf_static", type: TFMessage.self, qos: .latched)
        let number = Topic(name: "/n", type: Int32Message.self)
        try await sink.open([fixed, number])
        for (index, child) in ["camera", "imu", "camera"].enumerated() {
            var transform = TransformStamped()
            transform.header = Header(stampNanoseconds: Self.start + Int64(index), frameID: "base_link")
            transform.childFrameID = child
            transform.transform.rotation.w = 1
            transform.transform.translation.x = Double(index)
            let message = TFMessage(transforms: [transform])
            try await sink.write(
                StampedMessage(topic: fixed, timeNanoseconds: Self.start + Int64(index), message: message)
            )
        }
        for index in 0..<10 {
            var message = Int32Message()
            message.data = Int32(index)
            let time = Self.start + Int64(index) * 1_000_000_000
            try await sink.write(StampedMessage(topic: number, timeNanoseconds: time, message: message))
        }
        _ = try await sink.finish()
        let report = try await convert([directory.appending("in")], to: directory.appending("out")) {
            $0.start = .seconds(4.5)
        }
        #expect(report.carriedLatched == 2)
        let reader = try BagReader(opening: directory.appending("out"))
        let cursor = try reader.rows(BagQuery(topics: ["/tf_static"]))
        var seen: [String: Double] = [:]
        while let row = try cursor.next() {
            #expect(row.timeNanoseconds == Self.start + 5_000_000_000)
            for transform in try TFMessage.decoding(cdr: row.bytes).transforms {
                #expect(transform.header.stamp.nanosecondsSinceEpoch == Self.start + 5_000_000_000)
                seen[transform.childFrameID] = transform.transform.translation.x
            }
        }
        #expect(seen == ["camera": 2, "imu": 1])
    }

    @Test("topics are filtered and renamed, inside rosbridge rows too")
    func filterAndRemap() async throws {
        let directory = try TemporaryDirectory()
        try HandmadeBag.appChunk(
            directory.appending("a.db3"),
            topics: [Self.integer, .init(name: "/m", type: "std_msgs/msg/Int32")],
            rows: [
                .init("/n", Self.start, json: #"{"op":"publish","topic":"/n","msg":{"data":1}}"#),
                .init("/m", Self.start, json: #"{"op":"publish","topic":"/m","msg":{"data":2}}"#),
            ]
        )
        _ = try await convert([directory.appending("a.db3")], to: directory.appending("out")) {
            $0.selection.only = ["/n"]
            $0.remaps = [TopicRemap(from: "/n", to: "/renamed")]
            $0.bag.serialization = .rosbridgeJSON
        }
        let reader = try BagReader(opening: directory.appending("out"))
        #expect(reader.topics.map(\.name) == ["/renamed"])
        let row = try #require(try allRows(directory.appending("out")).first)
        #expect(String(decoding: row.bytes, as: UTF8.self) == #"{"op":"publish","topic":"/renamed","msg":{"data":1}}"#)
    }

    @Test("names that no input has are said")
    func unmatched() throws {
        let directory = try TemporaryDirectory()
        let bags = [
            try numbers(directory, name: "a.db3", count: 1),
            try numbers(directory, name: "b.db3", count: 1, topic: "/m"),
        ]
        var options = ConversionOptions()
        options.selection.only = ["/n", "/nope"]
        options.remaps = [TopicRemap(from: "/m", to: "/k")]
        options.types = ["/m": "std_msgs/msg/Int32", "/k": "std_msgs/msg/Int32"]
        let plan = try ConversionPlan(inputs: bags, options: options)
        let asked = plan.unmatched.map { text in text.prefix { $0 != ":" } }
        #expect(asked == ["--topics /nope", "--type /k"])
        #expect(plan.unmatched.allSatisfy { $0.contains("expected a topic of the input (") })
    }

    @Test("several bags merge in time order; equal times keep the order of the inputs")
    func merge() async throws {
        let directory = try TemporaryDirectory()
        let first = try numbers(directory, name: "a.db3", count: 5)
        let second = try numbers(directory, name: "b.db3", count: 5, offset: 100)
        _ = try await convert([second, first], to: directory.appending("out"))
        #expect(try values(directory.appending("out")) == [100, 0, 101, 1, 102, 2, 103, 3, 104, 4])
    }

    @Test("a topic with two types is refused, or left out where that is asked for")
    func twoTypes() async throws {
        let directory = try TemporaryDirectory()
        let first = try numbers(directory, name: "a.db3", count: 2)
        let second = directory.appending("b.db3")
        try HandmadeBag.recorded(
            second,
            topics: [.init(name: "/n", type: "std_msgs/msg/Float32")],
            rows: [.init("/n", Self.start, NumberMessage<Float>().encodedCDR())]
        )
        await #expect(throws: BagError.self) { try await convert([first, second], to: directory.appending("out")) }
        let report = try await convert([first, second], to: directory.appending("out2")) { $0.skipsUnknown = true }
        #expect(report.writtenCount == 2)
        #expect(report.skipped.map(\.typeName) == ["std_msgs/msg/Float32"])
        #expect(report.lostAnything)
    }

    @Test("the input is never replaced by the output")
    func samePlace() async throws {
        let directory = try TemporaryDirectory()
        let bag = directory.appending("bag")
        _ = try await convert([try numbers(directory, name: "a.db3", count: 2)], to: bag)
        for input in [bag, bag.appending("bag_0.db3")] {
            await #expect(throws: BagError.self) { try await convert([input], to: bag) { $0.bag.force = true } }
        }
        #expect(try values(bag) == [0, 1])
    }

    private func numbers(
        _ directory: TemporaryDirectory,
        name: String,
        count: Int,
        offset: Int = 0,
        topic: String = "/n"
    ) throws -> FilePath {
        let path = directory.appending(name)
        let rows = (0..<count).map { index in
            var message = Int32Message()
            message.data = Int32(index + offset)
            return HandmadeBag.Row(topic, Self.start + Int64(index) * 1_000_000_000, message.encodedCDR())
        }
        try HandmadeBag.recorded(path, topics: [.init(name: topic, type: "std_msgs/msg/Int32")], rows: rows)
        return path
    }

    private func values(_ bag: FilePath) throws -> [Int] {
        try allRows(bag).map { Int(try Int32Message.decoding(cdr: $0.bytes).data) }
    }
}
