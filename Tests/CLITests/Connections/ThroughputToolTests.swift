import Foundation
import Glibc
import Testing

/// The benchmark that users of the phone app know, with all topics together.
@Suite(
    .serialized,
    .enabled(if: Peer.isAvailable, Comment(rawValue: Peer.absence)),
    .timeLimit(.minutes(3))
)
struct ThroughputToolTests {
    private struct Times: Decodable {
        var n: Int
    }

    private struct Result: Decodable {
        struct Profile: Decodable {
            var profile: String
            var topic: String
            var type: String
            var target_hz: Double?
            var observed_hz: Double?
            var due: Int?
            var messages: Int
            var payload_bytes: Int
            var json_bytes: Int
            var json_mb_per_s: Double
            var json_mbit_per_s: Double
            var latency: Times?
        }

        var dry_run: Bool
        var duration_s: Double
        var profiles: [Profile]
        var messages: Int?
        var json_mb_per_s: Double?
        var elapsed_s: Double?
        var idle_ping_ms: Double?
        var idle_barrier_ms: Double?
        var rate_not_reached_by: [String]?
        var warnings: [String]?
        var interrupted: Bool?
    }

    private let folder: Scratch

    init() throws { folder = try Scratch() }

    private func start(_ arguments: [String]) throws -> ChildProcess {
        let environment = ["MAPEVERYTHING_BINARY": Binary.path]
        return try ChildProcess(
            Repository.path("tools/rosbridge-throughput-benchmark"),
            arguments,
            environment: environment
        )
    }

    private func run(_ arguments: [String]) async throws -> Outcome { try await start(arguments).finish() }

    private func result(_ outcome: Outcome) throws -> Result {
        try JSONDecoder().decode(Result.self, from: Data(outcome.output.utf8))
    }

    /// Raw bytes and rates that the phone app's benchmark has, with the size of the whole depth image for its cloud.
    private static let known: [String: (bytes: Int, hertz: Double)] = [
        "camera": (92_000, 10), "lidar-point-cloud": (110_000, 5), "depth-anything-point-cloud": (3_248_896, 5),
        "depth-anything-calibration": (1024, 5), "mesh": (512_000, 0.5), "satellite": (160_000, 1.0 / 60),
        "dem": (262_144, 1.0 / 60),
    ]

    @Test func dryRunsSayWhatWouldBeSent() async throws {
        let outcome = try await run(["--dry-run", "--json", "--duration", "30"])
        #expect(outcome.status == 0, "\(outcome)")
        let plan = try result(outcome)
        #expect(plan.dry_run && plan.duration_s == 30)
        for (name, (bytes, hertz)) in Self.known {
            let profile = try #require(plan.profiles.first { $0.profile == name })
            #expect(profile.payload_bytes == bytes && profile.target_hz == hertz, "\(name)")
            #expect(profile.messages == max(1, Int(30 * hertz)), "\(name)")
            // Base64 needs four bytes for three; names and numbers a little more.
            let length = name.hasSuffix("calibration") ? bytes : (bytes + 2) / 3 * 4
            #expect(profile.json_bytes > length && profile.json_bytes < length + 1500, "\(name)")
            #expect(abs(profile.json_mb_per_s - Double(profile.json_bytes) * hertz / 1e6) < 1e-9)
            #expect(abs(profile.json_mbit_per_s - profile.json_mb_per_s * 8) < 1e-9)
        }
        // All topics that the app publishes by default, and the mesh.
        struct Entry: Decodable {
            var name: String
            var in_app: Bool
        }
        let catalogue: [Entry] = try await Binary.json(["topics", "--json"])
        let names = Set(catalogue.filter(\.in_app).map(\.name))
        #expect(Set(plan.profiles.map(\.topic)) == names.union(["/mapping/mesh_snapshot"]))
        let table = try await run(["--dry-run", "--profiles", "dem", "mesh", "--namespace", "robot"])
        #expect(table.status == 0 && table.output.contains("| dem ") && table.output.contains("nothing was sent"))
        #expect(table.output.contains("/robot/mapping/dem/tile") && !table.output.contains("camera"), "\(table)")
    }

