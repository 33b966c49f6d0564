import Foundation
import TestSupport
import Testing

/// `serve`: Foxglove's protocol, judged by the package websockets, by rosbags, by the SDK's own server, and by a browser.
@Suite(.serialized, .enabled(if: Peer.isAvailable, Comment(rawValue: Peer.absence)))
struct ServeTests {
    private let folder: Scratch

    init() throws { folder = try Scratch() }

    /// A session, or a bag of it.
    private func recording(
        _ form: String,
        _ options: [String] = [],
        profile: String = "full"
    ) async throws -> String {
        let session = folder("room")
        let size = ["--size", "320x240", "--images", "4", "--duration", "6"]
        try await Binary.succeed(["sample", "-o", session] + size + options)
        guard form != "session" else { return session }
        try await Binary.succeed(["bag", session, "-o", folder("bag"), "--storage", form, "--profile", profile])
        return folder("bag")
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
        let serving = try await Serving.start(path)
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
        let serving = try await Serving.start(try await recording(form))
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

    private struct Mistakes: Decodable {
        var here: [String: [Int]]
        var sdk: [String: [Int]]
    }

    @Test("mistakes are answered as the SDK's own server answers them")
    func mistakes() async throws {
        let serving = try await Serving.start(try await recording("session"))
        let found: Mistakes = try await client("mistakes", serving.url)
        #expect(found.here == found.sdk && found.sdk.count == 12)
        #expect(found.sdk["not JSON"] == [2])
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
            ]
        )
        _ = try await serving.stop()
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

    @Test("frames that are damaged harm nobody")
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

    // MARK: - The page

    private struct Look: Decodable {
        struct State: Decodable {
            var points: Int
            var way: Int
            var image: Int
            var place: Double
            var most: Double
            var play: String
            var player: Bool
            var status: String
        }

        var paused: State
        var playing: State?
        var sought: State?
        var stands_still: Bool?
        var end: State
        var lit: Double
        var gl_error: Int
        var unnamed: [String]
        var controls: [String]
        var requests: [String]
        var log: [String]
        var exceptions: [String]
    }

    private static let hasBrowser = ReportTests.hasBrowser

    @Test(
        "the page of the server shows, plays and seeks",
        .enabled(if: hasBrowser, "needs chromium and the Python peers, which tools/test installs"),
        arguments: ["session", "mcap"]
    )
    func page(form: String) async throws {
        let serving = try await Serving.start(try await recording(form, profile: "record"))
        let look: Look = try await Peer.json("look_at_live.py", ["http://127.0.0.1:\(serving.port)/"])
        #expect(look.requests.isEmpty && look.log.isEmpty && look.exceptions.isEmpty && look.unnamed.isEmpty)
        #expect(look.controls == ["button", "combobox", "image", "slider"])
        #expect(look.paused.points > 100 && look.paused.image == 320 && look.paused.player)
        #expect(try #require(look.playing).way > 3 && look.playing?.play == "Pause")
        #expect(try #require(look.sought).place >= 0.75 * look.paused.most && look.stands_still == true)
        #expect(look.gl_error == 0 && look.lit > 0.005 && look.lit < 0.95)
        _ = try await serving.stop()
    }

    @Test(
        "what is being recorded is shown",
        .enabled(if: hasBrowser, "needs chromium and the Python peers, which tools/test installs")
    )
    func view() async throws {
        let session = try await recording("session")
        let process = try Binary.start(["record", "-o", folder("recorded"), "--port", "0", "--view", "0"])
        let line = try await process.waitForError("serving ")
        let text = try await process.waitForError("recording to ")
        let ports = [line, text].compactMap { text in
            text.split(separator: "127.0.0.1:").last.flatMap { Int($0.prefix { $0.isNumber }) }
        }
        #expect(ports.count == 2)
        let sender = try Binary.start(["replay", session, "--url", "ws://127.0.0.1:\(ports[1])", "--loop"])
        let look: Look = try await Peer.json("look_at_live.py", ["http://127.0.0.1:\(ports[0])/"])
        #expect(look.exceptions.isEmpty && look.log.isEmpty && !look.paused.player)
        #expect(look.end.points > 100 && look.end.image == 320)
        await sender.signal(SIGINT)
        _ = try await sender.finish()
        await process.signal(SIGINT)
        let outcome = try await process.finish()
        #expect(outcome.status == 0, "\(outcome)")
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
