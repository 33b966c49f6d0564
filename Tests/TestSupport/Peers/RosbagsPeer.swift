import Foundation
import SystemPackage
package import Text

/// The independent judge of messages: rosbags, run by `tools/peers/check_messages.py`.
package enum RosbagsPeer {
    private static let script = Checkout.path("tools/peers/check_messages.py").string

    /// Hands lines of JSON to the script and returns its lines.
    package static func run(_ arguments: [String], _ entries: [JSONValue]) throws -> [JSONValue] {
        let input = Data(entries.map { $0.text() + "\n" }.joined().utf8)
        let output = try PeerPython.run([script] + arguments, input: input).outputOfSuccess()
        return try output.split(separator: "\n").map { try JSONValue.parse(String($0)) }
    }
}
