import Foundation
import Testing

/// `probe`, against servers that cost what they are told to.
@Suite(
    .serialized,
    .enabled(if: Peer.isAvailable, Comment(rawValue: Peer.absence)),
    .timeLimit(.minutes(3))
)
struct ProbeTests {
    private let folder: Scratch

    init() throws { folder = try Scratch() }

    private func probe(_ server: MeasuredServer, _ options: [String]) async throws -> (ProbeFigures, Outcome) {
        let outcome = try await Binary.run(["probe", "--url", server.url, "--json"] + options)
        return (try ProbeFigures(outcome), outcome)
    }

    /// Compares a rate with what the server did by its own clock in the time that the rate speaks of.
    private func expectAgreement(_ payload: ProbeFigures.Payload, _ published: [MeasuredServer.Entry]) throws {
        let rate = try #require(payload.sustained)
        try #require(published.count > rate.messages)
        let seconds = published[published.count - 1].at - published[published.count - 1 - rate.messages].at
        #expect(abs(rate.seconds - seconds) < seconds * 0.1, "\(rate) and \(seconds) s")
        #expect(payload.confirmed == payload.sent && payload.problem == nil)
        // The units are what they are called.
        #expect(abs(rate.messages_per_s - Double(rate.messages) / rate.seconds) < 1e-6)
        #expect(abs(rate.payload_mb_per_s - rate.messages_per_s * Double(payload.payload_bytes) / 1e6) < 1e-6)
        #expect(abs(rate.json_mb_per_s * rate.seconds * 1e6 / Double(rate.messages) - Double(payload.json_bytes)) < 20)
        #expect(abs(rate.json_mbit_per_s - rate.json_mb_per_s * 8) < 1e-6)
    }

    /// The server of the measurements: 90 ms for 1,048,576 bytes.
    ///
    /// No figure can be better than what the server was told; how much worse it is the server's own clock says.
    @Test func findsWhatARealServerShows() async throws {
        let server = try await MeasuredServer.start(folder, ["--per-megabyte", "0.08582", "--barrier", "0.03"])
        let (figures, outcome) = try await probe(server, ["--payload", "1MiB", "--duration", "5", "--count", "10"])
        let entries = try await server.finish()
        #expect(outcome.status == 0, "\(outcome)")
        let payload = try #require(figures.payloads.first)
        let published = entries.events("publish")
        try expectAgreement(payload, published)
        #expect(payload.payload_bytes == 1_048_576 && (payload.sustained?.messages_per_s ?? 99) < 11.2)
        let behind = try #require(payload.barrier_behind)
        #expect(behind.n == 10 && behind.min_ms >= 119.9)
        let ping = try #require(figures.ping), barrier = try #require(figures.barrier)
        #expect(barrier.n == 10 && barrier.min_ms >= 30 && ping.n == 10)
        #expect(ping.median_ms < barrier.min_ms)
        #expect(figures.tcp_connect?.n == 10 && figures.websocket_handshake?.n == 10)
        #expect(figures.name_resolution == nil && figures.tls_handshake == nil && !figures.compressed)
        #expect(published.count == payload.sent + 10)
        #expect(published.allSatisfy { abs(($0.length ?? 0) - payload.json_bytes) < 20 && $0.data == 1_048_578 })
    }

    @Test func severalPayloadsInOneRun() async throws {
        let server = try await MeasuredServer.start(folder, ["--per-megabyte", "0.05", "--per-message", "0.002"])
        let options = ["--payload", "16KiB", "100kB", "1000001", "--duration", "1.5", "--count", "5"]
        let (figures, outcome) = try await probe(server, options + ["--topic", "/test/load", "--connections", "2"])
        let entries = try await server.finish()
        #expect(outcome.status == 0, "\(outcome)")
        #expect(figures.payloads.map(\.payload_bytes) == [16_384, 100_000, 1_000_001])
        #expect(figures.tcp_connect?.n == 2)
        for payload in figures.payloads {
            try expectAgreement(
                payload,
                entries.events("publish").filter { $0.data.map { abs($0 - payload.payload_bytes) < 4 } ?? false }
            )
            let told = 1 / (0.002 + 0.05 * Double(payload.payload_bytes) / 1e6)
            #expect((payload.sustained?.messages_per_s ?? 1e9) < told * 1.02 && payload.barrier_behind?.n == 5)
        }
        // The topic is announced once, and taken back at the end; nothing is refused, every stamp is one.
        #expect(entries.events("advertise").map(\.topic) == ["/test/load"])
        #expect(entries.events("advertise").map(\.type) == ["sensor_msgs/msg/PointCloud2"])
        #expect(entries.events("unadvertise").map(\.topic) == ["/test/load"])
        #expect(!entries.contains { ["refused", "forgotten", "unworked"].contains($0.event) })
        #expect(entries.events("closed").map(\.code) == [1000, 1000])
        let stamps = entries.events("publish").compactMap(\.stamp)
        let now = Int64(Date().timeIntervalSince1970 * 1e9)
        #expect(stamps == stamps.sorted() && stamps.allSatisfy { abs($0 - now) < 600_000_000_000 })
        #expect(figures.meaning.contains { $0.contains("--rate") })
    }

