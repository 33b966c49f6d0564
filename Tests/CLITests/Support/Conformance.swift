import TestSupport
import Testing

/// The judges of bags in tools/peers, on what the command wrote.
enum Conformance {
    /// Fails the test unless rosbag2 of three distributions would take the bag, and every message in it is sound.
    static func check(
        _ bag: String,
        counts: [String: Int] = [:],
        at location: SourceLocation = #_sourceLocation
    ) async throws {
        var judgements = Judgements()
        judgements.addBag(bag, counts: counts)
        try await judgements.judge(at: location)
    }

    /// Median distance in centimetres and median difference of colour of the clouds of neighbouring frames.
    static func overlap(_ bag: String) async throws -> (centimetres: Double, colour: Double) {
        var judgements = Judgements()
        judgements.addClouds(bag)
        let verdict = try #require(try await judgements.verdictsAside().first)
        // After the command line: "overlap median 1.36 cm, colour difference 11.0 of 255, over ..."
        let lines = verdict.output.split(separator: "\n").dropFirst()
        let numbers = lines.joined().split(separator: " ").compactMap { Double($0) }
        try #require(verdict.status == 0 && numbers.count >= 2, "\(verdict.output)")
        return (numbers[0], numbers[1])
    }
}

extension Judgements {
    /// Fails the test for each judgement that is not good.
    func judge(at location: SourceLocation = #_sourceLocation) async throws {
        for verdict in try await verdictsAside() {
            #expect(verdict.status == 0, "\(verdict.output)", sourceLocation: location)
        }
    }
}
