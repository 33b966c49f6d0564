import Bags
import Messages
import Playback
import TestSupport
import Testing

@Suite("Messages of a bag")
struct MessageTests {
    /// Stamped messages of three types at 0 to 90 ms, several at one time.
    private func bag(_ form: BagOptions.Serialization = .cdr) throws -> TestBag {
        var bag = try TestBag()
        bag.add("/text", StringMessage.self, form: form)
        bag.add("/imu", Imu.self, form: form)
        bag.add("/tf", TFMessage.self, form: form)
        for index in Int64(0)..<10 {
            var text = StringMessage()
            text.data = "\(index)"
            var imu = Imu()
            imu.header = Header(stampNanoseconds: TestBag.time(index * 10 - 1), frameID: "imu")
            imu.angularVelocity.x = Double(index) / 3
            let messages: [(String, any Message)] = [
                ("/text", text), ("/imu", imu), ("/tf", TestBag.transforms("a", "b", at: index * 10)),
            ]
            for (name, message) in messages {
                var bytes = message.cdr
                if form == .rosbridgeJSON {
                    bytes = []
                    try RosbridgeEnvelope.appendPublish(topic: name, message: message, to: &bytes)
                }
                bag.append(name, index * 10, bytes)
            }
        }
        return bag
    }

    @Test("come in order with the very bytes that the bag has", arguments: [BagOptions.Storage.sqlite3, .mcap])
    func sameBytes(storage: BagOptions.Storage) async throws {
        let bag = try bag()
        try await bag.write { $0.storage = storage }
        let sink = ListSink()
        let report = try await bag.play(into: sink)
        let messages = await sink.messages
        #expect(messages.map(\.topic.name) == bag.rows.map(\.topic))
        #expect(messages.map(\.timeNanoseconds) == bag.rows.map(\.time))
        #expect(messages.map(\.message.cdr) == bag.rows.map(\.bytes))
        #expect(!report.lostAnything && report.playback.playedSeconds == 0.09)
    }

    @Test("of JSON rows are those of the same messages in CDR")
    func json() async throws {
        let bag = try bag(.rosbridgeJSON)
        try await bag.write()
        let sink = ListSink()
        try await bag.play(into: sink)
        #expect(await sink.messages.map(\.message.cdr) == (try self.bag()).rows.map(\.bytes))
    }

    @Test("of either byte order mean the same, and stay what they are")
    func bigEndian() async throws {
        var bag = try TestBag()
        bag.add("/number", Int32Message.self)
        bag.append("/number", 0, [0, 0, 0, 0, 0, 0, 1, 2])
        bag.append("/number", 1, [0, 1, 0, 0, 2, 1, 0, 0])
        try await bag.write()
        let sink = ListSink()
        try await bag.play(into: sink)
        let messages = await sink.messages
        #expect(messages.map(\.message.cdr) == bag.rows.map(\.bytes))
        for message in messages {
            var json: [UInt8] = []
            try message.message.appendJSON(to: &json)
            #expect(String(decoding: json, as: UTF8.self) == #"{"data":258}"#)
        }
    }

    @Test("may hold NaN in any float, though types that are compiled in do not")
    func notANumber() async throws {
        var bag = try TestBag()
        bag.add("/pose", PoseStamped.self)
        var pose = PoseStamped()
        pose.pose.position.x = .nan
        pose.pose.position.y = -.infinity
        bag.append("/pose", 0, pose)
        try await bag.write()
        let sink = ListSink()
        try await bag.play(into: sink)
        var json: [UInt8] = []
        try #require(await sink.messages.first).message.appendJSON(to: &json)
        #expect(String(decoding: json, as: UTF8.self).contains(#""x":NaN,"y":-Infinity"#))
    }

