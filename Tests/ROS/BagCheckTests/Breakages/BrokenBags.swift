import Bags
import Foundation
import SystemPackage
import TestSupport
import Testing

/// Good bags, a copy of one for each breakage, and what the peers find in it.
enum BrokenBags {
    private struct Task: Encodable {
        var name: String
        var base: String
        var code: String
    }

    struct Verdict: Decodable {
        var name: String
        var path: String
        var status: Int
        var problems: [String]
    }

    static func make(_ breakages: [Breakage], in directory: TemporaryDirectory) async throws -> [Verdict] {
        try await writeBases(directory)
        let verdicts = try judge(breakages, directory)
        try #require(verdicts.count == breakages.count)
        return verdicts
    }

    /// A bag of another's: nothing in it says who wrote it.
    private static func writeBases(_ directory: TemporaryDirectory) async throws {
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

    private static func judge(_ breakages: [Breakage], _ directory: TemporaryDirectory) throws -> [Verdict] {
        let tasks = breakages.map { Task(name: $0.name, base: $0.base.rawValue, code: $0.code) }
        let outcome = try PeerPython.run(
            ["-c", BreakageProgram.text, "break", directory.path.string, Checkout.path("tools/peers").string],
            input: try JSONEncoder().encode(tasks)
        )
        try #require(outcome.status == 0, "\(outcome.everything)")
        return try JSONDecoder().decode([Verdict].self, from: Data(outcome.output.utf8))
    }
}
