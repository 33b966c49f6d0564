import Foundation
import TestSupport
import Testing

/// `serve`: Foxglove's protocol, judged by the package websockets, by rosbags, by the SDK's own server, and by a browser.
@Suite(.serialized, .enabled(if: Peer.isAvailable, Comment(rawValue: Peer.absence)))
struct ServeTests {
    private let folder: Scratch

    init() throws { folder = try Scratch() }

    /// A session, or a bag of it.
    private func recording(_ form: String, _ options: [String] = []) async throws -> String {
        try await Serving.recording(form, in: folder, options)
    }

    private func client<Result: Decodable>(_ arguments: String...) async throws -> Result {
        try await Peer.json("foxglove_client.py", arguments)
    }

    private struct Played: Decodable {
        struct Info: Decodable {
            var name: String
            var capabilities: [String]
        }

        var protocol_: String
        var extensions: String?
        var info: Info
        var paused: [String: Int]
        var counts: [String: Int]
        var types: [String: String]
        var backwards: [String]
        var bad: [String]
        var problems: [String]

        enum CodingKeys: String, CodingKey {
            case protocol_ = "protocol"
            case extensions, info, paused, counts, types, backwards, bad, problems
        }
    }

    @Test(
        "a session and bags are played to clients of both names of the protocol",
        arguments: [
            "session", "sqlite3", "mcap",
        ]
    )
    func plays(form: String) async throws {
        let path = try await recording(form, ["--gps"])
        let serving = try await Serving.start(path, form == "session" ? ["--profile", "record"] : [])
        for name in ["foxglove.sdk.v1", "foxglove.websocket.v1"] {
            let played: Played = try await client("play", serving.url, "2.5", name)
            #expect(played.protocol_ == name && played.extensions == nil)
            #expect(
                played.info.capabilities.contains("playbackControl")
                    && played.info.name == (form == "session" ? "room" : "bag")
            )
            #expect(played.problems.isEmpty && played.bad.isEmpty && played.backwards.isEmpty, "\(played)")
            // A client that comes while nothing plays sees the place at hand.
            #expect(played.paused["/tf_static"] != nil && (form != "session" || played.paused["/mapping/pose"] != nil))
            let poses = try #require(played.counts["/mapping/pose"])
            #expect(poses >= 20 && poses <= 40, "\(poses)")
            #expect(played.types["/mapping/pose"] == "geometry_msgs/msg/PoseStamped")
        }
        let outcome = try await serving.stop()
        #expect(outcome.status == 0 && outcome.output.contains("sent to 2 clients"), "\(outcome)")
    }

    private struct Sought: Decodable {
        struct Seek: Decodable {
            var state: Int
            var time_error_ms: Double
            var sought: Bool
            var speed: Double
            var others_told: Bool
            var late: Int
            var topics: [String]
            var first_s: [Double]
        }

        var seeks: [Seek]
        var at_end: Int
        var again: Int
        var goes_on: Bool
        var problems: [String]
        var others: [String]
    }

    @Test("a seek is answered to all, and shows what was there", arguments: ["session", "sqlite3", "mcap"])
    func seeks(form: String) async throws {
        // With samples of the IMU, which go on a little after the last frame, the end is not where playing ends.
        let profile = form == "session" ? ["--profile", "record"] : []
        let serving = try await Serving.start(try await recording(form), profile)
        let sought: Sought = try await client("seek", serving.url)
        #expect(sought.problems.isEmpty && sought.others.isEmpty)
        #expect(sought.seeks.map(\.state) == [1, 1, 0, 1, 1] && sought.seeks.map(\.speed) == [1, 1, 2, 1, 1])
        for seek in sought.seeks {
            #expect(seek.sought && seek.others_told && seek.late == 0 && seek.time_error_ms == 0, "\(seek)")
            for topic in [
                "/tf_static", "/tf", "/mapping/pose", "/mapping/pointcloud/lidar", "/mapping/camera/camera_info",
            ] {
                #expect(seek.topics.contains(topic), "\(topic)")
            }
            #expect(seek.first_s.allSatisfy { abs($0) < 0.2 }, "\(seek)")
        }
        // Playing at the end waits for a seek.
        #expect(sought.at_end == 3 && sought.again == 0 && sought.goes_on)
        #expect(try await serving.stop().status == 0)
    }

    @Test("greeting, mistakes, playback and parameters are answered as the SDK's own server answers them")
    func transcript() async throws {
        struct Transcripts: Decodable {
            var compared: Int
            var different: [String]
        }
        let serving = try await Serving.start(try await recording("session"))
        let found: Transcripts = try await Peer.json("foxglove_transcript.py", [serving.url])
        #expect(found.compared > 80 && found.different.isEmpty, "\(found.different)")
        _ = try await serving.stop()
    }

    private struct Parameters: Decodable {
        struct Values: Decodable {
            var playing: Bool
            var speed: Double
            var time: Double
            var loop: Bool
        }

        var values: Values
        var ids: [String]
        var statuses: [Int]
        var states: Int
        var problems: [String]
    }

    @Test("parameters steer the player of clients without a play bar")
    func parameters() async throws {
        let serving = try await Serving.start(try await recording("session"))
        let found: Parameters = try await client("parameters", serving.url)
        #expect(found.problems.isEmpty && found.ids == ["all", "time", "speed", "playing", "loop"])
        #expect(found.values.playing && found.values.loop && found.values.speed == 4 && found.values.time == 5)
        #expect(found.statuses == [1, 1] && found.states >= 4)
        _ = try await serving.stop()
    }

    /// Two clients: one asks for as many places as it can, the other looks.
    ///
    /// Prints what speed was told, how many messages the second got meanwhile, and whether the last place was told last.
    private static let seeker = """
        import asyncio, json, struct, sys, time, websockets

        async def main(url):
            options = dict(subprotocols=["foxglove.sdk.v1"], max_size=None)
            async with websockets.connect(url, **options) as one, websockets.connect(url, **options) as two:
                speed, channels, start = None, [], 0
                while speed is None or not channels:
                    message = await asyncio.wait_for(two.recv(), 20)
                    if isinstance(message, bytes):
                        if message[0] == 5:
                            (speed,) = struct.unpack_from("<f", message, 10)
                        continue
                    message = json.loads(message)
                    if message["op"] == "serverInfo":
                        start = message["dataStartTime"]["sec"] * 10**9 + message["dataStartTime"]["nsec"]
                    if message["op"] == "advertise":
                        channels = [c["id"] for c in message["channels"] if c["topic"] == "/mapping/pose"]
                await two.send(json.dumps({"op": "subscribe", "subscriptions": [{"id": 1, "channelId": channels[0]}]}))
                got, last = 0, None

                async def look():
                    nonlocal got, last
                    async for message in two:
                        if isinstance(message, bytes) and message[0] == 1:
                            got += 1
                        if isinstance(message, bytes) and message[0] == 5 and message[14]:
                            (last,) = struct.unpack_from("<Q", message, 2)

                async def drain():
                    try:
                        async for message in one:
                            pass
                    except websockets.ConnectionClosed:
                        pass

                tasks = [asyncio.create_task(look()), asyncio.create_task(drain())]
                end, number = time.monotonic() + 4, 0
                while time.monotonic() < end:
                    number += 1
                    place = start + 10**7 * (number % 100)
                    await one.send(struct.pack("<BBfBQI", 3, 0, 1.0, 1, place, 0))
                    if number % 20 == 0:
                        await asyncio.sleep(0.001)
                place = start + 500_000_000
                await one.send(struct.pack("<BBfBQI", 3, 1, 1.0, 1, place, 0))
                meanwhile = got
                for attempt in range(200):
                    if last == place:
                        break
                    await asyncio.sleep(0.05)
                print(json.dumps({"speed": speed, "meanwhile": meanwhile, "is_last": last == place}))

        asyncio.run(main(sys.argv[1]))
        """

    @Test("a client is told the speed before it plays; of many seeks the newest counts, and others see what is there")
    func seeks() async throws {
        struct Found: Decodable {
            var speed: Double
            var meanwhile: Int
            var is_last: Bool
        }
        let serving = try await Serving.start(try await recording("session"), ["--rate", "5"])
        let outcome = try await PeerPython.runAside(["-c", Self.seeker, serving.url])
        let found = try JSONDecoder().decode(Found.self, from: Data(outcome.output.utf8))
        #expect(found.speed == 5 && found.is_last && found.meanwhile >= 4, "\(outcome.everything)")
        _ = try await serving.stop()
    }

    @Test("sub-protocols and origins that are not known are refused, and tokens asked for")
    func refusals() async throws {
        let session = try await recording("session")
        let serving = try await Serving.start(session, ["--allow-origin", "https://good.example"])
        let found: [String: String] = try await client("refusals", serving.url)
        let sdk = "foxglove.sdk.v1"
        #expect(
            found == [
                "none": "400", "nonsense": "400", "old": "foxglove.websocket.v1", "both": sdk, "evil page": "403",
                "foxglove": sdk, "lichtblick": sdk, "local page": sdk, "looks local": "403", "allowed": sdk,
                "sandbox": "403", "desktop": sdk, "rebound": "403", "own name": sdk, "own local name": sdk,
                "own address": sdk, "other address": "403",
            ]
        )
        let outcome = try await serving.stop()
        // How it can be let in is said, once.
        let hint = "a page of https://evil.example was refused; --allow-origin https://evil.example lets it in"
        #expect(outcome.errors.components(separatedBy: hint).count == 2, "\(outcome)")
        let closed = try await Serving.start(session, ["--token", "a+bc"])
        let shut: [String: String] = try await client("refusals", closed.url)
        #expect(shut["both"] == "401" && shut["evil page"] == "403")
        let open: [String: String] = try await client("refusals", closed.url + "/?token=a%2Bbc")
        #expect(open["both"] == sdk)
        _ = try await closed.stop()
    }

    @Test("a client that never reads costs thirty-one others nothing")
    func crowd() async throws {
        struct Crowd: Decodable {
            var counts: [[String: Int]]
            var problems: [String]
        }
        let serving = try await Serving.start(try await recording("session"), ["--queue-size", "1MB"])
        let crowd: Crowd = try await client("crowd", serving.url, "32", "3")
        #expect(crowd.counts.count == 31 && crowd.problems.isEmpty)
        let most = try #require(crowd.counts.first)
        for counts in crowd.counts {
            // Where three seconds end is each client's own.
            for (topic, count) in most { #expect(abs((counts[topic] ?? 0) - count) <= 2, "\(topic) \(counts)") }
            #expect((counts["/mapping/pose"] ?? 0) >= 25)
        }
        let outcome = try await serving.stop()
        #expect(outcome.status == 0, "\(outcome)")
    }

    @Test("a client that reads slowly gets what is newest, is told, and costs no memory")
    func slow() async throws {
        struct Slow: Decodable {
            var statuses: [Status]
            var removed: Int
            var sorted: Bool
            var messages: Int
            var problems: [String]
            var counts: [String: Int]
        }
        struct Status: Decodable, Equatable {
            var level: Int
            var message: String

            init(from decoder: any Decoder) throws {
                var values = try decoder.unkeyedContainer()
                level = try values.decode(Int.self)
                message = try values.decode(String.self)
            }
        }
        let options = ["--queue-size", "1MB", "--loop"]
        let serving = try await Serving.start(try await recording("session"), options)
        let slow: Slow = try await client("slow", serving.url, "6", "60")
        #expect(slow.problems.isEmpty && slow.messages > 100, "\(slow)")
        #expect(slow.statuses.contains { $0.level == 1 && $0.message == "Send buffer limit reached" })
        #expect(slow.removed > 0)
        let outcome = try await serving.stop()
        #expect(outcome.status == 0 && outcome.output.contains("dropped as they were too slow"), "\(outcome)")
    }

    @Test("an interrupt is not held up by a client that reads nothing", .timeLimit(.minutes(1)))
    func interrupt() async throws {
        let options = ["--rate", "max", "--loop", "--play", "--queue-size", "1MB"]
        let serving = try await Serving.start(try await recording("session"), options)
        let stalled = try Peer.start("foxglove_client.py", ["stall", serving.url])
        _ = try await stalled.waitForOutput("stalled")
        #expect(try await serving.stop().status == 0)
        await stalled.signal(SIGKILL)
        _ = try await stalled.finish()
    }

    @Test("damaged frames and floods of subscriptions do no harm to other clients")
    func flood() async throws {
        struct Flood: Decodable {
            var served: Bool
            var problems: [String]
        }
        let serving = try await Serving.start(try await recording("session"))
        let seed = Int.random(in: 0..<1_000_000)
        let flood: Flood = try await client("flood", serving.url, "1000", "\(seed)")
        #expect(flood.served && flood.problems.isEmpty, "seed \(seed)")
        #expect(try await serving.stop().status == 0, "seed \(seed)")
    }

    @Test("what cannot be served is said")
    func errors() async throws {
        let session = try await recording("session")
        try await Binary.run(["serve", session, "--stamp", "now"]).expectError(2, naming: "--stamp")
        try await Binary.run(["serve", folder("none")]).expectError(66, naming: "none")
        let serving = try await Serving.start(session)
        try await Binary.run(["serve", session, "--port", "\(serving.port)"]).expectError(69, naming: "\(serving.port)")
        _ = try await serving.stop()
    }
}