    @Test("that are none are skipped, counted and named; the others go on")
    func broken() async throws {
        var bag = try TestBag()
        bag.add("/text", StringMessage.self)
        bag.add("/imu", Imu.self)
        bag.append("/text", 0, text: "a")
        bag.append("/text", 1, [1, 2, 3])
        bag.append("/imu", 2, [0, 1, 0, 0, 5])
        bag.append("/text", 3, text: "b")
        bag.append("/text", 3, [0, 1, 0, 0, 255, 255, 255, 255])
        bag.append("/text", 4, text: "c")
        try await bag.write()
        let sink = ListSink()
        let report = try await bag.play(into: sink)
        #expect(await sink.texts == ["a", "b", "c"])
        #expect(report.brokenCounts.map(\.topic) == ["/imu", "/text"] && report.brokenCounts.map(\.count) == [1, 2])
        #expect(report.broken.map(\.timeNanoseconds) == [1, 2, 3].map(TestBag.time))
        #expect(report.lostAnything && report.broken.allSatisfy { !$0.reason.isEmpty })
    }

    @Test("at times that no stamp holds are counted, and nothing of them is lost in silence")
    func strangeTimes() async throws {
        var bag = try TestBag()
        bag.add("/text", StringMessage.self)
        bag.append("/text", -1_700_000_000_000, text: "zero")
        bag.append("/text", 0, text: "a")
        bag.append("/text", 4_000_000_000_000, text: "far")
        try await bag.write()
        let sink = ListSink()
        let report = try await bag.play(into: sink) { $0.clockHertz = 0.001 }
        #expect(await sink.texts.filter { $0 != "/clock" } == ["zero", "a"])
        #expect(report.brokenCounts.map(\.count) == [1] && report.broken.first?.reason.contains("2038") == true)
    }

    @Test("in JSON: unknown keys are counted, the topic that a row names counts, a bare message is one")
    func oddJSON() async throws {
        var bag = try TestBag()
        bag.add("/a", StringMessage.self, form: .rosbridgeJSON)
        bag.add("/b", StringMessage.self, form: .rosbridgeJSON)
        let rows = [
            #"{"op":"publish","topic":"/a","msg":{"data":"1","more":2}}"#,
            #"{"op":"publish","topic":"/b","msg":{"data":"2"}}"#, #"{"data":"3"}"#,
            #"{"msg":{"data":"4"},"topic":"/nowhere","op":"publish"}"#, #"{"op":"advertise","topic":"/a"}"#, "[]", "",
            #"{"foo":1}"#, #"{"op":7}"#,
        ]
        for (index, row) in rows.enumerated() { bag.append("/a", Int64(index), Array(row.utf8)) }
        try await bag.write()
        let sink = ListSink()
        let report = try await bag.play(into: sink)
        #expect(await sink.texts == ["1", "2", "3", "4"])
        #expect(await sink.messages.map(\.topic.name) == ["/a", "/b", "/a", "/a"])
        #expect(report.unknownKeys.map(\.path) == ["more"] && report.unknownKeys.map(\.topic) == ["/a"])
        #expect(report.brokenCounts.map(\.count) == [5])
        #expect(report.warnings.contains { $0.hasPrefix("2 messages name another topic") })
    }

    @Test("of a type that only the bag defines")
    func foreign() async throws {
        let definition = "int64 total\nstring name\nfloat32[] values"
        var bag = try TestBag()
        bag.add(
            BagTopic(
                name: "/odd",
                typeName: "odd_msgs/msg/Odd",
                serializationFormat: "cdr",
                qosText: "",
                typeHash: "RIHS01_of_the_bag",
                definitionText: definition
            )
        )
        let schema = try MessageSchema(typeName: "odd_msgs/msg/Odd", definitionText: definition)
        let value = try schema.decode(json: Array(#"{"total":7,"name":"seven","values":[1,NaN]}"#.utf8))
        bag.append("/odd", 0, try schema.encodedCDR(value))
        try await bag.write()
        let sink = ListSink()
        try await bag.play(into: sink)
        let message = try #require(await sink.messages.first)
        var json: [UInt8] = []
        try message.message.appendJSON(to: &json)
        #expect(String(decoding: json, as: UTF8.self) == #"{"total":7,"name":"seven","values":[1.0,NaN]}"#)
        #expect(message.topic.type.definitionText == definition && message.topic.type.typeHash == schema.typeHash)
    }
}
