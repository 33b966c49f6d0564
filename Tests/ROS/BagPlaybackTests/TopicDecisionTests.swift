import Bags
import Messages
import Playback
import Testing

@Suite("Which topics of a bag are published")
struct TopicDecisionTests {
    private static func topic(_ name: String, _ type: String, format: String = "cdr", qos: String = "") -> BagTopic {
        BagTopic(
            name: name,
            typeName: type,
            serializationFormat: format,
            qosText: qos,
            typeHash: "",
            definitionText: ""
        )
    }

    /// A bag with a text on each of the topics.
    private func bag(_ topics: [BagTopic]) async throws -> TestBag {
        var bag = try TestBag()
        for topic in topics {
            bag.add(topic)
            bag.append(topic.name, 0, text: topic.name)
        }
        try await bag.write()
        return bag
    }

    @Test(
        "what rosbridge would refuse in silence is left out with the reason",
        arguments: [
            ("/add/_service_event", "example_interfaces/srv/Add_Event", "service"),
            ("/add", "example_interfaces/srv/Add_Request", "service"),
            ("/fly/_action/status", "action_msgs/msg/GoalStatusArray", "action"),
            ("/fly/feedback", "example_interfaces/action/Fly_FeedbackMessage", "action"),
            ("/_hidden", "std_msgs/msg/String", "hidden"), ("/a/_b/c", "std_msgs/msg/String", "hidden"),
            ("/1st", "std_msgs/msg/String", "no ROS name"), ("/a b", "std_msgs/msg/String", "no ROS name"),
        ]
    )
    func refused(name: String, type: String, reason: String) async throws {
        let bag = try await bag([Self.topic("/text", "std_msgs/msg/String"), Self.topic(name, type)])
        let setup = try bag.setup()
        #expect(setup.topics.map(\.name) == ["/text"])
        #expect(setup.leftOut.map(\.name) == [name])
        #expect(setup.leftOut.allSatisfy { $0.reason.contains(reason) && $0.hasMessages && $0.isLoss })
        let sink = ListSink()
        let report = try await bag.play(into: sink)
        #expect(await sink.texts == ["/text"])
        #expect(report.lostAnything)
        // Alone it leaves nothing to publish.
        #expect(throws: BagPlaybackError.self) { try bag.setup { $0.selection.only = [name] } }
    }

    @Test("another name makes a hidden topic a topic")
    func renamed() async throws {
        let bag = try await bag([Self.topic("/_hidden", "std_msgs/msg/String")])
        let sink = ListSink()
        let report = try await bag.play(into: sink) { $0.naming.remaps = [TopicRemap(from: "/_hidden", to: "/shown")] }
        #expect(await sink.topics.map(\.name) == ["/shown"])
        #expect(!report.lostAnything)
    }

    @Test("names without a slash get one, legacy ones those of today; a namespace is put before what is not shared")
    func names() async throws {
        let type = "std_msgs/msg/String"
        let bag = try await bag(["plain", "/reconstructor/note", "/tf_static"].map { Self.topic($0, type) })
        #expect(try bag.setup().topics.map(\.name) == ["/mapping/note", "/plain", "/tf_static"])
        let setup = try bag.setup { plan in
            plan.naming.namespace = "robot"
            plan.naming.remaps = [TopicRemap(from: "/plain", to: "/fancy")]
        }
        #expect(setup.topics.map(\.name) == ["/fancy", "/robot/mapping/note", "/tf_static"])
        #expect(try bag.setup { $0.selection.only = ["/plain"] }.topics.map(\.name) == ["/plain"])
        let excluded = try bag.setup { $0.selection.excluded = ["/plain", "/mapping/note"] }
        #expect(excluded.topics.map(\.name) == ["/tf_static"])
        let error = #expect(throws: BagPlaybackError.self) { try bag.setup { $0.selection.only = ["/other"] } }
        #expect(error.map { "\($0)" }?.contains("--topics /other: expected a topic of the bag (") == true)
    }

    @Test("what was asked for by name and is not in the bag is said")
    func unmatched() async throws {
        let bag = try await bag(["plain", "/note"].map { Self.topic($0, "std_msgs/msg/String") })
        #expect(try bag.setup().unmatched.isEmpty)
        let setup = try bag.setup { plan in
            plan.selection.only = ["/plain", "/other"]
            plan.naming.remaps = [TopicRemap(from: "/clock", to: "/time")]
            plan.types = ["/odd": "std_msgs/msg/String", "plain": "std_msgs/msg/String"]
            plan.clockHertz = 1
        }
        let asked = setup.unmatched.map { text in text.prefix { $0 != ":" } }
        #expect(asked == ["--topics /other", "--type /odd"])
    }

    @Test("unknown types are left out with the reason; --type and a folder of texts help")
    func unknownTypes() async throws {
        let bag = try await bag([
            Self.topic("/text", "std_msgs/msg/String"), Self.topic("/odd", "odd_msgs/msg/Odd"),
        ])
        let setup = try bag.setup()
        #expect(setup.topics.map(\.name) == ["/text"] && setup.leftOut.map(\.name) == ["/odd"])
        #expect(setup.leftOut.allSatisfy { $0.reason.contains("odd_msgs/msg/Odd") && $0.isLoss })
        // Alone it leaves nothing to publish.
        #expect(throws: BagPlaybackError.self) { try bag.setup { $0.selection.only = ["/odd"] } }
        let sink = ListSink()
        let report = try await bag.play(into: sink) { $0.types = ["/odd": "std_msgs/msg/String"] }
        #expect(await Set(sink.texts) == ["/text", "/odd"])
        #expect(!report.lostAnything)
    }

