import Foundation
import SystemPackage
import TestSupport
import Testing

/// A few cases of the campaign of tools/fuzz: whole commands on mutated bags and sessions, held to what others count.
@Suite(
    "Whole commands on mutated input",
    .enabled(if: Peer.isAvailable, Comment(rawValue: Peer.absence)),
    .timeLimit(.minutes(10))
)
struct MutationCampaignTests {
    @Test func holds() async throws {
        let directory = try TemporaryDirectory()
        let interpreter = try #require(PeerPython.interpreter)
        let process = try ChildProcess(
            interpreter,
            [
                "-B", Checkout.path("tools/fuzz/campaign/run.py").string, "--binary", Binary.path,
                "--bags", "60", "--sessions", "24", "--ends", "300", "--seed", "1", "--keep",
                directory.appending("broken").string,
            ]
        )
        let outcome = try await process.finish()
        #expect(outcome.status == 0 && outcome.output.hasSuffix("384 passed, 0 failed\n"), "\(outcome.everything)")
    }
}