    @Test func everyProfileIsSentAtItsRateAndConfirmed() async throws {
        let server = try await MeasuredServer.start(folder)
        let outcome = try await run(["--url", "ws://\(server.url)", "--duration", "2", "--json"])
        #expect(outcome.status == 0, "\(outcome)")
        let measured = try result(outcome)
        let entries = try await server.finish()
        #expect(!entries.contains { ["refused", "forgotten", "unworked"].contains($0.event) })
        #expect(entries.events("closed").map(\.code) == [1000])
        #expect(entries.events("advertise").count == 12 && entries.events("unadvertise").count == 12)
        for profile in measured.profiles {
            let came = entries.events("publish").filter { $0.topic == profile.topic }
            #expect(came.count == profile.messages && profile.messages <= profile.due ?? 0, "\(profile)")
            #expect(came.reduce(0) { $0 + ($1.length ?? 0) } == profile.json_bytes, "\(profile)")
            #expect(entries.events("advertise").first { $0.topic == profile.topic }?.type == profile.type)
            #expect((profile.observed_hz ?? 99) <= (profile.target_hz ?? 0) * 1.0001, "\(profile)")
            #expect(came.allSatisfy { ($0.stamp ?? 0) % 1_000_000_000 < 1_000_000_000 && ($0.stamp ?? 0) > 0 })
            if profile.target_hz.map({ $0 <= 1 }) == true {
                #expect(profile.latency?.n == profile.messages, "\(profile)")
            }
        }
        // Together, not one after the other: what is due at once comes at once, and the rest in between.
        let topics = entries.events("publish").compactMap(\.topic)
        #expect(Set(topics.prefix(12)).count == 12)
        #expect(topics.suffix(3).count { $0 == "/mapping/pose" } >= 1)
        #expect(measured.messages == entries.events("publish").count)
    }

    /// A server that cannot keep up: what it confirmed counts, not what was handed to a socket.
    @Test func observedRatesAreThoseOfTheServer() async throws {
        let server = try await MeasuredServer.start(folder, ["--per-message", "0.25"])
        let options = ["--profiles", "camera", "lidar-point-cloud", "--duration", "3"]
        let outcome = try await run(["--url", server.url, "--json"] + options)
        #expect(outcome.status == 0, "\(outcome)")
        let measured = try result(outcome)
        let published = try await server.finish().events("publish")
        let total = measured.profiles.reduce(0) { $0 + ($1.observed_hz ?? 0) }
        // Four a second is what it was told, of fifteen that were asked.
        #expect(total < 4.3, "\(measured)")
        let seconds = published[published.count - 1].at - published[0].at
        let elapsed = try #require(measured.elapsed_s)
        #expect(abs(elapsed - seconds - 0.25) < elapsed * 0.1, "\(elapsed) and \(seconds)")
        #expect(measured.messages == published.count)
    }

