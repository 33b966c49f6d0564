import Foundation
import Messages
import Rosbridge
import TestSupport
import Testing
import WebSocket

/// permessage-deflate against Python's `websockets`, on both sides of it.
@Suite(
    "Compression with a Python peer",
    .enabled(if: PeerPython.isAvailable, Comment(rawValue: PeerPython.absence)),
    .timeLimit(.minutes(2))
)
struct CompressionTests {
    /// Echoes text, and prints what was agreed on, by the peer's own account.
    ///
    /// Arguments: a file for the port, and the parameters that it asks for, as Python.
    private static let echoScript = """
        import asyncio, sys
        from websockets.asyncio.server import serve
        from websockets.extensions.permessage_deflate import ServerPerMessageDeflateFactory
        async def main():
            done = asyncio.Event()
            async def handler(ws):
                agreed = [str(extension) for extension in ws.protocol.extensions]
                async for message in ws: await ws.send(message)
                print(agreed, ws.close_code)
                done.set()
            factory = eval("ServerPerMessageDeflateFactory(" + sys.argv[2] + ")")
            async with serve(handler, "127.0.0.1", 0, extensions=[factory], compression=None, max_size=2**24) as server:
                open(sys.argv[1], "w").write(str(server.sockets[0].getsockname()[1]) + "\\n")
                await asyncio.wait_for(done.wait(), 60)
        asyncio.run(main())
        """

    @Test(
        "a websockets server sends back what we compress",
        arguments: [
            ("", "PerMessageDeflate"),
            ("client_max_window_bits=9", "remote_max_window_bits=9"),
            ("server_max_window_bits=10", "local_max_window_bits=10"),
            (
                "server_no_context_takeover=True, client_no_context_takeover=True",
                "remote_no_context_takeover=True, local_no_context_takeover=True"
            ),
        ]
    )
    func server(parameters: String, agreed: String) async throws {
        let directory = try TemporaryDirectory()
        let portFile = "\(directory.appending("port"))"
        async let outcome = PeerPython.runAside(["-c", Self.echoScript, portFile, parameters])
        var port: Int?
        try await until {
            let text = (try? String(contentsOfFile: portFile, encoding: .utf8)) ?? ""
            port = text.hasSuffix("\n") ? Int(text.dropLast()) : nil
            return port != nil
        }
        let options = TransportOptions {
            $0.pingInterval = nil
            $0.compression = .zlib()
        }
        let transport = try await WebSocketTransport.connect(to: localURL(try #require(port)), options: options)
        let messages = [1, 100, 5000, 5000, 300_000].map { length in
            Array((0..<length).map { "pose \($0 % 77), " }.joined().utf8.prefix(length))
        }
        var batches = transport.batches.makeAsyncIterator()
        for message in messages {
            try await transport.send(text: message)
            let batch = try await batches.next()
            #expect(batch == [WebSocketMessage(.text, message)])
            transport.receiveMore()
        }
        await transport.close()
        let result = try await outcome
        #expect(result.status == 0 && result.output.contains("1000"), "\(result.everything)")
        for part in agreed.split(separator: ", ") { #expect(result.output.contains(part), "\(result.everything)") }
    }

    @Test("a recorder takes what a websockets client compresses, and sends it the same way back")
    func client() async throws {
        let (server, delegate, port) = try await startServer(compression: .zlib())
        let script = """
            import asyncio, json, sys
            from websockets.asyncio.client import connect
            async def main():
                async with connect("ws://127.0.0.1:" + sys.argv[1], compression="deflate") as ws:
                    print(len(ws.protocol.extensions))
                    await ws.send(json.dumps({"op": "advertise", "topic": "/chatter", "type": "std_msgs/String"}))
                    text = json.dumps({"op": "publish", "topic": "/chatter", "msg": {"data": "ü" * 1000}})
                    await ws.send(text); await ws.send(text.encode())
                    await ws.send([text[i:i + 100] for i in range(0, len(text), 100)])
                    await ws.send(json.dumps({"op": "call_service", "id": "x" * 200, "service": "/rosapi/get_time"}))
                    print(len(json.loads(await ws.recv())["id"]))
                print(ws.close_code)
            asyncio.run(main())
            """
        let outcome = try await PeerPython.runAside(["-c", script, "\(port)"])
        await server.stop()
        #expect(outcome.output == "1\n200\n1000\n", "\(outcome.everything)")
        #expect(await delegate.texts == [String](repeating: String(repeating: "ü", count: 1000), count: 3))
        #expect(await delegate.problems.isEmpty)
    }

    @Test("a bomb is answered with 1009, and the server goes on")
    func bomb() async throws {
        let (server, delegate, port) = try await startServer(maximumMessageSize: 1_000_000, compression: .zlib())
        let script = """
            import asyncio, sys, websockets
            from websockets.asyncio.client import connect
            async def main():
                async with connect("ws://127.0.0.1:" + sys.argv[1], compression="deflate") as ws:
                    try:
                        await ws.send("a" * 300_000_000); await ws.recv()
                    except websockets.exceptions.ConnectionClosed: pass
                print(ws.close_code)
            asyncio.run(main())
            """
        let outcome = try await PeerPython.runAside(["-c", script, "\(port)"])
        #expect(outcome.output == "1009\n", "\(outcome.everything)")
        let transport = try await WebSocketTransport.connect(to: localURL(port), options: TransportOptions())
        await transport.close()
        await server.stop()
        #expect(await delegate.problems.count == 1)
    }
}