    @Test("an unknown type without messages is left out, and no loss")
    func emptyUnknown() async throws {
        var bag = try TestBag()
        bag.add("/text", StringMessage.self)
        bag.add(Self.topic("/odd", "odd_msgs/msg/Odd"))
        bag.append("/text", 0, text: "a")
        try await bag.write()
        let report = try await bag.play(into: ListSink())
        #expect(report.leftOut.map(\.name) == ["/odd"] && !report.lostAnything)
    }

    @Test("IDL and wide strings are left out")
    func otherDefinitions() async throws {
        var wide = Self.topic("/wide", "odd_msgs/msg/Wide")
        wide.definitionText = "wstring text"
        wide.definitionEncoding = "ros2msg"
        var idl = Self.topic("/idl", "odd_msgs/msg/Idl")
        idl.definitionText = "IDL: odd_msgs/msg/Idl\nmodule odd_msgs {};"
        idl.definitionEncoding = "ros2idl"
        let bag = try await bag([Self.topic("/text", "std_msgs/msg/String"), wide, idl])
        let setup = try bag.setup()
        #expect(setup.leftOut.map(\.name) == ["/idl", "/wide"])
        #expect(zip(setup.leftOut, ["IDL", "wstring"]).allSatisfy { $0.reason.contains($1) })
    }

    @Test("a recorded clock is published, but where another one is")
    func clock() async throws {
        var bag = try TestBag()
        bag.add("/clock", ClockMessage.self)
        bag.add("/text", StringMessage.self)
        bag.append("/clock", 0, ClockMessage())
        bag.append("/text", 0, text: "a")
        try await bag.write()
        #expect(try bag.setup().topics.map(\.name) == ["/clock", "/text"])
        let sink = ListSink()
        let report = try await bag.play(into: sink) { $0.clockHertz = 10 }
        #expect(report.leftOut.map(\.name) == ["/clock"] && !report.lostAnything)
        // Ours says the bag's time, the recorded one said zero.
        #expect(await sink.messages("/clock").map(\.message.headerStampNanoseconds) == [TestBag.start])
    }

    @Test("topics of two types cannot share a name, those of one can")
    func sharedNames() async throws {
        var bag = try TestBag()
        bag.add("/a", StringMessage.self)
        bag.add("/b", StringMessage.self)
        bag.add("/c", PoseStamped.self)
        for (index, name) in ["/a", "/b", "/a"].enumerated() { bag.append(name, Int64(index), text: "\(index)") }
        bag.append("/c", 3, PoseStamped())
        try await bag.write()
        let sink = ListSink()
        try await bag.play(into: sink) { plan in
            plan.naming.remaps = [TopicRemap(from: "/b", to: "/a")]
            plan.selection.excluded = ["/c"]
        }
        #expect(await sink.topics.map(\.name) == ["/a"])
        #expect(await sink.texts == ["0", "1", "2"])
        let error = #expect(throws: BagPlaybackError.self) {
            try bag.setup { $0.naming.remaps = [TopicRemap(from: "/c", to: "/a")] }
        }
        guard case .sameName("/a", _)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test("lanes: latched and rare ones are never dropped, frequent images, clouds and what is large may be")
    func lanes() async throws {
        var bag = try TestBag()
        bag.add("/latched", StringMessage.self, qos: .latched)
        bag.add("/tf_static", TFMessage.self)
        bag.add("/image", Image.self)
        bag.add("/cloud", PointCloud2.self)
        bag.add("/large", StringMessage.self)
        bag.add("/small", StringMessage.self, qos: .reliable(depth: 250))
        bag.add("/single_image", Image.self)
        bag.add("/rare_image", Image.self)
        bag.add("/rare_large", StringMessage.self)
        // Over 30 s: five, or four that are one in ten seconds exactly, are dropped; three or one never are.
        let large = String(repeating: "x", count: 100_000)
        for index in 0..<5 as Range<Int64> { bag.append("/image", index * 7500, Image()) }
        for index in 0..<4 as Range<Int64> {
            bag.append("/cloud", index * 10_000, PointCloud2())
            bag.append("/large", index * 10_000, text: large)
        }
        for index in 0..<3 as Range<Int64> {
            bag.append("/rare_image", index * 15_000, Image())
            bag.append("/rare_large", index * 15_000, text: large)
        }
        bag.append("/single_image", 2, Image())
        bag.append("/small", 1, text: "x")
        try await bag.write()
        let topics = Dictionary(uniqueKeysWithValues: try bag.setup().topics.map { ($0.name, $0) })
        #expect(topics["/latched"]?.delivery == .control && topics["/tf_static"]?.delivery == .control)
        #expect(topics["/latched"]?.isLatched == true && topics["/tf_static"]?.isLatched == true)
        #expect(["/image", "/cloud", "/large"].allSatisfy { topics[$0]?.delivery == .latest })
        for name in ["/single_image", "/rare_image", "/rare_large"] {
            #expect(topics[name]?.delivery == .every, "\(name)")
        }
        #expect(topics["/small"]?.delivery == .every && topics["/small"]?.qos.depth == 250)
        #expect(topics.values.filter(\.isLatched).count == 2)
    }

    @Test("rosbridge's own offer, which lasts a second, is no latched topic")
    func shortLifespan() async throws {
        let qos = """
            - history: 1
              depth: 100
              reliability: 1
              durability: 1
              lifespan:
                sec: 1
                nsec: 0
            """
        let bag = try await bag([Self.topic("/text", "std_msgs/msg/String", qos: qos)])
        let topic = try #require(try bag.setup().topics.first)
        #expect(!topic.isLatched && topic.qos.depth == 100)
    }
}
