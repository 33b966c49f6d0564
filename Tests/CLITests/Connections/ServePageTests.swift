import Foundation
import TestSupport
import Testing

/// The live page of `serve` and `record --view`, looked at in a headless Chromium.
@Suite(
    .serialized,
    .enabled(if: ReportTests.hasBrowser, "needs chromium and the Python peers, which tools/test installs")
)
struct ServePageTests {
    private let folder: Scratch

    init() throws { folder = try Scratch() }

    private func recording(_ form: String = "session") async throws -> String {
        try await Serving.recording(form, in: folder, profile: "record")
    }

    struct Look: Decodable {
        struct State: Decodable {
            var points: Int
            var way: Int
            var image: Int
            var place: Double
            var most: Double
            var play: String
            var player: Bool
            var status: String
            var hint: String
            var spoken: String?
            var token: Bool
            var title: String
            var topics: [[String]]
        }

        struct Keys: Decodable {
            var turned: Bool
            var back: Bool
            var space: [String]
            var places: [Double]
        }

        var paused: State
        var playing: State?
        var sought: State?
        var stands_still: Bool?
        var end: State
        var keys: Keys?
        /// Brightness in either colour scheme.
        var light: Double
        var dark: Double
        var axe: [String]?
        var lit: Double
        var gl_error: Int
        var unnamed: [String]
        var controls: [String]
        var requests: [String]
        var log: [String]
        var exceptions: [String]
    }

    @Test(
        "the page of the server shows, plays and seeks",
        arguments: ["session", "mcap"]
    )
    func page(form: String) async throws {
        let serving = try await Serving.start(try await recording(form))
        let look: Look = try await Peer.json("look_at_live.py", ["look", "http://127.0.0.1:\(serving.port)/"])
        #expect(look.requests.isEmpty && look.log.isEmpty && look.exceptions.isEmpty && look.unnamed.isEmpty)
        #expect(look.controls == ["button", "combobox", "image", "slider"])
        #expect(look.paused.points > 100 && look.paused.image == 320 && look.paused.player)
        #expect(try #require(look.playing).way > 3 && look.playing?.play == "Pause")
        #expect(try #require(look.sought).place >= 0.75 * look.paused.most && look.stands_still == true)
        #expect(look.gl_error == 0 && look.lit > 0.005 && look.lit < 0.95)
        #expect(look.light > 200 && look.dark < 60)
        #expect(look.axe?.isEmpty != false, "\(look.axe ?? [])")
        let keys = try #require(look.keys)
        #expect(keys.turned && keys.back && keys.space == ["Pause", "Play"])
        let places = keys.places
        try #require(places.count == 5)
        #expect(places[1] > places[0] && places[2] < places[1] && places[4] > places[3], "\(places)")
        #expect(abs(places[3] - places[2]) < 0.05, "\(places)")
        #expect(["Connected: paused", "Connected: at the end"].contains(look.end.status))
        #expect(look.end.hint.isEmpty && look.end.spoken != nil)
        _ = try await serving.stop()
    }

    struct WholeState: Decodable {
        var points: Int
        var clouds: Int
        var way: Int
        var whole: Int
        var wholeway: Int
        var place: Double
        var status: String
        var hint: String
        var strips: [String]
        var figures: [String]
        var gps: Bool
    }

    @Test(
        "the whole scene is there before anything is played, and stays after a seek; the last page that closes pauses the player",
        arguments: ["session", "mcap"]
    )
    func whole(form: String) async throws {
        struct Found: Decodable {
            var polls: Int
            var first: WholeState
            var played: WholeState
            var sought: WholeState
            /// The edges of the box of all there is, where it is in the view.
            var fitted: [[Double]]
            var lit: Double
            var heading: String
            var log: [String]
            var exceptions: [String]
        }
        let serving = try await Serving.start(try await Serving.recording(form, in: folder, ["--gps", "--fps", "10"]))
        let page = "http://127.0.0.1:\(serving.port)/"
        let found: Found = try await Peer.json("look_at_live.py", ["whole", page])
        #expect(found.log.isEmpty && found.exceptions.isEmpty)
        let (first, played, sought) = (found.first, found.played, found.sought)
        // A tenth of a second is between two looks; machines that do other things too are slower.
        #expect(found.polls < 50 && first.place < 0.3 && first.status == "Connected: paused")
        // Of a bag more comes as it is read.
        #expect(first.whole > 1000 && first.wholeway > 3 && (form != "session" || first.gps), "\(first)")
        #expect(found.fitted.count == 2 && found.fitted.allSatisfy { $0.allSatisfy { $0 > 1 && $0 < 10 } })
        #expect(found.lit > 1.0 / 5)
        // What was played lies over it, and is still there at another place.
        #expect(played.points >= first.points && played.way > 10 && sought.way >= played.way)
        #expect(sought.points >= played.points && sought.place < played.place)
        #expect(sought.whole == played.whole && sought.whole > 3000 && sought.whole >= first.whole, "\(sought)")
        #expect(sought.wholeway == played.wholeway && sought.wholeway >= 50, "\(sought)")
        #expect(sought.strips == ["height", "speed", "|f|", "turn rate"] && sought.strips == played.strips)
        #expect(sought.figures == played.figures && sought.gps && found.heading == "The whole recording")
        // The browser was closed while it played.
        _ = try await serving.process.waitForError("paused, as nobody looks any more")
        let outcome = try await serving.stop()
        #expect(outcome.status == 0, "\(outcome)")
    }

