import Messages
import Rosbridge
import Testing
import Text

/// What messages may be like that a server takes.
@Suite("Server and what it is sent", .timeLimit(.minutes(1)))
struct ServerContentTests {
    @Test("a stamp before 1970 is refused, as bags have no such times; the next message is taken")
    func earlyStamp() async throws {
        let (server, delegate, port) = try await startServer()
        let client = try await RawClient(port: port)
        func pose(_ seconds: Int, _ nanoseconds: Int) -> String {
            #"{"op":"publish","topic":"/p","msg":{"header":{"stamp":{"sec":\#(seconds),"nanosec":\#(nanoseconds)}}}}"#
        }
        try await client.send(#"{"op":"advertise","topic":"/p","type":"geometry_msgs/PoseStamped"}"#)
        try await client.send(pose(-5, 1), pose(1, 2))
        let replies = try await client.end()
        #expect(
            replies.map { $0["msg"] }
                == ["/p: publish: header.stamp: expected a time after 1970, found -4999999999 ns"]
        )
        await server.stop()
        #expect(await delegate.messages.map(\.timeNanoseconds) == [1_000_000_002])
    }

    @Test("large messages of several clients are taken, and one that is refused holds up no other")
    func largeMessages() async throws {
        let (server, delegate, port) = try await startServer()
        let count = 4
        let filler = String(repeating: " ", count: 2 << 20)
        try await withThrowingTaskGroup { group in
            for number in 0..<count {
                group.addTask {
                    let client = try await RawClient(port: port)
                    try await client.send(
                        advertiseChatter,
                        #"{"op":"publish","topic":"/chatter","msg":{"data":7}\#(filler)}"#,
                        #"{"op":"publish","topic":"/chatter","msg":{"data":"\#(number)"}\#(filler)}"#
                    )
                    let replies = try await client.end()
                    #expect(replies.count == 1)
                    #expect(replies.first?["msg"]?.string?.contains("field \"data\"") == true)
                }
            }
            try await group.waitForAll()
        }
        await server.stop()
        #expect(await delegate.texts.sorted() == (0..<count).map(String.init))
    }

    @Test("a latched topic has so many frames only, with names of a length that can be")
    func latchedFrames() async throws {
        let (server, delegate, port) = try await startServer()
        let client = try await RawClient(port: port)
        func transforms(_ names: [String], on topic: String = "/tf_static") -> String {
            let list = names.map { #"{"child_frame_id":"\#($0)"}"# }.joined(separator: ",")
            return #"{"op":"publish","topic":"\#(topic)","msg":{"transforms":[\#(list)]}}"#
        }
        for topic in ["/tf_static", "/other"] {
            try await client.send(
                #"{"op":"advertise","topic":"\#(topic)","type":"tf2_msgs/TFMessage","latch":true}"#
            )
        }
        let names = (0..<1_000).map { "f\($0)" }
        try await client.send(
            transforms(names),
            // None of them is new.
            transforms(Array(names.prefix(10))),
            transforms(["one more"]),
            transforms([String(repeating: "f", count: 1_001)], on: "/other")
        )
        let replies = try await client.end()
        let problem = "publish: expected at most 1000 frames in a latched topic, found more"
        #expect(replies.map { $0["msg"]?.string } == ["/tf_static: \(problem)", "/other: \(problem)"])
        await server.stop()
        #expect(await delegate.messages.compactMap { ($0.message as? TFMessage)?.transforms.count } == [1_000, 10])
    }

    @Test(
        "the topic of a call is found in either form of its arguments, and all else in them is passed over",
        arguments: [
            (#"{"deep":{"topic":"/no"},"topic":"/a","more":[1]}"#, "/a"), (#"[7,"/b","/c"]"#, "/b"),
            (#"{"topic":7}"#, nil), ("[]", nil), ("null", nil), (#""/d""#, nil),
        ]
    )
    func argumentTopic(arguments: String, topic: String?) throws {
        let text = Array(#"{"op":"call_service","service":"/s","args":\#(arguments)}"#.utf8)
        let envelope = try text.withUnsafeBytes { try ClientOperation.parse($0) }
        #expect(envelope.operation == .callService("/s", topic: topic))
    }
}

/// Operations that come in parts and are not finished.
@Suite("Unfinished fragments")
struct FragmentTableTests {
    private func half(_ count: Int) -> [UInt8] { [UInt8](repeating: 1, count: count) }

    @Test("of operations that are too large together the oldest is forgotten, and cannot be finished any more")
    func forgetsOldest() throws {
        var table = FragmentTable(byteLimit: 100)
        #expect(try table.add(id: "a", number: 0, total: 2, data: half(60)) == nil)
        #expect(try table.add(id: "b", number: 0, total: 2, data: half(60)) == nil)
        #expect(table.byteCount == 60)
        #expect(try table.add(id: "a", number: 1, total: 2, data: half(1)) == nil)
        #expect(try table.add(id: "b", number: 1, total: 2, data: half(2)) == half(62))
        #expect(table.byteCount == 1)
    }

    @Test("the same of more than a hundred operations, and of parts that are empty")
    func forgetsMany() throws {
        var table = FragmentTable(byteLimit: 100)
        for number in 0...100 { #expect(try table.add(id: "\(number)", number: 0, total: 2, data: []) == nil) }
        #expect(try table.add(id: "1", number: 1, total: 2, data: half(3)) == half(3))
        #expect(try table.add(id: "0", number: 1, total: 2, data: half(3)) == nil)
    }

    @Test("an id is no longer than a thousand bytes")
    func longID() throws {
        var table = FragmentTable(byteLimit: 10_000)
        let id = String(repeating: "i", count: 1_000)
        #expect(try table.add(id: id, number: 0, total: 1, data: half(1)) == half(1))
        #expect(throws: Refusal("fragment: expected an id of at most 1000 bytes, found 1001")) {
            _ = try table.add(id: id + "i", number: 0, total: 1, data: half(1))
        }
    }
}
