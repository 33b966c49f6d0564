import Foundation
import Testing

/// tools/fetch-tiles, against a server of the test that answers well or badly.
@Suite(.enabled(if: Peer.isAvailable, Comment(rawValue: Peer.absence)), .timeLimit(.minutes(2)))
struct FetchTilesTests {
    private let folder: Scratch
    private var session: String { folder("session") }
    private var diary: String { folder("diary") }

    struct Result: Decodable {
        let fetched: Int
        let fromCache: Int
        let present: Int
        let missing: Int
        let failed: Int
        let notAsked: Int
        let requests: Int
        let bytes: Int
        let badFixes: Int
        let problems: [String]
        let givenUp: [String: String]
    }

    init() throws { folder = try Scratch() }

    private func writeFixes(_ places: [(latitude: Double, longitude: Double)]) throws {
        try FileManager.default.createDirectory(atPath: session, withIntermediateDirectories: true)
        let lines = places.enumerated().map { index, place in
            "{\"timestamp\":\(1000 + index),\"latitude\":\(place.latitude),\"longitude\":\(place.longitude)}\n"
        }
        try lines.joined().write(toFile: session + "/gps.jsonl", atomically: true, encoding: .utf8)
    }

    /// A provider for each kind, and one that covers the USA only.
    private func writeProviders(_ port: Int) throws {
        func provider(_ name: String, _ kind: String, _ zoom: Int, _ format: String, _ more: String = "") -> String {
            """
            {"name": "\(name)", "kind": "\(kind)", "layer": "l", "zoom": \(zoom), "format": "\(format)",\(more)
             "encoding": "e", "may_store": true, "url": "http://127.0.0.1:\(port)/\(name)/{z}/{x}/{y}.x"}
            """
        }
        let usa = #" "coverage": [[24, -125, 50, -66]],"#
        let text = [
            provider("us", "dem", 14, "tiff", usa), provider("dem", "dem", 13, "png"),
            provider("sat", "satellite_imagery", 12, "jpeg"),
        ]
        try "[\(text.joined(separator: ","))]".write(toFile: folder("providers"), atomically: true, encoding: .utf8)
    }

    /// Runs the tool against a fresh server.
    private func fetch(_ mode: String, _ options: [String] = []) async throws -> (outcome: Outcome, asked: [String]) {
        try? FileManager.default.removeItem(atPath: diary)
        let server = try Peer.start("tile_server.py", [diary, mode])
        try writeProviders(try await server.waitForPort())
        let common = [
            session, "--json", "--providers", folder("providers"), "--cache", folder("cache"), "--delay", "0",
            "--pause",
            "0.01",
        ]
        let outcome = try await ChildProcess(Repository.path("tools/fetch-tiles"), common + options).finish()
        await server.signal(SIGTERM)
        _ = try? await server.finish()
        let text = (try? String(contentsOfFile: diary, encoding: .utf8)) ?? ""
        return (outcome, text.split(separator: "\n").map { String($0) })
    }

    private func result(_ outcome: Outcome) throws -> Result {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        return try decoder.decode(Result.self, from: Data(outcome.output.utf8))
    }

    @Test func theTilesAreThoseThatABagNeeds() async throws {
        let shape = ["--duration", "2", "--fps", "5", "--size", "64x48", "--gps"]
        try await Binary.succeed(["sample", "-o", session] + shape)
        let (outcome, asked) = try await fetch("ok", ["--margin-m", "0"])
        #expect(outcome.status == 0, "\(outcome)")
        let had = try result(outcome)
        #expect(had.fetched == 2 && had.requests == 2 && had.problems.isEmpty)
        #expect(asked.allSatisfy { $0.hasSuffix(" mapeverything-fetch-tiles/1") })
        // Nothing is asked for twice, whether the session or only the cache has it.
        let again = try await fetch("ok", ["--margin-m", "0"])
        #expect(again.asked.isEmpty)
        #expect(try result(again.outcome).present == 2)
        try FileManager.default.removeItem(atPath: session + "/tiles")
        let cached = try await fetch("ok", ["--margin-m", "0"])
        #expect(cached.asked.isEmpty)
        #expect(try result(cached.outcome).fromCache == 2)
        let bag = folder("bag")
        try await Binary.succeed(["bag", session, "-o", bag, "--profile", "record"])
        let listing = try await BagListing.of(bag)
        #expect(listing.count("/mapping/dem/tile") == 1 && listing.count("/mapping/satellite/tile_info") == 1)
        #expect(try await Binary.run(["check", session]).status == 0)
    }