    @Test("of a recording without depth the whole way is there")
    func wholeWay() async throws {
        struct Found: Decodable {
            var first: WholeState
            var fitted: [Double]
            var exceptions: [String]
        }
        let serving = try await Serving.start(try await Serving.recording("session", in: folder, ["--no-lidar"]))
        let found: Found = try await Peer.json("look_at_live.py", ["way", "http://127.0.0.1:\(serving.port)/"])
        let first = found.first
        #expect(found.exceptions.isEmpty && first.whole == 0 && first.wholeway > 3 && first.points == 0, "\(first)")
        #expect(found.fitted.count == 3)
        _ = try await serving.stop()
    }

    @Test("no text of a server becomes markup of the page, and a lost connection is told")
    func hostilePage() async throws {
        struct Hostile: Decodable {
            var state: Look.State
            var broken: Int?
            var elements: [Int]
            var markup: String
            var alt: String
            var requests: [String]
            var exceptions: [String]
            var lost: Look.State
        }
        let serving = try await Serving.start(try await recording())
        let page = "http://127.0.0.1:\(serving.port)/"
        let found: Hostile = try await Peer.json("look_at_live.py", ["hostile", page])
        #expect(found.broken == nil && found.elements == [1, 1, 1] && found.requests.isEmpty)
        #expect(found.exceptions.isEmpty && found.state.title == found.markup)
        #expect(found.alt == "Image of " + found.markup)
        #expect(found.state.topics.map { $0.first } == (0..<4).map { "/\($0)" + found.markup })
        #expect(found.state.status.contains("cannot be read"))
        #expect(found.lost.status.contains("lost") && found.lost.hint == "Nothing to show without a connection.")
        _ = try await serving.stop()
    }

    @Test("the page asks for a token where the server does")
    func tokenPage() async throws {
        struct Token: Decodable {
            var asked: Look.State
            var wrong: Look.State
            var right: Look.State
            var log: [String]
            var exceptions: [String]
        }
        let serving = try await Serving.start(try await recording(), ["--token", "a+bc"])
        let page = "http://127.0.0.1:\(serving.port)/"
        let found: Token = try await Peer.json("look_at_live.py", ["token", page, "a+bc"])
        // It does not try what cannot succeed.
        #expect(found.log.isEmpty && found.exceptions.isEmpty && found.asked.points == 0)
        #expect(found.asked.token && found.asked.status == "This server asks for its token")
        #expect(found.wrong.token && found.wrong.status.contains("another token"))
        #expect(!found.right.token && found.right.points > 0)
        _ = try await serving.stop()
    }

    @Test("what is being recorded is shown")
    func view() async throws {
        let session = try await recording()
        let process = try Binary.start(["record", "-o", folder("recorded"), "--port", "0", "--view", "0"])
        let line = try await process.waitForError("serving ")
        let text = try await process.waitForError("recording to ")
        let ports = [line, text].compactMap { text in
            text.split(separator: "127.0.0.1:").last.flatMap { Int($0.prefix { $0.isNumber }) }
        }
        #expect(ports.count == 2)
        let sender = try Binary.start(["replay", session, "--url", "ws://127.0.0.1:\(ports[1])", "--loop"])
        let look: Look = try await Peer.json("look_at_live.py", ["look", "http://127.0.0.1:\(ports[0])/"])
        #expect(look.exceptions.isEmpty && look.log.isEmpty && !look.paused.player)
        #expect(look.end.points > 100 && look.end.image == 320)
        await sender.signal(SIGINT)
        _ = try await sender.finish()
        await process.signal(SIGINT)
        let outcome = try await process.finish()
        #expect(outcome.status == 0, "\(outcome)")
    }
}