    /// What a person asks of a server: how many bytes a second it takes, and whether it or the network is slow.
    @Test func payloadsAreSentAsFastAsTheServerTakesThem() async throws {
        // 90 ms for 1,048,576 bytes; answers to what nobody asked count for nothing.
        let costs = ["--per-megabyte", "0.08582", "--barrier", "0.03", "--babble", "--status"]
        let server = try await MeasuredServer.start(folder, costs)
        let outcome = try await run(["--url", server.url, "--json", "--payload", "1048576", "--duration", "4"])
        #expect(outcome.status == 0, "\(outcome)")
        let measured = try result(outcome)
        let published = try await server.finish().events("publish")
        let profile = try #require(measured.profiles.first)
        #expect(measured.profiles.count == 1 && profile.target_hz == nil && measured.rate_not_reached_by == [])
        #expect(profile.messages == published.count && published.allSatisfy { $0.data == 1_048_578 })
        #expect(published.allSatisfy { $0.topic == "/mapping/throughput" })
        // No figure can be better than what the server was told; how much worse it is the server's own clock says.
        let rate = try #require(profile.observed_hz)
        let seconds = published[published.count - 1].at - published[0].at
        #expect(rate < 11.2 && rate > Double(published.count - 1) / seconds * 0.85, "\(measured)")
        let (ping, barrier) = (try #require(measured.idle_ping_ms), try #require(measured.idle_barrier_ms))
        #expect(barrier >= 30 && ping < barrier)
        #expect(measured.warnings == ["the server says (warning): odd"])
    }

    /// A server that answers for a while only: what it confirmed by then is known, and no more is said.
    @Test func answersThatStop() async throws {
        let server = try await MeasuredServer.start(folder, ["--answers-until", "40", "--per-message", "0.01"])
        let options = ["--payload", "1024", "--timeout", "1", "--duration", "3"]
        let outcome = try await run(["--url", server.url, "--json"] + options)
        #expect(outcome.status == 2 && outcome.errors.contains("expected an answer to a barrier"), "\(outcome)")
        if !outcome.output.isEmpty { #expect(try result(outcome).profiles.allSatisfy { $0.messages <= 40 }) }
        _ = try await server.finish()
    }

    @Test func largeMessagesGoInFragments() async throws {
        let server = try await MeasuredServer.start(folder)
        // 7.4 MB of data are less than 10,000,000 bytes of JSON, 7.6 MB are more.
        for payload in ["7400000", "7600000"] {
            let outcome = try await run(["--url", server.url, "--payload", payload, "--duration", "0.1"])
            #expect(outcome.status == 0 && outcome.output.contains("| payload "), "\(outcome)")
        }
        let entries = try await server.finish()
        let first = try #require(entries.firstIndex { $0.event == "fragment" })
        #expect(entries[..<first].contains { $0.event == "publish" && ($0.data ?? 0) >= 7_400_000 })
        #expect(entries.filter { $0.event == "fragment" }.allSatisfy { ($0.length ?? 0) <= 10_000_000 })
    }

    @Test func tablesHaveMegabytesAndMegabits() async throws {
        let server = try await MeasuredServer.start(folder)
        let outcome = try await run(["--url", server.url, "--duration", "1", "--profiles", "camera", "dem"])
        #expect(outcome.status == 0, "\(outcome)")
        let lines = outcome.output.split(separator: "\n")
        let header = lines[0].split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
        #expect(lines[1].hasPrefix("| ---"))
        let names = ["json_mb_per_s", "json_mbit_per_s"]
        for line in lines[2...3] {
            let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
            let rates = try names.map { try #require(header.firstIndex(of: $0).flatMap { Double(cells[$0]) }) }
            #expect(abs(rates[1] - rates[0] * 8) < 0.01, "\(line)")
        }
        let totals = names.compactMap { name in lines.first { $0.hasPrefix("- \(name): ") } }
            .compactMap { Double($0.drop { $0 != ":" }.dropFirst(2)) }
        try #require(totals.count == 2)
        #expect(totals[0] > 0 && abs(totals[1] - totals[0] * 8) < 0.01, "\(outcome)")
        _ = try await server.finish()
    }

    @Test func interruptsLeaveTheFiguresSoFar() async throws {
        let server = try await MeasuredServer.start(folder)
        let process = try start(["--url", server.url, "--duration", "600", "--json"])
        _ = try await server.process.waitForOutput("published 50")
        await process.signal(SIGINT)
        let outcome = try await process.finish(seconds: 60)
        #expect(outcome.status == 130, "\(outcome)")
        #expect(try result(outcome).interrupted == true)
        let entries = try await server.finish()
        #expect(entries.events("unadvertise").count == 12 && entries.events("closed").map(\.code) == [1000])
    }

    @Test func nothingRunsEndsWithTwo() async throws {
        let silent = try await MeasuredServer.start(folder, ["--silent"])
        for arguments in [
            ["--url", "127.0.0.1:1"], ["--profiles", "nope"], ["--duration", "0"], ["--bogus"],
            ["--url", "http://x"], ["--payload", "0"], ["--payload", "9", "--profiles", "dem"],
            ["--url", silent.url, "--timeout", "0.3"], ["--namespace", "foo bar"],
        ] {
            let outcome = try await run(arguments)
            #expect(outcome.status == 2 && outcome.output.isEmpty && !outcome.errors.isEmpty, "\(outcome)")
        }
        let help = try await run(["--help"])
        #expect(help.status == 0 && help.output.contains("--profiles") && help.errors.isEmpty)
    }
}
