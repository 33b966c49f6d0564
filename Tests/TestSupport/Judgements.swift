import Foundation
import SystemPackage

/// What independent judges, the programs in `tools/peers`, say of bags: all of them are asked in one Python process.
package struct Judgements {
    package struct Verdict: Decodable, Sendable {
        /// 0 where the judge finds no fault.
        package var status: Int
        /// The judge's command line, and what it printed.
        package var output: String
    }

    package static let distributions = ["humble", "iron", "jazzy"]

    private var runs: [[String]] = []

    package init() {}

    /// Asks whether rosbag2 of the distributions takes a bag of SQLite files, and whether every message in it is sound.
    package mutating func addBag(
        _ bag: String,
        as distributions: [String] = distributions,
        counts: [String: Int] = [:],
        _ options: [String] = []
    ) {
        let definitions = ["--msg-dir", Checkout.path("ros2/mapeverything_msgs").string]
        runs.append(["check_bag", bag] + definitions + Self.readers(distributions) + Self.expected(counts) + options)
    }

    /// Asks about the structure and the messages of an MCAP file, and whether it holds the rows of an SQLite bag.
    package mutating func addMCAP(_ file: String, comparing bag: String? = nil, counts: [String: Int] = [:]) {
        let comparison = bag.map { ["--compare", $0] } ?? []
        runs.append(["check_mcap", file, "--need-index", "--need-crc"] + comparison + Self.expected(counts))
    }

    /// Asks rosbag2's rules for metadata.yaml, and rosbags for all messages, of a bag of any form.
    package mutating func addReadable(_ bag: String, as distributions: [String], counts: [String: Int]) {
        runs.append(["check_readable", bag] + Self.readers(distributions) + Self.expected(counts))
    }

    /// Asks how well the clouds of a bag lie on each other.
    package mutating func addClouds(_ bag: String) { runs.append(["check_clouds", bag]) }

    /// One verdict for each question, in their order; blocks the thread.
    package func verdicts() throws -> [Verdict] {
        try Self.read(try PeerPython.run(Self.arguments, input: try JSONEncoder().encode(runs)), count: runs.count)
    }

    /// The same, on a thread of its own.
    package func verdictsAside() async throws -> [Verdict] {
        let outcome = try await PeerPython.runAside(Self.arguments, input: try JSONEncoder().encode(runs))
        return try Self.read(outcome, count: runs.count)
    }

    private static let arguments = [Checkout.path("tools/peers/judge_all.py").string]

    private static func read(_ outcome: PeerPython.Outcome, count: Int) throws -> [Verdict] {
        let verdicts = try? JSONDecoder().decode([Verdict].self, from: Data(outcome.output.utf8))
        guard outcome.status == 0, let verdicts, verdicts.count == count else {
            throw PeerPython.Failure(outcome: outcome)
        }
        return verdicts
    }

    private static func readers(_ distributions: [String]) -> [String] { distributions.flatMap { ["--as", $0] } }

    private static func expected(_ counts: [String: Int]) -> [String] {
        counts.sorted { $0.key < $1.key }.flatMap { ["--expect", "\($0.key)=\($0.value)"] }
    }
}
