import Foundation
import SystemPackage
import TestSupport
import Testing

/// A sample of tools/faults: a call of a command fails, or the power goes; nothing that is wrong may look right.
@Suite(
    "Every failure at every call",
    .enabled(if: hasPrograms || PeerPython.isRequired, "needs cc and python3"),
    .timeLimit(.minutes(5))
)
struct FaultTests {
    @Test(arguments: [["--sample", "300"], ["--images", "1000"]])
    func holds(_ options: [String]) async throws {
        let directory = try TemporaryDirectory()
        let process = try ChildProcess(
            Checkout.path("tools/faults/run").string,
            options + ["--seed", "1", "--jobs", "2"],
            environment: [
                "MAPEVERYTHING_BINARY": Binary.path, "MAPEVERYTHING_FAULTS_BUILD": directory.appending("build").string,
            ]
        )
        let outcome = try await process.finish(seconds: 240)
        #expect(outcome.status == 0, "\(outcome.everything)")
    }
}

private let hasPrograms = ["cc", "python3"].allSatisfy { name in
    let folders = ProcessInfo.processInfo.environment["PATH"]?.split(separator: ":") ?? []
    return folders.contains { FileManager.default.isExecutableFile(atPath: "\($0)/\(name)") }
}
