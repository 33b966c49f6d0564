import Foundation
import Messages
import Rosbridge
import TestSupport
import Testing

@Suite(
    "Python peers",
    .enabled(if: PeerPython.isAvailable, Comment(rawValue: PeerPython.absence)),
    .timeLimit(.minutes(2))
)
struct PeerTests {
    /// A rosbridge server on Python's `websockets`.
    ///
    /// It parses every frame with Python's json, joins fragments as
    /// rosbridge does, answers calls, and prints what it has seen of one connection. Arguments: a file for the port, the
    /// largest message, and perhaps a certificate and a key.
    static let serverScript = """
        import asyncio, base64, json, ssl, sys
        from websockets.asyncio.server import serve
        seen = {"ops": [], "texts": [], "sizes": [], "authorization": None, "path": None}
        async def main():
            done = asyncio.Event()
            def take(text, parts={}):
                op = json.loads(text)
                if op["op"] == "fragment":
                    parts.setdefault(op["id"], []).append(op["data"])
                    if len(parts[op["id"]]) == op["total"]: return take("".join(parts.pop(op["id"])))
                    return None
                seen["ops"].append(op["op"])
                if op["op"] == "publish" and op["topic"] == "/chatter": seen["texts"].append(op["msg"]["data"])
                if op["op"] == "publish" and op["topic"] == "/cloud":
                    seen["sizes"].append(len(base64.b64decode(op["msg"]["data"], validate=True)))
                return op
            async def handler(ws):
                seen["authorization"] = ws.request.headers.get("Authorization"); seen["path"] = ws.request.path
                try:
                    async for message in ws:
                        assert isinstance(message, str)
                        op = take(message)
                        if op and op["op"] == "call_service":
                            await ws.send(json.dumps({"op": "service_response", "id": op["id"], "result": False,
                                                      "service": op["service"], "values": "does not exist"}))
                finally:
                    seen["code"] = ws.close_code
                    done.set()
            context = None
            if len(sys.argv) > 3:
                context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER); context.load_cert_chain(sys.argv[3], sys.argv[4])
            async with serve(handler, "127.0.0.1", 0, max_size=int(sys.argv[2]), ssl=context) as server:
                open(sys.argv[1], "w").write(str(server.sockets[0].getsockname()[1]) + "\\n")
                await asyncio.wait_for(done.wait(), 60)
            print(json.dumps(seen))
        asyncio.run(main())
        """

    struct Seen: Decodable {
        var ops: [String]
        var texts: [String]
        var sizes: [Int]
        var authorization: String?
        var path: String?
        var code: Int?
    }

    /// Starts the server, has the body talk to its port, and returns what the server has seen.
    static func withServer(
        maximumSize: Int = 10_000_000,
        certificate: [String] = [],
        _ body: (Int) async throws -> Void
    ) async throws -> Seen {
        let directory = try TemporaryDirectory()
        let portFile = "\(directory.appending("port"))"
        async let outcome = PeerPython.runAside(["-c", serverScript, portFile, "\(maximumSize)"] + certificate)
        var port: Int?
        try await until {
            let text = (try? String(contentsOfFile: portFile, encoding: .utf8)) ?? ""
            port = text.hasSuffix("\n") ? Int(text.dropLast()) : nil
            return port != nil
        }
        try await body(try #require(port))
        let result = try await outcome
        #expect(result.status == 0, "\(result.everything)")
        return try JSONDecoder().decode(Seen.self, from: Data(result.output.utf8))
    }

    @Test("a websockets server gets everything, as Python's json reads it")
    func websocketsServer() async throws {
        let seen = try await Self.withServer { port in
            let url = try RosbridgeURL("ws://anna:geheim@127.0.0.1:\(port)/bridge?robot=2")
            var options = quickOptions()
            options.maximumMessageSize = 100_000
            let publisher = RosbridgePublisher(url, options: options)
            try await publisher.open([.chatter, .cloud])
            for number in 0..<10 {
                try await publisher.write(text("\(number) \"quoted\" \\ ü😀 \u{1}"))
                try await publisher.write(bytes(200_000 + number))
            }
            let report = try await publisher.finish()
            #expect(report.topics.allSatisfy { $0.written == 10 && $0.unconfirmed == 0 } && report.warnings.isEmpty)
        }
        #expect(seen.texts == (0..<10).map { "\($0) \"quoted\" \\ ü😀 \u{1}" })
        #expect(seen.sizes == (0..<10).map { 200_000 + $0 })
        #expect(
            seen.ops.filter { $0 == "advertise" }.count == 2 && seen.ops.suffix(2) == ["unadvertise", "unadvertise"]
        )
        // Python: base64.b64encode(b"anna:geheim")
        #expect(seen.authorization == "Basic YW5uYTpnZWhlaW0=" && seen.path == "/bridge?robot=2" && seen.code == 1000)
    }

