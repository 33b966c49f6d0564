import Foundation
import Testing

/// What the judges in shared/peers say of many bags, by one Python process.
struct Judgements {
    private var runs: [[String]] = []

    /// Asks whether rosbag2 of the distributions would take an SQLite bag, and whether every message in it is sound.
    mutating func addBag(
        _ bag: String,
        as distributions: [String] = ["humble", "iron", "jazzy"],
        _ more: [String] = []
    ) {
        let names = distributions.flatMap { ["--as", $0] }
        runs.append(["check_bag.py", bag, "--msg-dir", Repository.messages] + names + more)
    }

    /// Asks about the structure of an .mcap file, and whether it holds the rows of an SQLite bag.
    mutating func addMCAP(_ file: String, comparing bag: String? = nil) {
        runs.append(["check_mcap.py", file, "--need-index", "--need-crc"] + (bag.map { ["--compare", $0] } ?? []))
    }

    private struct Verdict: Decodable {
        var status: Int
        var output: String
    }

    /// Fails the test for each judgement that is not good.
    func judge(_ folder: Scratch, at location: SourceLocation = #_sourceLocation) async throws {
        let list = folder("judgements.json")
        try JSONEncoder().encode(runs).write(to: URL(fileURLWithPath: list))
        let verdicts: [Verdict] = try await Peer.json("judge_bags.py", [shared("peers"), list])
        #expect(verdicts.count == runs.count, sourceLocation: location)
        for verdict in verdicts { #expect(verdict.status == 0, "\(verdict.output)", sourceLocation: location) }
    }
}
