import Foundation
import Testing

/// The Autobahn test suite, by which WebSocket clients are measured, against the transport of the command.
@Suite(.serialized, .enabled(if: FuzzingServer.isAvailable, Comment(rawValue: FuzzingServer.absence)))
struct AutobahnTests {
    private let folder: Scratch

    init() throws { folder = try Scratch() }

    /// Cases in which the echo of a message may not come before the violation behind it; docs/testing.md says why.
    private static let nonStrict: Set<String> = [
        "3.2", "3.3", "3.4", "4.1.3", "4.1.4", "4.1.5", "4.2.3", "4.2.4", "4.2.5", "5.15",
    ]

    private static let all = ProcessInfo.processInfo.environment["MAPEVERYTHING_FULL"] == "1"

    @Test("framing, pings, reserved bits, opcodes, fragments, UTF-8 and closing", .timeLimit(.minutes(5)))
    func everyRun() async throws {
        try await expectPasses(["1.*", "2.*", "3.*", "4.*", "5.*", "6.*", "7.*", "10.*"], count: 247)
    }

    @Test("all cases: large messages and compression too", .enabled(if: all, "takes minutes: tools/test --full"))
    func everything() async throws {
        try await expectPasses(["*"], count: 517)
    }

    private func expectPasses(_ cases: [String], count: Int) async throws {
        let server = try await FuzzingServer.start(folder.path, cases: cases)
        let client = try ChildProcess(Binary.tool("autobahn"), [server.url, "--agent", "ours"])
        let outcome = try await client.finish(seconds: 3000)
        #expect(outcome.status == 0, "\(outcome)")
        let verdicts = try await server.verdicts(on: "ours")
        #expect(verdicts.count == count)
        for (number, verdict) in verdicts {
            #expect(["OK", "NON-STRICT", "INFORMATIONAL"].contains(verdict.behavior), "\(number): \(verdict)")
            #expect(["OK", "INFORMATIONAL"].contains(verdict.behaviorClose), "\(number): \(verdict)")
            #expect(verdict.behavior != "NON-STRICT" || Self.nonStrict.contains(number), "\(number)")
        }
    }
}