    /// The regional provider first, as TIFF; the global one where it has none.
    @Test func regionalProvidersComeFirst() async throws {
        try writeFixes([(39.7392, -104.9903)])
        let (outcome, asked) = try await fetch("ok", ["--kind", "dem", "--margin-m", "0"])
        #expect(try result(outcome).fetched == 1 && asked.count == 1 && asked[0].hasPrefix("/us/14/"))
        try writeFixes([(48.137, 11.575)])
        let abroad = try await fetch("ok", ["--kind", "dem", "--margin-m", "0"])
        #expect(abroad.asked.count == 1 && abroad.asked[0].hasPrefix("/dem/13/4359/"))
    }

    @Test func limitsAreKept() async throws {
        try writeFixes([(48.1, 11.5), (48.2, 11.7)])
        let (outcome, asked) = try await fetch("ok", ["--kind", "dem", "--max-tiles", "5"])
        let had = try result(outcome)
        #expect(asked.count == 5 && Set(asked).count == 5 && had.fetched == 5 && outcome.status == 1)
        // All others around the fixes are named as not asked for: 6 columns and 5 rows at zoom 13 and this margin.
        #expect(had.notAsked == 25 && had.missing == 0 && had.failed == 0)
        let bytes = try await fetch("ok", ["--kind", "dem", "--max-mb", "0.001", "--max-tiles", "1000"])
        // A tile has 851 bytes: the second goes beyond the limit, and is the last.
        #expect(try bytes.asked.count == 2 && result(bytes.outcome).notAsked == 23)
    }

    @Test func theBoxGoesAcrossTheAntimeridianAndStopsAtThePoles() async throws {
        try writeFixes([(10, 179.999), (10, -179.999)])
        let (outcome, asked) = try await fetch("ok", ["--kind", "dem", "--margin-m", "0"])
        #expect(try result(outcome).fetched == 2)
        #expect(Set(asked.map { $0.split(separator: "/")[2] }) == ["0", "8191"])
        try writeFixes([(90, 0), (-90, 0)])
        let poles = try await fetch("ok", ["--kind", "dem", "--margin-m", "0", "--max-tiles", "3"])
        // One column of 8192 rows, from pole to pole.
        #expect(poles.outcome.status == 1, "\(poles.outcome)")
        #expect(try poles.asked.count == 3 && result(poles.outcome).notAsked == 8189)
    }

    @Test(
        arguments: [
            // How often the tile is asked for, and what is said.
            ("404", 1, "missing"), ("500", 4, "status 500"), ("html", 1, "found text/html"),
            ("endless", 1, "at most 16 MiB"), ("short", 4, "IncompleteRead"), ("elsewhere", 1, "not followed"),
            ("loop", 4, "redirect"), ("slow", 4, "timed out"),
        ]
    )
    func badAnswersCostOnlyTheTile(mode: String, attempts: Int, words: String) async throws {
        try writeFixes([(48.137, 11.575)])
        let options = ["--kind", "dem", "--margin-m", "0", "--timeout", mode == "slow" ? "0.3" : "20"]
        let (outcome, asked) = try await fetch(mode, options)
        let had = try result(outcome)
        #expect(outcome.status == 1 && had.fetched == 0 && !asked.isEmpty && had.requests <= 4, "\(outcome)")
        if mode == "404" {
            #expect(had.missing == 1 && had.problems.isEmpty && asked.count == attempts)
            // The answer is kept: nobody is asked again, unless that is wanted.
            #expect(try await fetch(mode, options).asked.isEmpty)
            #expect(try await fetch("ok", options + ["--refresh"]).outcome.status == 0)
        } else {
            #expect(had.failed == 1 && had.problems.count == 1)
            #expect(had.problems.first?.lowercased().contains(words.lowercased()) == true, "\(had.problems)")
            #expect(!FileManager.default.fileExists(atPath: session + "/tiles"))
        }
    }

