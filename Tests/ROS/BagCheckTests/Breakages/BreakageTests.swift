import BagTools
import SystemPackage
import TestSupport
import Testing

/// Good bags broken in every way that the peers look for: what they find, the check finds.
@Suite("Check: broken bags", .enabled(if: PeerPython.isAvailable, Comment(rawValue: PeerPython.absence)))
struct BreakageTests {
    @Test("what the peers find in a broken bag, the check finds")
    func broken() async throws {
        let directory = try TemporaryDirectory()
        let unbroken = [Breakage.Base.cdr, .json, .mcap].map { base in
            Breakage(name: "\(base), not broken", base: base, code: "pass", kinds: [], isFoundByPeer: false)
        }
        let breakages = unbroken + Breakage.all
        let verdicts = try await BrokenBags.make(breakages, in: directory)
        for (breakage, verdict) in zip(breakages, verdicts) {
            let report = try BagChecker.check(FilePath(verdict.path), options: ImageDecoding.options)
            let peers = "\(breakage.name)\npeer: \(verdict.problems.prefix(8))\n\(report.text)"
            if breakage.kinds.isEmpty {
                #expect(verdict.status == 0 && report.complaints.isEmpty, "\(peers)")
                continue
            }
            #expect(!breakage.isFoundByPeer || verdict.status != 0, "\(peers)")
            // Padding is what half of all recorders leave as it was in memory.
            let found = report.findings.filter { finding in
                breakage.kinds.contains(finding.kind) && (finding.severity > .note || finding.kind == .messagePadding)
            }
            #expect(!found.isEmpty, "\(peers)")
            #expect(!breakage.isError || found.contains { $0.severity == .error }, "\(peers)")
            #expect(!breakage.isError || !report.isSound, "\(peers)")
        }
    }
}
