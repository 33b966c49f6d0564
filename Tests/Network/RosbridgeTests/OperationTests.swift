import Messages
import Rosbridge
import Testing
import Text

@Suite("Operations")
struct OperationTests {
    @Test("have one exact form")
    func json() {
        func text(_ operation: Operation) -> String { String(decoding: operation.json, as: UTF8.self) }
        #expect(
            text(.advertise(.chatter))
                == #"{"op":"advertise","topic":"/chatter","type":"std_msgs/msg/String","latch":false,"queue_size":100}"#
        )
        #expect(
            text(.advertise(.fixed))
                == #"{"op":"advertise","topic":"/fixed","type":"std_msgs/msg/String","latch":true}"#
        )
        #expect(
            text(.advertise(topic: "/a\"b", type: "x/Y", id: "1"))
                == #"{"op":"advertise","id":"1","topic":"/a\"b","type":"x/Y","latch":false}"#
        )
        #expect(text(.unadvertise(topic: "/a")) == #"{"op":"unadvertise","topic":"/a"}"#)
        #expect(
            text(.callService(service: "/rosapi/get_time", id: "b-1"))
                == #"{"op":"call_service","id":"b-1","service":"/rosapi/get_time"}"#
        )
        #expect(
            text(.callService(service: "/rosapi/subscribers", id: "s", topic: "/a"))
                == #"{"op":"call_service","id":"s","service":"/rosapi/subscribers","args":{"topic":"/a"}}"#
        )
    }

    @Test(
        "replies are understood, and nonsense is none",
        arguments: [
            (
                #"{"op":"service_response","id":"b-1","values":{},"result":true}"#,
                .serviceResponse(id: "b-1", CallAnswer(isAnswered: true))
            ),
            (
                #"{"op": "service_response", "id": 7, "service": "/x", "values": "no such", "result": false}"#,
                .serviceResponse(id: "7", CallAnswer(isAnswered: false))
            ),
            (
                #"{"op":"service_response","id":"s","values":{"subscribers":["/a","/b"]},"result":true}"#,
                .serviceResponse(id: "s", CallAnswer(isAnswered: true, subscribers: ["/a", "/b"]))
            ),
            (
                #"{"op":"service_response","id":"t","values":{"topics":["/a","/b"],"types":["x/msg/A"]},"result":true}"#,
                .serviceResponse(id: "t", CallAnswer(isAnswered: true, topics: ["/a": "x/msg/A"]))
            ),
            (#"{"op":"service_response","values":{}}"#, .other),
            (#"{"op":"status","level":"warning","msg":"no"}"#, .status(level: "warning", text: "no")),
            (#"{"op":"publish","topic":"/x","msg":{"a":NaN}}"#, .other), ("[1,2]", .other), ("", .other), ("{", .other),
        ] as [(String, ServerReply)]
    )
    func replies(json: String, reply: ServerReply) {
        #expect(ServerReply(Array(json.utf8)) == reply)
    }
}

@Suite("Fragments")
struct FragmenterTests {
    /// Joins the data of fragments, checking their numbers.
    private func join(_ frames: [[UInt8]], id: String) throws -> [UInt8] {
        var joined: [UInt8] = []
        for (number, frame) in frames.enumerated() {
            let value = try JSONValue.parse(frame)
            #expect(value["op"]?.string == "fragment" && value["id"]?.string == id)
            #expect(value["num"]?.integer == Int64(number) && value["total"]?.integer == Int64(frames.count))
            joined += Array(try #require(value["data"]?.string).utf8)
        }
        return joined
    }

    @Test("are within the limit, whatever has to be escaped, and join to the whole", arguments: [256, 257, 300, 1000])
    func limits(limit: Int) throws {
        let texts = [
            String(repeating: "a", count: 5000), String(repeating: "\"\\", count: 1500),
            String(repeating: "ü€😀", count: 400), #"{"op":"publish","msg":{"data":"AAAA\/"}}"#,
        ]
        for text in texts {
            let frames = Fragmenter(maximumFrameLength: limit).fragments(of: Array(text.utf8), id: "i")
            #expect(frames.allSatisfy { $0.count <= limit })
            #expect(try join(frames, id: "i") == Array(text.utf8))
        }
    }

    @Test("no slice holds a whole object with an op of its own", arguments: 0..<50)
    func noOperationInside(seed: UInt64) throws {
        var random = SeededRandomness(seed: seed + 1)
        let values = [
            #"{"op":1}"#, #"{"a":{"op":"publish"}}"#, #"{"op":{"op":[]}}"#, #""op""#, #""{\"op\":\"x\"}""#, "1",
            #""ü""#,
            #"{"x":1,"op":"fragment","y":{}}"#,
        ]
        let inner = (0..<400).map { _ in values[Int.random(in: 0..<values.count, using: &random)] }
        let text = #"{"op":"publish","topic":"/x","msg":{"data":["# + inner.joined(separator: ",") + "]}}"
        let frames = Fragmenter(maximumFrameLength: 700).fragments(of: Array(text.utf8), id: "i")
        #expect(try join(frames, id: "i") == Array(text.utf8))
        for frame in frames {
            let data = Array(try #require(JSONValue.parse(frame)["data"]?.string).utf8)
            for start in data.indices where data[start] == UInt8(ascii: "{") {
                for end in data.indices[start...] where data[end] == UInt8(ascii: "}") {
                    let value = try? JSONValue.parse(Array(data[start...end]))
                    #expect(value?["op"] == nil)
                }
            }
        }
    }

    @Test("use what the limit allows")
    func fill() {
        let frames = Fragmenter(maximumFrameLength: 1000).fragments(of: [UInt8](repeating: 0x61, count: 9000), id: "i")
        #expect(frames.dropLast().allSatisfy { $0.count > 980 })
    }

    @Test("carry a random UUID of version 4")
    func uuid() {
        var random = SeededRandomness()
        let first = Fragmenter.makeID(using: &random)
        #expect(first.wholeMatch(of: /[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/) != nil)
        #expect(first != Fragmenter.makeID(using: &random))
    }
}

@Suite("Reconnection policy")
struct ReconnectPolicyTests {
    @Test("waits twice as long each time, within bounds, with jitter")
    func delays() {
        var policy = ReconnectPolicy()
        var random = SeededRandomness()
        var steps = [0.5, 1, 2, 4, 8, 16, 30, 30]
        for _ in 0..<2 {
            // The first attempt comes almost at once.
            #expect((0...0.05).contains(policy.nextDelaySeconds(using: &random)))
            for step in steps {
                let delay = policy.nextDelaySeconds(using: &random)
                #expect(delay >= step / 2 && delay <= step)
            }
            policy.reset()
            steps = [0.5, 1]
        }
    }
}