    @Test(arguments: ["429", "flaky", "redirect"])
    func passingTroublesAreOvercome(mode: String) async throws {
        try writeFixes([(48.137, 11.575)])
        let (outcome, asked) = try await fetch(mode, ["--kind", "dem", "--margin-m", "0"])
        #expect(outcome.status == 0, "\(outcome)")
        #expect(try result(outcome).fetched == 1)
        #expect(asked.count == (mode == "429" ? 3 : 2))
    }

    @Test func aProviderThatFailsThreeTimesIsGivenUp() async throws {
        try writeFixes([(48.1, 11.5), (48.2, 11.7)])
        let (outcome, asked) = try await fetch("500", ["--kind", "dem", "--retries", "0"])
        let had = try result(outcome)
        #expect(asked.count == 3 && had.failed == 3 && had.notAsked > 0 && had.givenUp.keys.contains("dem"))
    }

    @Test func whatIsThereIsKept() async throws {
        try writeFixes([(48.137, 11.575)])
        try FileManager.default.createDirectory(atPath: session + "/tiles/mine", withIntermediateDirectories: true)
        let mine = #"{"layers": [{"kind": "dem", "path": "tiles/mine", "name": "kept"}], "note": 1}"#
        try mine.write(toFile: session + "/tiles/manifest.json", atomically: true, encoding: .utf8)
        _ = try await fetch("ok", ["--margin-m", "0"])
        let text = try String(contentsOfFile: session + "/tiles/manifest.json", encoding: .utf8)
        #expect(text.contains("\"kept\"") && text.contains("\"note\": 1") && text.contains("tiles/sat/l/static"))
        try "no manifest".write(toFile: session + "/tiles/manifest.json", atomically: true, encoding: .utf8)
        let refused = try await fetch("ok", ["--margin-m", "0"])
        #expect(refused.outcome.status == 66 && refused.asked.isEmpty)
        #expect(try String(contentsOfFile: session + "/tiles/manifest.json", encoding: .utf8) == "no manifest")
    }

    @Test(
        arguments: [
            (["--zoom", "31"], 2, "--zoom"), (["--provider", "nobody"], 2, "nobody"),
            (["--max-tiles", "-1"], 2, "--max-tiles"), (["--date", "today"], 2, "--date"),
        ]
    )
    func wrongOptionsAreNamed(options: [String], status: Int32, words: String) async throws {
        try writeFixes([(48, 11)])
        let outcome = try await ChildProcess(Repository.path("tools/fetch-tiles"), [session] + options).finish()
        #expect(outcome.status == status && outcome.errors.contains(words), "\(outcome)")
    }

    @Test func sessionsWithoutFixesAreRefused() async throws {
        let tool = Repository.path("tools/fetch-tiles")
        let nothing = try await ChildProcess(tool, [session]).finish()
        #expect(nothing.status == 66 && nothing.errors.contains("expected a session folder"))
        try writeFixes([])
        let empty = try await ChildProcess(tool, [session]).finish()
        #expect(empty.status == 66 && empty.errors.contains("gps.jsonl"))
        // What is no fix is counted.
        try "nonsense\n{\"latitude\":91,\"longitude\":0}\n{\"latitude\":48,\"longitude\":11}\n"
            .write(toFile: session + "/gps.jsonl", atomically: true, encoding: .utf8)
        let dry = try await ChildProcess(tool, [session, "--dry-run"]).finish()
        #expect(dry.status == 0 && dry.output.contains("nasa_gibs: 1 tiles at zoom 9"))
        let (outcome, _) = try await fetch("ok", ["--margin-m", "0"])
        #expect(try result(outcome).badFixes == 2)
    }
}
