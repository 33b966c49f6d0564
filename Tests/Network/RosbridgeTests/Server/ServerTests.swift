import Glibc
import Messages
import Rosbridge
import Testing
import Text
import WebSocket

@Suite("Server", .timeLimit(.minutes(2)))
struct ServerTests {
    @Test("text and binary frames, escapes and both forms of type names are the same")
    func frames() async throws {
        let (server, delegate, port) = try await startServer()
        let client = try await RawClient(port: port)
        try await client.send(
            #"{"op":"advertise","topic":"\/chatter","type":"std_msgs\/msg\/String","id":"a:1","latch":false}"#,
            #"{ "msg" : {"data":"1 \/ \u00fc"}, "id": 7, "topic":"/chatter", "op":"publish", "type":"x" }"#
        )
        try await client.transport.send(
            .binary(Array(#"{"op":"publish","topic":"chatter","msg":{"data":"2"}}"#.utf8))
        )
        try await client.send(#"{"op":"set_level","level":"error"}"#, #"{"op":"status","level":"error","msg":"x"}"#)
        #expect(try await client.end() == [])
        await server.stop()
        #expect(await delegate.texts == ["1 / ü", "2"])
        #expect(await delegate.messages.map(\.topic.name) == ["/chatter", "/chatter"])
        #expect(await delegate.messages.first?.topic.qos == .reliable(depth: 100))
        #expect(await delegate.events == ["connected 1, 1", "left 1, 0"])
        let report = await server.report()
        #expect(report.clients == 1 && report.received == 2 && report.refused == 0 && report.unknownFields.isEmpty)
    }

    struct Refused: Sendable, CustomTestStringConvertible {
        var json: String
        var problem: String
        var id: JSONValue?
        var testDescription: String { problem }
    }

    static let refusals = [
        Refused(
            json: #"{"op":"publish","topic":"/new","msg":{},"id":"p:1"}"#,
            problem: "/new: publish: expected a topic that was advertised, found one that was not",
            id: "p:1"
        ),
        Refused(
            json: #"{"op":"advertise","topic":"/new","type":"no_such/Type","id":3}"#,
            problem: "/new: advertise: expected a type that is compiled in, found \"no_such/Type\"",
            id: 3
        ),
        Refused(
            json: #"{"op":"advertise","topic":"/chatter","type":"std_msgs/msg/Empty"}"#,
            problem: "/chatter: advertise: expected type std_msgs/msg/String, found std_msgs/msg/Empty"
        ),
        Refused(json: #"{"op":"advertise","topic":"/new"}"#, problem: "/new: advertise: expected \"type\", found none"),
        Refused(
            json: #"{"op":"advertise","topic":"/a b","type":"std_msgs/String"}"#,
            problem: "/a b: advertise: expected a ROS name (letters, digits, _ and /), found another"
        ),
        Refused(
            json: #"{"sensorType":"imu","timestampNs":1}"#,
            problem: "operation: expected \"op\", found a message of Arvos, which `record --arvos` receives"
        ),
        Refused(json: #"{"op":"publish","msg":{}}"#, problem: "publish: expected \"topic\", found none"),
        Refused(json: #"{"topic":"/chatter"}"#, problem: "operation: expected \"op\", found none"),
        Refused(
            json: #"{"op":"subscribe","topic":"/chatter"}"#,
            problem: "operation: expected one of a publisher, found \"subscribe\""
        ),
        Refused(json: #"{"op":"fragment","id":"f","num":0}"#, problem: "fragment: expected id, num, total and data"),
        Refused(json: #"{"op":"fragment","id":"f","num":2,"total":2,"data":""}"#, problem: "found 2 of 2", id: "f"),
        Refused(json: #"{"op":"publish","topic":"/chatter","msg":{"data":7}}"#, problem: "field \"data\""),
        Refused(json: #"{"op":"publish","topic":"/chatter","msg":{"data":null}}"#, problem: "field \"data\""),
        Refused(json: #"{"op":"publish","topic":"/chatter","msg":[1]}"#, problem: "expected an object"),
        Refused(json: #"{"op":"publish","topic":"/chatter","msg":{"data":"x"}"#, problem: "JSON: byte"),
        Refused(json: "[1,2]", problem: "expected an object"),
        Refused(json: "", problem: "JSON: byte 0"),
        Refused(json: #"{"op":"publish"} {"op":"publish"}"#, problem: "expected the end of the text"),
    ]

    @Test("what is wrong is refused, reported, answered, and no reason to leave", arguments: refusals)
    func refusal(_ refused: Refused) async throws {
        let (server, delegate, port) = try await startServer()
        let client = try await RawClient(port: port)
        try await client.send(advertiseChatter, refused.json)
        try await client.send(#"{"op":"publish","topic":"/chatter","msg":{"data":"still here"}}"#)
        let replies = try await client.end()
        await server.stop()
        #expect(replies.count == 1 && replies.first?["op"] == "status" && replies.first?["level"] == "error")
        #expect(replies.first?["msg"]?.string?.contains(refused.problem) == true)
        #expect(replies.first?["id"] == refused.id)
        #expect(await delegate.refusals.map(\.description) == replies.compactMap { $0["msg"]?.string })
        #expect(await delegate.texts == ["still here"])
        #expect(await server.report().refused == 1)
    }

    @Test("calls are answered in order, after what came before them")
    func calls() async throws {
        let (server, _, port) = try await startServer(delegate: RecordingDelegate(delay: .milliseconds(20)))
        let client = try await RawClient(port: port)
        let before = Int64(time(nil))
        try await client.send(
            advertiseChatter,
            #"{"op":"publish","topic":"/chatter","msg":{"data":"1"}}"#,
            #"{"op":"call_service","id":"a","service":"/rosapi/get_time"}"#,
            #"{"op":"call_service","id":2,"service":"/rosapi/topics","args":{}}"#,
            #"{"op":"call_service","service":"/other"}"#
        )
        let replies = try await client.end()
        #expect(replies.map { $0["op"] } == ["service_response", "service_response", "service_response"])
        #expect(replies.map { $0["id"] } == ["a", 2, nil])
        #expect(replies.map { $0["result"] } == [true, true, false])
        let seconds = try #require(replies[0]["values"]?["time"]?["sec"]?.integer)
        #expect(seconds >= before && seconds <= Int64(time(nil)))
        #expect(replies[0]["values"]?["time"]?["nanosec"]?.integer != nil)
        #expect(replies[1]["values"] == ["topics": ["/chatter"], "types": ["std_msgs/msg/String"]])
        #expect(replies[2]["values"] == "Service /other does not exist")
        await server.stop()
    }

    @Test("a client that asks for the subscribers of a topic is told that it is recorded")
    func subscribers() async throws {
        let (server, _, port) = try await startServer()
        let client = try await RawClient(port: port)
        try await client.send(
            #"{"op":"call_service","id":"1","service":"/rosapi/subscribers","args":{"more":[{}],"topic":"/chatter"}}"#,
            #"{"op":"call_service","id":"2","service":"rosapi/subscribers","args":["chatter"]}"#,
            #"{"op":"call_service","id":"3","service":"/rosapi/subscribers","args":{"topic":1}}"#,
            #"{"op":"call_service","id":"4","service":"/rosapi/subscribers"}"#
        )
        let replies = try await client.end()
        #expect(replies.map { $0["id"] } == ["1", "2", "3", "4"])
        #expect(replies.allSatisfy { $0["result"] == true })
        let subscribed: JSONValue = ["subscribers": ["/mapeverything_record"]]
        let none: JSONValue = ["subscribers": []]
        #expect(replies.map { $0["values"] } == [subscribed, subscribed, none, none])
        await server.stop()
    }

    @Test(
        "keys that no field has are dropped and counted, or refused if the server is strict",
        arguments: [false, true]
    )
    func unknownKeys(isStrict: Bool) async throws {
        let (server, delegate, port) = try await startServer(isStrict: isStrict)
        let client = try await RawClient(port: port)
        try await client.send(
            #"{"op":"advertise","topic":"/pose","type":"geometry_msgs/PoseStamped"}"#,
            #"{"op":"publish","topic":"/pose","msg":{"header":{"seq":1,"frame_id":"map"},"extra":[1,{"a":2}]}}"#,
            #"{"op":"publish","topic":"/pose","msg":{"header":{"seq":2}}}"#
        )
        let replies = try await client.end()
        await server.stop()
        let report = await server.report()
        #expect(replies.count == (isStrict ? 2 : 0) && report.refused == replies.count)
        #expect(await delegate.messages.count == (isStrict ? 0 : 2))
        #expect(
            report.unknownFields.map { "\($0.topic) \($0.path) \($0.count)" }
                == (isStrict ? [] : ["/pose extra 1", "/pose header.seq 2"])
        )
    }

    @Test("a message is filed under its stamp, or under the time of its arrival if it has none")
    func stamps() async throws {
        let (server, delegate, port) = try await startServer()
        let client = try await RawClient(port: port)
        let before = Int64(time(nil)) * 1_000_000_000
        try await client.send(
            #"{"op":"advertise","topic":"/pose","type":"geometry_msgs/PoseStamped"}"#,
            #"{"op":"publish","topic":"/pose","msg":{"header":{"stamp":{"sec":12,"nanosec":34}}}}"#,
            #"{"op":"publish","topic":"/pose","msg":{"header":{"stamp":{"sec":0,"nanosec":0}}}}"#,
            advertiseChatter,
            #"{"op":"publish","topic":"/chatter","msg":{"data":"x"}}"#,
            #"{"op":"publish","topic":"/chatter"}"#
        )
        #expect(try await client.end() == [])
        await server.stop()
        let times = await delegate.messages.map(\.timeNanoseconds)
        #expect(times.count == 4 && times.first == 12_000_000_034)
        #expect(times.dropFirst().allSatisfy { $0 >= before })
    }

    @Test("fragments are joined by number, whatever their order")
    func fragments() async throws {
        let (server, delegate, port) = try await startServer()
        let client = try await RawClient(port: port)
        let publish = #"{"op":"publish","topic":"/chatter","msg":{"data":"in \"parts\" ü"}}"#
        let frames = Fragmenter(maximumFrameLength: 256).fragments(
            of: Array((publish + String(repeating: " ", count: 600)).utf8),
            id: "f"
        )
        #expect(frames.count > 3)
        try await client.send(advertiseChatter)
        for frame in frames.reversed() { try await client.transport.send(text: frame) }
        #expect(try await client.end() == [])
        await server.stop()
        #expect(await delegate.texts == [#"in "parts" ü"#])
    }

    @Test("fragments that repeat, disagree, nest or grow without end are refused")
    func badFragments() async throws {
        let (server, _, port) = try await startServer(maximumMessageSize: 2000)
        let client = try await RawClient(port: port)
        let nested = #"{\"op\":\"fragment\",\"id\":\"y\",\"num\":0,\"total\":1,\"data\":\"\"}"#
        let half = String(repeating: "x", count: 1500)
        try await client.send(
            #"{"op":"fragment","id":"a","num":0,"total":3,"data":"x"}"#,
            #"{"op":"fragment","id":"a","num":0,"total":3,"data":"x"}"#,
            #"{"op":"fragment","id":"b","num":0,"total":3,"data":"x"}"#,
            #"{"op":"fragment","id":"b","num":1,"total":4,"data":"x"}"#,
            #"{"op":"fragment","id":"c","num":0,"total":1,"data":"\#(nested)"}"#,
            #"{"op":"fragment","id":"d","num":0,"total":3,"data":"\#(half)"}"#,
            #"{"op":"fragment","id":"d","num":1,"total":3,"data":"\#(half)"}"#
        )
        let replies = try await client.end()
        await server.stop()
        let problems = replies.compactMap { $0["msg"]?.string }
        #expect(problems.count == 4)
        for (problem, part) in zip(problems, ["twice", "the same total", "found a fragment", "at most 2000 bytes"]) {
            #expect(problem.contains(part))
        }
    }
}
