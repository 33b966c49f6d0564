import Foundation
import TestSupport
import Testing

/// What does not belong into Arvos, or does not fit.
@Suite(.serialized, .enabled(if: Peer.isAvailable, Comment(rawValue: Peer.absence)))
struct ArvosDamageTests {
    private let folder: Scratch

    init() throws { folder = try Scratch() }

    @Test("bad frames cost themselves only, and are counted by kind")
    func badFrames() async throws {
        let pose = #"{"type":"pose","timestampNs":5,"position":[0,0,0],"orientation":[0,0,0,1]}"#
        let messages = folder("messages.json")
        let hex = ["ffffffff7b", "00", "0200000022", "0200000000007b7d", String(repeating: "00", count: 300)]
        let list: [Any] =
            [pose] + hex.map { ["hex": $0] } + ["{", "null", #"{"op":"publish"}"#, #"{"type":"imu"}"#, pose]
        try JSONSerialization.data(withJSONObject: list).write(to: URL(fileURLWithPath: messages))
        let bag = folder("bag")
        let (process, port) = try await ArvosSession.record(bag, ["--arvos", "127.0.0.1:0", "--until-disconnect"])
        try await Peer.run("arvos_peer.py", ["send", "ws://127.0.0.1:\(port)", messages])
        let outcome = try await process.finish()
        #expect(outcome.status == 0, "\(outcome)")
        #expect(outcome.output.contains("2 messages of Arvos from 1 connection"), "\(outcome)")
        #expect(outcome.output.contains("rejected: 9 ("), "\(outcome)")
        #expect(outcome.output.contains("otherProtocol 1") && outcome.output.contains("missingKey 1"), "\(outcome)")
        #expect(try await BagListing.of(bag).count("/mapping/pose") == 2)
    }

    @Test("HTTP takes telemetry and frames, and says what is wrong with the rest")
    func post() async throws {
        struct Answer: Decodable {
            var status: Int
            var text: String

            init(from decoder: any Decoder) throws {
                var list = try decoder.unkeyedContainer()
                status = try list.decode(Int.self)
                text = try list.decode(String.self)
            }
        }
        let bag = folder("bag")
        let (process, port) = try await ArvosSession.record(
            bag,
            ["--arvos-http", "127.0.0.1:0", "--max-message-size", "2MB"]
        )
        let answers: [Answer] = try await Peer.json("arvos_peer.py", ["post", "\(port)"])
        #expect(answers.map(\.status) == [200, 200, 200, 200, 200, 400, 400, 405, 404, 200, 413])
        #expect(answers.map { $0.text == "ok" } == answers.map { $0.status == 200 })
        await process.signal(SIGINT)
        let outcome = try await process.finish()
        #expect(outcome.status == 0 && outcome.output.contains("received: camera 3, gps 2"), "\(outcome)")
        let listing = try await BagListing.of(bag)
        #expect(listing.count("/mapping/camera/image/compressed") == 3 && listing.count("/mapping/gps/fix") == 2)
    }

    @Test("HTTP is let in as WebSockets are: no page of elsewhere, nobody without the token")
    func postAdmission() async throws {
        let bag = folder("a")
        let (process, port) = try await ArvosSession.record(bag, ["--arvos-http", "127.0.0.1:0", "--token", "secret"])
        let code = """
            import http.client, json, sys
            fix = json.dumps({"type": "gps", "timestampNs": 1000, "latitude": 47, "longitude": 8, "altitude": 400})
            found = []
            evil, token = {"Origin": "https://evil.example"}, {"Authorization": "Bearer secret"}
            for fields in [{}, evil | token, token, token | {"Origin": "http://localhost:3000"}]:
                connection = http.client.HTTPConnection("127.0.0.1", int(sys.argv[1]), timeout=20)
                connection.request("POST", "/api/telemetry", fix, fields)
                found.append(connection.getresponse().status)
            print(found)
            """
        let outcome = try await PeerPython.runAside(["-c", code, "\(port)"])
        #expect(outcome.output.hasPrefix("[401, 403, 200, 200]"), "\(outcome.everything)")
        await process.signal(SIGINT)
        let ended = try await process.finish()
        #expect(ended.errors.contains("a page of https://evil.example was refused"), "\(ended)")
        #expect(try await BagListing.of(bag).count("/mapping/gps/fix") == 2)
    }

    @Test("a replay that listens is let in to as all servers are: no page of elsewhere, nobody without the token")
    func listenAdmission() async throws {
        let session = try await ArvosSession.sample.value
        let (process, port) = try await ArvosSession.listen(session, ["--token", "secret", "--rate", "max"])
        let code = """
            import asyncio, sys, websockets
            async def ask(fields, suffix=""):
                try:
                    address = f"ws://127.0.0.1:{sys.argv[1]}/{suffix}"
                    async with websockets.connect(address, max_size=None, additional_headers=fields) as socket:
                        async for message in socket:
                            return 101
                except websockets.InvalidStatus as refusal:
                    return refusal.response.status_code
            async def main():
                evil, token = {"Origin": "https://evil.example"}, {"Authorization": "Bearer secret"}
                wrong = {"Authorization": "Bearer guess"}
                print([await ask(fields) for fields in ({}, wrong, evil | token, token)])
            asyncio.run(main())
            """
        let outcome = try await PeerPython.runAside(["-c", code, "\(port)"])
        #expect(outcome.output.hasPrefix("[401, 401, 403, 101]"), "\(outcome.everything)")
        await process.signal(SIGINT)
        let ended = try await process.finish()
        #expect(ended.errors.contains("a page of https://evil.example was refused"), "\(ended)")
    }

    @Test("HTTP takes so many connections only")
    func postLimits() async throws {
        let (process, port) = try await ArvosSession.record(
            folder("b"),
            ["--arvos-http", "127.0.0.1:0", "--max-clients", "2"]
        )
        let code = """
            import http.client, socket, sys, time
            port = int(sys.argv[1])
            kept = [http.client.HTTPConnection("127.0.0.1", port, timeout=20) for _ in range(2)]
            for connection in kept:
                connection.request("GET", "/api/health")
                assert connection.getresponse().read()
            extra = socket.create_connection(("127.0.0.1", port), timeout=20)
            extra.sendall(b"GET /api/health HTTP/1.1\\r\\nHost: a\\r\\n\\r\\n")
            assert extra.recv(12) == b"HTTP/1.1 503"
            kept[0].close()
            # The server learns of the end when it gets to it.
            for attempt in range(200):
                try:
                    again = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
                    again.request("GET", "/api/health")
                    if again.getresponse().status == 200:
                        break
                    time.sleep(0.05)
                except (http.client.RemoteDisconnected, ConnectionError):
                    time.sleep(0.05)
            else:
                raise SystemExit("no connection was taken after one had ended")
            """
        let outcome = try await PeerPython.runAside(["-c", code, "\(port)"])
        #expect(outcome.status == 0, "\(outcome.everything)")
        await process.signal(SIGINT)
        #expect(try await process.finish().status == 0)
    }

    @Test("rosbridge on the port of Arvos is recognised, and the reverse")
    func otherProtocol() async throws {
        let session = try await ArvosSession.sample.value
        let (process, port) = try await ArvosSession.record(folder("a"), ["--arvos", "127.0.0.1:0"])
        let wrong = try await Binary.run(
            [
                "replay", session, "--url", "127.0.0.1:\(port)", "--rate", "max", "--settle", "0", "--barrier-timeout",
                "1",
            ]
        )
        _ = wrong
        #expect(try await process.waitForError("rejected").contains("one of rosbridge"))
        await process.signal(SIGINT)
        #expect(try await process.finish().status == 0)
        let recording = try await Recording.start(folder)
        let arvos = try await Binary.run(["replay", session, "--arvos", "127.0.0.1:\(recording.port)", "--rate", "1"])
        #expect(arvos.status == 69 && arvos.errors.contains("one of rosbridge"), "\(arvos)")
        let outcome = try await recording.stop()
        #expect(outcome.errors.contains("a message of Arvos, which `record --arvos` receives"), "\(outcome)")
    }

    @Test("an image that does not fit into a message is encoded again, a cloud is thinned, both are said")
    func largeMessages() async throws {
        let session = try await Samples.make(
            "arvos-huge",
            ["--size", "3840x2880", "--duration", "0.5", "--fps", "4"]
        )
        let bag = folder("bag")
        let (process, port) = try await ArvosSession.listen(session, ["--rate", "max"])
        try await Binary.succeed([
            "record", "-o", bag, "--arvos-url", "127.0.0.1:\(port)", "--max-message-size", "1MiB",
        ])
        let outcome = try await process.finish()
        #expect(outcome.output.contains("2 images were encoded again to fit into messages of 1 MiB"), "\(outcome)")
        try await Conformance.check(bag)
    }

    @Test("waiting for a client ends with an interrupt; a server that is not there is an error")
    func nobody() async throws {
        let session = try await ArvosSession.sample.value
        let (process, _) = try await ArvosSession.listen(session, [])
        await process.signal(SIGINT)
        let outcome = try await process.finish(seconds: 20)
        #expect(outcome.status == 130, "\(outcome)")
        let absent = try await Binary.run(["replay", session, "--arvos", "127.0.0.1:\(ArvosSession.freePort())"])
        #expect(absent.status == 69, "\(absent)")
    }

    @Test(
        "options that belong to the other protocol are refused",
        arguments: [
            (["--arvos", "a", "--url", "b"], "--url"), (["--arvos", "a", "--fit"], "--fit"),
            (["--arvos", "a", "--arvos-listen", "9090"], "--arvos-listen"),
            (["--url", "a", "--preset", "imu"], "--preset"),
            (["--url", "a", "--allow-commands"], "--allow-commands"), (["--arvos-listen", "x"], "--arvos-listen"),
            (["--arvos-listen", "9090", "--ca", "a"], "--ca"), (["--arvos", "a", "--token", "b"], "--token"),
            (["--url", "a", "--allow-origin", "b"], "--allow-origin"),
        ]
    )
    func refused(options: [String], name: String) async throws {
        let session = try await ArvosSession.sample.value
        let outcome = try await Binary.run(["replay", session] + options)
        outcome.expectError(2, naming: name)
    }
}