    @Test("a websockets server with a small limit closes with 1009, which is explained")
    func websocketsLimit() async throws {
        let seen = try await Self.withServer(maximumSize: 5_000) { port in
            let publisher = RosbridgePublisher(try localURL(port), options: quickOptions())
            try await publisher.open([.cloud])
            try await publisher.write(bytes(10_000))
            let error = await #expect(throws: RosbridgeError.self) { try await publisher.finish() }
            #expect(error?.closeCode == 1009 && error?.advice?.contains("max_message_size") == true)
        }
        #expect(seen.sizes.isEmpty)
    }

    @Test("a websockets client is understood: text, binary, frames in pieces, compression offered")
    func websocketsClient() async throws {
        let (server, delegate, port) = try await startServer()
        let script = """
            import asyncio, json, sys
            from websockets.asyncio.client import connect
            async def main():
                async with connect("ws://127.0.0.1:" + sys.argv[1], compression="deflate") as ws:
                    await ws.send(json.dumps({"op": "advertise", "topic": "/chatter", "type": "std_msgs/String"}))
                    text = json.dumps({"op": "publish", "topic": "/chatter", "msg": {"data": "ü" * 1000}})
                    await ws.send(text); await ws.send(text.encode())
                    await ws.send([text[i:i + 100] for i in range(0, len(text), 100)])
                    await ws.send(json.dumps({"op": "call_service", "id": "x", "service": "/rosapi/get_time"}))
                    reply = json.loads(await ws.recv()); await (await ws.ping())
                    print(reply["op"], reply["id"], reply["result"], sorted(reply["values"]["time"]))
                print(ws.close_code)
            asyncio.run(main())
            """
        let outcome = try await PeerPython.runAside(["-c", script, "\(port)"])
        await server.stop()
        #expect(outcome.output == "service_response x True ['nanosec', 'sec']\n1000\n", "\(outcome.everything)")
        #expect(await delegate.texts == [String](repeating: String(repeating: "ü", count: 1000), count: 3))
        #expect(await delegate.problems.isEmpty)
    }

    @Test("roslibpy can connect, publish, call and leave")
    func roslibpy() async throws {
        let (server, delegate, port) = try await startServer()
        let script = """
            import base64, roslibpy, sys, time
            ros = roslibpy.Ros(host="127.0.0.1", port=int(sys.argv[1])); ros.run(timeout=20)
            topic = roslibpy.Topic(ros, "/chatter", "std_msgs/String"); topic.advertise()
            for i in range(5): topic.publish(roslibpy.Message({"data": f"{i} / \\" ü"}))
            cloud = roslibpy.Topic(ros, "/cloud", "sensor_msgs/msg/CompressedImage")
            cloud.publish(roslibpy.Message({"data": base64.b64encode(bytes(300000)).decode()}))
            clock = roslibpy.Service(ros, "/rosapi/get_time", "rosapi/GetTime")
            print(sorted(clock.call(roslibpy.ServiceRequest(), timeout=20)["time"]))
            topic.unadvertise(); ros.terminate()
            """
        let outcome = try await PeerPython.runAside(["-c", script, "\(port)"])
        try await until { await delegate.events.last == "left 1, 0" }
        await server.stop()
        #expect(outcome.output == "['nanosec', 'sec']\n", "\(outcome.everything)")
        #expect(await delegate.texts == (0..<5).map { "\($0) / \" ü" })
        #expect(await delegate.sizes == [300_000])
        #expect(await delegate.refusals.isEmpty)
    }
}