    @Test func slowBarriersAreNoSlowNetwork() async throws {
        let server = try await MeasuredServer.start(folder, ["--barrier", "0.2"])
        let (figures, outcome) = try await probe(server, ["--payload", "100", "--duration", "2", "--count", "3"])
        #expect(outcome.status == 0, "\(outcome)")
        let ping = try #require(figures.ping), barrier = try #require(figures.barrier)
        #expect(barrier.min_ms >= 200 && ping.median_ms < 150)
        #expect(figures.payloads.first?.barrier_behind.map { $0.min_ms >= 200 } == true)
        #expect(figures.meaning.contains { $0.contains("slow to answer") })
        _ = try await server.finish()
    }

    @Test func answersThatNobodyAskedForCountForNothing() async throws {
        let server = try await MeasuredServer.start(
            folder,
            ["--babble", "--per-message", "0.01", "--barrier", "0.005"]
        )
        let (figures, outcome) = try await probe(server, ["--payload", "1KiB", "--duration", "1", "--count", "5"])
        #expect(outcome.status == 0, "\(outcome)")
        let entries = try await server.finish()
        #expect(figures.ping?.n == 5 && figures.barrier.map { $0.n == 5 && $0.min_ms >= 5 } == true)
        try expectAgreement(try #require(figures.payloads.first), entries.events("publish"))
        let none = try await MeasuredServer.start(folder)
        let (short, _) = try await probe(none, ["--duration", "0"])
        #expect(short.payloads.isEmpty && short.barrier?.n == 20)
        #expect(!(try await none.finish()).contains { $0.event == "publish" })
    }

    @Test func withoutAnswersNoRateIsClaimed() async throws {
        let server = try await MeasuredServer.start(folder, ["--silent"])
        let options = ["--timeout", "0.3", "--payload", "1KiB", "1MiB"]
        let (figures, outcome) = try await probe(server, options)
        #expect(outcome.status == 0, "\(outcome)")
        #expect(figures.ping?.n == 20 && figures.barrier == nil && figures.unanswered_barriers == 1)
        #expect(figures.payloads.allSatisfy { $0.sustained == nil && $0.sent == 0 })
        #expect(figures.payloads.allSatisfy { $0.problem?.hasPrefix("not confirmed") == true })
        let entries = try await server.finish()
        #expect(!entries.contains { $0.event == "publish" } && entries.contains { $0.event == "unadvertise" })
        let other = try await MeasuredServer.start(folder, ["--silent"])
        let text = try await Binary.run(["probe", "--url", other.url] + options)
        #expect(text.output.contains("barrier: not answered") && !text.output.contains("msg/s"), "\(text)")
        _ = try await other.finish()
    }

    /// A server that answers for a while only: what it confirmed by then is known, and no more is said.
    @Test func answersThatStop() async throws {
        let server = try await MeasuredServer.start(
            folder,
            ["--answers-until", "40", "--per-message", "0.01"]
        )
        let options = ["--payload", "1KiB", "--count", "5", "--timeout", "1", "--duration", "30"]
        let (figures, outcome) = try await probe(server, options)
        #expect(outcome.status == 0, "\(outcome)")
        let payload = try #require(figures.payloads.first)
        #expect(payload.barrier_behind?.n == 5)
        #expect(payload.problem?.contains("expected an answer to a barrier within 1.0 seconds") == true, "\(payload)")
        #expect(payload.confirmed > 0 && payload.confirmed <= 40 && payload.confirmed < payload.sent)
        _ = try await server.finish()
    }

    @Test(arguments: ["1011", "1001", "0"])
    func aConnectionThatEndsLeavesTheFiguresSoFar(code: String) async throws {
        let server = try await MeasuredServer.start(folder, ["--close-after", "30", "--close-code", code])
        let (figures, outcome) = try await probe(server, ["--payload", "64KiB", "16KiB", "--duration", "20"])
        #expect(outcome.status == 69 && outcome.errors.hasPrefix("mapeverything: ws://127.0.0.1:"), "\(outcome)")
        #expect(figures.ping?.n == 20 && figures.barrier?.n == 20)
        #expect(figures.payloads.map(\.payload_bytes) == [65_536])
        #expect(figures.payloads[0].barrier_behind?.n == 20 && figures.payloads[0].problem != nil)
        if code != "0" { #expect(outcome.errors.contains("closed with \(code)") && figures.error != nil, "\(outcome)") }
        _ = try await server.finish()
    }

    /// A frame that is too large costs its own figures; others are still taken, and fragments help.
    @Test func framesThatAreTooLarge() async throws {
        let server = try await MeasuredServer.start(folder, ["--max-message-size", "1000000"])
        let options = ["--payload", "1MiB", "16KiB", "--duration", "0.5", "--count", "3"]
        let (figures, outcome) = try await probe(server, options)
        #expect(outcome.status == 69 && outcome.errors.contains("1009"), "\(outcome)")
        #expect(outcome.errors.contains("max_message_size") && outcome.errors.contains("--max-message-size"))
        #expect(figures.payloads[0].problem?.contains("1009") == true && figures.payloads[0].sustained == nil)
        #expect(figures.payloads[1].problem == nil && figures.payloads[1].sustained != nil)
        let (fitting, success) = try await probe(server, options + ["--max-message-size", "1000000"])
        #expect(success.status == 0 && fitting.payloads.allSatisfy { $0.sustained != nil }, "\(success)")
        let entries = try await server.finish()
        let fragments = entries.filter { $0.event == "fragment" }.compactMap(\.length)
        #expect(!fragments.isEmpty && fragments.allSatisfy { $0 <= 1_000_000 })
        #expect(fragments.contains { $0 > 990_000 })
    }

    @Test func theLargestFrameIsTakenAsOne() async throws {
        let server = try await MeasuredServer.start(folder)
        // 7.4 MB of data are less than 10,000,000 bytes of JSON, 7.6 MB are more.
        let options = ["--payload", "7400000", "7600000", "--duration", "0.2", "--count", "2"]
        let (figures, outcome) = try await probe(server, options)
        #expect(outcome.status == 0, "\(outcome)")
        #expect(figures.payloads.map { $0.json_bytes < 10_000_000 } == [true, false])
        let entries = try await server.finish()
        let first = entries.firstIndex { $0.event == "fragment" } ?? 0
        #expect(entries[..<first].contains { $0.event == "publish" && ($0.data ?? 0) >= 7_400_000 })
        #expect(entries.filter { $0.event == "fragment" }.allSatisfy { ($0.length ?? 0) <= 10_000_000 })
    }

    @Test func interruptsEndInOrder() async throws {
        let server = try await MeasuredServer.start(folder, ["--per-megabyte", "0.1", "--status"])
        let process = try Binary.start([
            "probe", "--url", server.url, "--payload", "100KiB", "--duration", "600", "--json",
        ])
        // Its connection is that of the load as soon as messages come.
        try await waitForLoad(server)
        await process.signal(SIGINT)
        let outcome = try await process.finish(seconds: 60)
        #expect(outcome.status == 130, "\(outcome)")
        let figures = try ProbeFigures(outcome)
        #expect(figures.interrupted && figures.error == nil && figures.ping?.n == 20)
        #expect(figures.warnings == ["the server says (warning): odd"])
        let entries = try await server.finish()
        #expect(entries.filter { $0.event == "closed" }.allSatisfy { $0.code == 1000 })
        #expect(entries.contains { $0.event == "unadvertise" })
    }

    private func waitForLoad(_ server: MeasuredServer) async throws {
        _ = try await server.process.waitForOutput("published 30")
    }

    @Test func namesAndCompressionAreMeasuredToo() async throws {
        let server = try await MeasuredServer.start(folder, ["--compress"])
        let outcome = try await Binary.run(
            ["probe", "--json", "--compress", "--payload", "1KiB", "--duration", "0.2", "--connections", "3"],
            environment: ["MAPEVERYTHING_URL": "ws://anna:secret@localhost:\(server.port)/x?token=secret"]
        )
        #expect(outcome.status == 0 && !outcome.everything.contains("secret"), "\(outcome)")
        let figures = try ProbeFigures(outcome)
        #expect(figures.name_resolution?.n == 3 && figures.compressed)
        #expect(figures.address == "127.0.0.1:\(server.port)" && figures.payloads[0].sustained != nil)
        _ = try await server.finish()
    }

    @Test(.enabled(if: Certificate.isAvailable, Comment(rawValue: Certificate.absence)))
    func tlsIsAFigureOfItsOwn() async throws {
        let certificate = try await Certificate.make(in: folder)
        let server = try await MeasuredServer.start(folder, ["--tls", certificate.path, certificate.key])
        let options = ["--json", "--payload", "200KiB", "--duration", "0.5", "--connections", "4"]
        let url = "wss://localhost:\(server.port)"
        let outcome = try await Binary.run(["probe", "--url", url, "--ca", certificate.path] + options)
        #expect(outcome.status == 0, "\(outcome)")
        let figures = try ProbeFigures(outcome)
        #expect(figures.tls_handshake?.n == 4 && figures.websocket_handshake?.n == 4 && figures.tcp_connect?.n == 4)
        #expect(figures.payloads[0].sustained != nil)
        let untrusted = try await Binary.run(["probe", "--url", url] + options)
        untrusted.expectError(69, naming: "TLS", "certificate")
        let otherName = try await Binary.run(
            ["probe", "--url", "wss://127.0.0.1:\(server.port)", "--ca", certificate.path] + options
        )
        otherName.expectError(69, naming: "TLS", "for this host")
        _ = try await server.finish()
    }

    @Test(arguments: ["200", "301", "401", "404", "426", "503", "close", "garbage", "accept", "cut", "masked"])
    func serversOfOtherKinds(kind: String) async throws {
        let server = try Peer.start("failing_server.py", [kind])
        let url = "127.0.0.1:\(try await server.waitForPort())"
        let outcome = try await Binary.run(["probe", "--url", url, "--connections", "1"])
        #expect(outcome.status == 69 && outcome.errors.hasPrefix("mapeverything: ws://\(url): "), "\(outcome)")
        if Int(kind) != nil { outcome.expectError(69, naming: url, kind) }
    }

    @Test func serversThatSayNothing() async throws {
        let server = try Peer.start("failing_server.py", ["stalled"])
        let url = "127.0.0.1:\(try await server.waitForPort())"
        let options = ["--connections", "1", "--timeout", "0.3", "--json"]
        let outcome = try await Binary.run(["probe", "--url", url] + options)
        #expect(outcome.status == 69 && outcome.errors.contains("found silence"), "\(outcome)")
        #expect(try ProbeFigures(outcome).websocket_handshake?.n == 1)
    }

    @Test func nobodyListens() async throws {
        for url in ["127.0.0.1:1", "[::1]:1", "wss://127.0.0.1:1", "localhost:1"] {
            try await Binary.run(["probe", "--url", url]).expectError(69, naming: "connect", "refused")
        }
        let unknown = try await Binary.run(["probe", "--url", "ws://u:secret@nowhere.invalid/?t=secret"])
        unknown.expectError(69, naming: "nowhere.invalid", "resolve")
        #expect(!unknown.errors.contains("secret"))
    }

    @Test(arguments: [
        ["--url", "http://x"], ["--url", "x", "--duration=-1"], ["--url", "x", "--duration", "nan"],
        ["--url", "x", "--count", "0"], ["--url", "x", "--connections", "0"], ["--url", "x", "--timeout", "0"],
        ["--url", "x", "--timeout=inf"], ["--url", "x", "--payload", "0"], ["--url", "x", "--payload", "1GB"],
        ["--url", "x", "--payload", "999MB"], ["--url", "x", "--max-message-size", "10"],
        ["--url", "x", "--topic", "no/slash"], ["--url", "x", "--header", "nonsense"],
    ])
    func refusesValuesThatCannotBeMeant(options: [String]) async throws {
        let isParsers = options.contains("1GB")
        try await Binary.run(["probe"] + options).expectError(2, isShaped: !isParsers)
    }
}
