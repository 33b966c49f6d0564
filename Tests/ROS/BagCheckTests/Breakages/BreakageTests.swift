import BagCheck
import Bags
import Foundation
import SystemPackage
import TestSupport
import Testing

/// Good bags broken in every way that the peers look for: what they find, the check finds.
@Suite("Check: broken bags", .enabled(if: PeerPython.isAvailable, Comment(rawValue: PeerPython.absence)))
struct BreakageTests {
    private struct Task: Encodable {
        var name: String
        var base: String
        var code: String
    }

    private struct Verdict: Decodable {
        var name: String
        var path: String
        var status: Int
        var problems: [String]
    }

    @Test("what the peers find in a broken bag, the check finds")
    func broken() async throws {
        let directory = try TemporaryDirectory()
        try await writeBases(directory)
        let unbroken = [Breakage.Base.cdr, .json, .mcap].map { base in
            Breakage(name: "\(base), not broken", base: base, code: "pass", kinds: [], isFoundByPeer: false)
        }
        let breakages = unbroken + Breakage.all
        let verdicts = try judge(breakages, directory)
        try #require(verdicts.count == breakages.count)
        for (breakage, verdict) in zip(breakages, verdicts) {
            let report = try BagChecker.check(FilePath(verdict.path), options: ImageDecoding.options)
            let peers = "\(breakage.name)\npeer: \(verdict.problems.prefix(8))\n\(report.text)"
            if breakage.kinds.isEmpty {
                #expect(verdict.status == 0 && report.complaints.isEmpty, "\(peers)")
                continue
            }
            #expect(!breakage.isFoundByPeer || verdict.status != 0, "\(peers)")
            let found = report.findings.filter { breakage.kinds.contains($0.kind) && $0.severity > .note }
            #expect(!found.isEmpty, "\(peers)")
            #expect(!breakage.isError || found.contains { $0.severity == .error }, "\(peers)")
            #expect(!breakage.isError || !report.isSound, "\(peers)")
        }
    }

    /// A bag of another's: nothing in it says who wrote it.
    private func writeBases(_ directory: TemporaryDirectory) async throws {
        let messages = try CheckTraffic.messages(ticks: 40)
        for (name, serialization) in [("cdr", BagOptions.Serialization.cdr), ("json", .rosbridgeJSON)] {
            try await CheckTraffic.write(
                to: directory.appending(name),
                BagOptions(serialization: serialization, maximumChunkBytes: 4 << 20, maximumChunkSeconds: 1),
                messages: messages
            )
        }
        let arguments = ["make", directory.appending("cdr").string, directory.appending("mcap.mcap").string]
        _ = try PeerPython.output(of: BreakageProgram.text, arguments)
    }

    private func judge(_ breakages: [Breakage], _ directory: TemporaryDirectory) throws -> [Verdict] {
        let tasks = breakages.map { Task(name: $0.name, base: $0.base.rawValue, code: $0.code) }
        let outcome = try PeerPython.run(
            ["-c", BreakageProgram.text, "break", directory.path.string, Checkout.path("tools/peers").string],
            input: try JSONEncoder().encode(tasks)
        )
        try #require(outcome.status == 0, "\(outcome.everything)")
        return try JSONDecoder().decode([Verdict].self, from: Data(outcome.output.utf8))
    }
}
