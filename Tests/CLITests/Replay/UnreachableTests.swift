import Foundation
import Testing

/// Servers that cannot be published to: status 69.
@Suite(.serialized) struct UnreachableTests {
    @Test func nobodyListens() async throws {
        let session = try await Samples.plain.value
        for url in ["127.0.0.1:1", "[::1]:1", "wss://127.0.0.1:1"] {
            let outcome = try await Binary.run(["replay", session, "--url", url])
            outcome.expectError(69, naming: "connect", "refused")
            let fromEnvironment = try await Binary.run(["replay", session], environment: ["MAPEVERYTHING_URL": url])
            #expect(fromEnvironment.errors == outcome.errors)
        }
        let unknown = try await Binary.run([
            "replay", session, "--url", "ws://user:secret@nowhere.invalid/?token=secret",
        ])
        unknown.expectError(69, naming: "nowhere.invalid")
        #expect(!unknown.errors.contains("secret"))
    }

    @Test(
        .enabled(if: Peer.isAvailable, Comment(rawValue: Peer.absence)),
        arguments: [
            "200", "301", "401", "403", "404", "426", "500", "503", "close", "garbage", "accept", "cut", "masked",
        ]
    )
    func serversOfOtherKinds(kind: String) async throws {
        let folder = try Scratch()
        let server = try Peer.start("failing_server.py", [kind])
        let url = "127.0.0.1:\(try await server.waitForPort())"
        let bag = folder("bag")
        let options = ["--reconnect", "off", "--save-local", bag, "--settle", "0"]
        let outcome = try await Binary.run(["replay", try await Samples.plain.value, "--url", url] + options)
        outcome.expectError(69, naming: url)
        if Int(kind) != nil { #expect(outcome.errors.contains(kind), "\(outcome)") }
        await server.signal(SIGTERM)
    }

    @Test(.enabled(if: Peer.isAvailable, Comment(rawValue: Peer.absence)))
    func serversThatStopReading() async throws {
        let folder = try Scratch()
        let server = try Peer.start("failing_server.py", ["stalled"])
        let url = "127.0.0.1:\(try await server.waitForPort())"
        let bag = folder("bag")
        let session = try await Samples.plain.value
        let options = [
            "--rate", "max", "--loop", "1000", "--reconnect", "off", "--settle", "0", "--save-local", bag,
            "--barrier-timeout", "0.5", "--stall-timeout", "2", "--no-confirm",
        ]
        let (measured, outcome) = try await Measured.run(["replay", session, "--url", url] + options)
        #expect(measured.status == 69, "\(outcome)")
        #expect(measured.peak_kilobytes < 128 << 10)
        #expect(outcome.errors.contains("expected the other end to read"), "\(outcome)")
        let inspection: BagInspection = try await Binary.json(["inspect", bag, "--json"])
        #expect((inspection.count("/mapping/pose") ?? 0) > 0)
        if Peer.isAvailable { try await Conformance.check(bag) }
    }
}
