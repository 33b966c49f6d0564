import Foundation
import JSONText
import SystemPackage
import TestSupport
import Testing

/// The independent judge of messages: rosbags, run by `tools/peers/check_messages.py`.
enum RosbagsPeer {
    private static let script = Checkout.path("tools/peers/check_messages.py")

    /// Hands lines of JSON to the script and returns its lines.
    static func run(_ arguments: [String], _ entries: [JSONValue]) throws -> [JSONValue] {
        let input = Data(entries.map { $0.text() + "\n" }.joined().utf8)
        let outcome = try PeerPython.run([script.string] + arguments, input: input)
        try #require(outcome.status == 0, "\(outcome.everything)")
        return try outcome.output.split(separator: "\n").map { try JSONValue.parse(String($0)) }
    }
}
