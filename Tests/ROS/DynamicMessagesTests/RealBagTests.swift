import Foundation
import Messages
import SystemPackage
import TestSupport
import Testing
import Text

/// Definitions and messages that ROS 2 itself wrote.
@Suite(
    "Bags of others",
    .enabled(if: PeerPython.isAvailable, Comment(rawValue: PeerPython.absence)),
    .enabled(if: Captures.have("bags-rosbag2", "bags-ros2-jazzy"), Comment(rawValue: Captures.absence))
)
struct RealBagTests {
    private static let script = Checkout.path("tools/peers/list_definitions.py")

    @Test("every definition is read, has the recorded hash, and describes the messages beside it")
    func definitions() throws {
        let outcome = try PeerPython.run([Self.script.string, Captures.root.string])
        try #require(outcome.status == 0, "\(outcome.everything)")
        var types: Set<String> = []
        var known: Set<Known> = []
        for line in outcome.output.split(separator: "\n") {
            let entry = try JSONValue.parse(String(line))
            let name = try #require(entry["type"]?.string)
            let text = try #require(entry["definition"]?.string)
            // Tests of rosbag2 store placeholders such as "definition1".
            guard entry["encoding"]?.string == "ros2msg", !text.hasPrefix("definition") else { continue }
            guard text.count > 30 || text.isEmpty || text.contains("\n") else { continue }
            types.insert(name)
            let schema = try MessageSchema(typeName: name, definitionText: text)
            if let hash = entry["hash"]?.string, hash.hasPrefix("RIHS01_") {
                #expect(schema.typeHash == hash, "\(name)")
            }
            for message in entry["messages"]?.array ?? [] {
                let bytes = [UInt8](hexadecimal: message.string ?? "")
                let value = try schema.decode(cdr: bytes)
                let written = try schema.encodedCDR(value)
                // Gaps may hold anything there, and CycloneDDS fills the end.
                #expect(try schema.decode(cdr: written) == value, "\(name)")
                #expect(bytes.count - written.count <= 3, "\(name)")
                // The same message is in many bags.
                guard known.insert(Known(definition: text, bytes: bytes)).inserted else { continue }
                #expect(try acceptedCuts(of: bytes, schema) == [], "\(name)")
            }
        }
        #expect(types.count >= 10, "\(types.sorted())")
    }

    private struct Known: Hashable {
        var definition: String
        var bytes: [UInt8]
    }

    /// How much of a message is taken for a whole one: an expectation for each cut would take most of the time.
    private func acceptedCuts(of bytes: [UInt8], _ schema: MessageSchema) throws -> [Int] {
        try bytes.indices.dropLast(3).filter { count in
            do {
                _ = try schema.decode(cdr: Array(bytes[..<count]))
                return true
            } catch is CDRError {
                return false
            }
        }
    }
}
