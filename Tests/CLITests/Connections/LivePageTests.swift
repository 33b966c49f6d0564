import Foundation
import TestSupport
import Testing

/// What the live page shows of a recording, and of how one stands: layers, numbers, fingers, several who look.
@Suite(
    .serialized,
    .enabled(if: ReportTests.hasBrowser, "needs chromium and the Python peers, which tools/test installs")
)
struct LivePageTests {
    private let folder: Scratch

    init() throws { folder = try Scratch() }

    private struct State: Decodable {
        var points: Int
        var triangles: Int
        var clouds: Int
        var image: Int
        var status: String
        var topics: [[String]]
        var facts: [String: String]
        var clients: String
        var events: [String]
        var who: String
        var since: String
        var figures: [String]
        var strips: [String]
        var gps: Bool
        var tags: String
        var marks: Int

        func row(_ topic: String) -> [String] { topics.first { $0[0] == topic } ?? [] }
    }

    private static func look<Result: Decodable>(_ mode: String, _ port: Int) async throws -> Result {
        try await Peer.json("look_at_live.py", [mode, "http://127.0.0.1:\(port)/"])
    }

    private func serving() async throws -> Serving {
        let session = try await Serving.recording("session", in: folder, ["--gps", "--fps", "10"])
        return try await Serving.start(session, ["--profile", "full"])
    }

    @Test("every topic is a layer: clouds, images, depth in colours, strips, a plan of the fixes")
    func layers() async throws {
        struct Found: Decodable {
            var paused: State
            var without: State
            var again: State
            var playing: State
            var fewer: State
            /// With the growing map and no cloud, and the share of the map that its triangles cover.
            var mesh: State
            var mesh_covers: Double
            var bare: State
            /// How many values the pixels of each canvas have.
            var painted: [Int]
            var follows: [String]
            /// The share of the map that is covered: as it is, and after drags far across it.
            var covers: [Double]
            var keys: Bool
            var log: [String]
            var exceptions: [String]
        }
        let serving = try await serving()
        let found: Found = try await Self.look("layers", serving.port)
        #expect(found.log.isEmpty && found.exceptions.isEmpty)
        #expect(found.paused.points > 100 && found.paused.clouds == 1 && found.paused.image == 320)
        #expect(found.without.points == 0 && found.without.image == 320 && found.again.points == found.paused.points)
        #expect(found.playing.clouds == 2 && found.playing.gps)
        #expect(found.mesh.points == 0 && found.mesh.triangles > 1000 && found.mesh.clouds == 1)
        #expect(found.mesh_covers > 0.03 && found.bare.triangles == 0 && found.bare.clouds == 1)
        let images = ["/mapping/camera/image/compressed", "/mapping/depth/image_raw"]
        let more = ["/mapping/depth/confidence", "/mapping/depth/image_raw/compressedDepth"]
        #expect(Set(found.playing.figures) == Set(images + more) && Set(found.fewer.figures) == Set(images))
        #expect(Set(found.playing.strips) == ["height", "speed", "|f|", "turn rate"])
        #expect(found.painted.count == 6 && found.painted.allSatisfy { $0 > 3 }, "\(found.painted)")
        #expect(found.follows == ["true", "false"] && found.keys)
        #expect(found.covers.count == 5 && found.covers[0] > 1.0 / 3 && found.covers.allSatisfy { $0 > 0.1 })
        _ = try await serving.stop()
    }

    @Test("on a page 390 pixels wide two fingers turn and come nearer, and one scrolls")
    func narrow() async throws {
        struct Found: Decodable {
            var paused: State
            var width: Int
            var changed: [Bool]
            var scrolled: Double
            var buttons: Int
        }
        let serving = try await serving()
        let found: Found = try await Self.look("narrow", serving.port)
        #expect(found.width == 390 && found.changed == [true, true] && found.scrolled > 100 && found.buttons >= 40)
        _ = try await serving.stop()
    }

    @Test("of two who look each is told who steered, and what is counted begins anew at the place that is sought")
    func two() async throws {
        struct Found: Decodable {
            var both: [State]
            var before: State
            var after: [State]
        }
        let serving = try await serving()
        let found: Found = try await Self.look("two", serving.port)
        #expect(found.both[0].who == "2 look at this, you are viewer 1; nobody has steered yet")
        #expect(found.before.who.hasPrefix("2 look at this, you are viewer 2; viewer 1 (127.0.0.1:"))
        #expect(found.before.who.hasSuffix(") paused it"))
        #expect(found.after[0].who.hasSuffix("; you went to another place"), "\(found.after[0].who)")
        #expect(found.after[1].who.hasSuffix(") went to another place"))
        for state in found.after {
            #expect(state.since == "since 0:02.9" || state.since == "since 0:03.0", "\(state.since)")
            #expect(try #require(Int(state.row("/tf")[1])) < 3)
        }
        #expect(try #require(Int(found.before.row("/tf")[1])) > 8)
        _ = try await serving.stop()
    }

    @Test("a recording shows what comes with rates and ages, who is there, and at its end how it was found")
    func recording() async throws {
        struct Found: Decodable {
            var recording: State
            var ended: State
            var later: State
            var exceptions: [String]
        }
        let session = try await Serving.recording("session", in: folder, ["--gps"])
        let bag = folder("recv")
        let process = try Binary.start(["record", "-o", bag, "--port", "0", "--view", "0", "--until-disconnect"])
        let line = try await process.waitForError("serving ")
        let text = try await process.waitForError("recording to ")
        let ports = [line, text].compactMap { text in
            text.split(separator: "127.0.0.1:").last.flatMap { Int($0.prefix { $0.isNumber }) }
        }
        async let looking: Found = Self.look("ending", ports[0])
        try await Task.sleep(for: .seconds(2))
        let replay = ["replay", session, "--url", "ws://127.0.0.1:\(ports[1])", "--profile", "full"]
        try await Binary.succeed(replay)
        let found = try await looking
        #expect(found.exceptions.isEmpty)
        let state = found.recording
        #expect(state.facts.keys.sorted() == ["elapsed", "free disk", "messages", "rate", "size"])
        #expect(state.facts["rate"]?.hasSuffix("B/s") == true && state.facts["free disk"]?.hasSuffix("B") == true)
        #expect(state.clients.hasPrefix("Connected: client 1 (127.0.0.1:") && state.clients.contains("), since "))
        #expect(state.topics.contains { $0[2].hasSuffix(" Hz") && !$0[3].isEmpty }, "\(state.topics)")
        let listing = try await BagListing.of(bag)
        let said = "Recording ended: \(listing.rows.count) messages in \(bag); sound"
        #expect(found.ended.status == said && found.later.status == said)
        #expect(found.ended.facts["messages"] == "\(listing.rows.count)")
        #expect(Int(found.ended.row("/mapping/pose")[1]) == listing.count("/mapping/pose"))
        #expect(found.ended.clients.hasPrefix("Nobody is connected: client 1 (127.0.0.1:"))
        #expect(found.ended.clients.contains(") left at "))
        #expect(try await process.finish().status == 0)
    }
}
