import Foundation
import TestSupport
import Testing

/// The judges of bags in the folder shared/peers.
enum Conformance {
    static var isAvailable: Bool { Peer.isAvailable && SharedData.has("peers/check_bag.py") }
    static let absence = "needs ../shared/peers and the Python peers"

    /// Fails the test unless rosbag2 of three distributions would take the bag, and every message in it is sound.
    static func check(
        _ bag: String,
        _ options: [String] = [],
        at location: SourceLocation = #_sourceLocation
    ) async throws {
        let distributions = ["humble", "iron", "jazzy"].flatMap { ["--as", $0] }
        let arguments = [bag, "--msg-dir", Repository.messages] + distributions + options
        let outcome = try await Peer.judge("check_bag.py", arguments)
        #expect(outcome.status == 0, "\(outcome)", sourceLocation: location)
    }

    /// Median distance in centimetres and median difference of colour of the clouds of neighbouring frames.
    static func overlap(_ bag: String) async throws -> (centimetres: Double, colour: Double) {
        let outcome = try await Peer.judge("check_clouds.py", [bag])
        // "overlap median 1.36 cm, colour difference 11.0 of 255, over ..."
        let words = outcome.output.split(separator: " ").compactMap { Double($0) }
        guard outcome.status == 0, words.count >= 2 else {
            throw Peer.Unsuccessful(script: "check_clouds.py", outcome: outcome)
        }
        return (words[0], words[1])
    }
}
