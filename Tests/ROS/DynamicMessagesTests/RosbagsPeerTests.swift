import Messages
import TestSupport
import Testing
import Text

/// rosbags as the judge of definitions and of CDR, run by `tools/peers/check_messages.py`.
@Suite(
    "Agreement with rosbags on made-up types",
    .enabled(if: PeerPython.isAvailable, Comment(rawValue: PeerPython.absence))
)
struct RosbagsPeerTests {
    private static let seeds = 1...120 as ClosedRange<UInt64>

    @Test("what is written here is read there, with the same values and the same bytes")
    func judged() throws {
        var entries: [JSONValue] = []
        for seed in Self.seeds {
            let random = RandomSchema(seed: seed)
            let schema = try MessageSchema(typeName: random.typeName, definitionText: random.definitionText)
            let json = RandomJSON.text(schema.layout, seed: seed)
            let value = try schema.decode(json: json)
            var written: [UInt8] = []
            try schema.appendJSON(value, to: &written)
            entries.append([
                "type": .string(random.typeName),
                // Half of them by the text of our making.
                "definition": .string(seed % 2 == 0 ? random.definitionText : schema.definitionText),
                "cdr": .string(try schema.encodedCDR(value).hexadecimalText),
                "json": .string(String(decoding: written, as: UTF8.self)),
            ])
            #expect(try schema.decode(json: written) == value)
        }
        let verdicts = try RosbagsPeer.run(["check"], entries)
        #expect(verdicts.count == entries.count)
        for (verdict, entry) in zip(verdicts, entries) {
            #expect(verdict["problems"] == [], "\(verdict.text())\n\(entry["definition"]?.string ?? "")")
        }
    }

    @Test("what rosbags writes is read and written again byte for byte, and cut anywhere it is refused")
    func made() throws {
        let all = Self.seeds.map { RandomSchema(seed: $0) }
        let entries: [JSONValue] = all.map {
            ["type": .string($0.typeName), "definition": .string($0.definitionText)]
        }
        let made = try RosbagsPeer.run(["make", "3"], entries)
        try #require(made.count == all.count * 3)
        for (index, entry) in made.enumerated() {
            let random = all[index / 3]
            let schema = try MessageSchema(typeName: random.typeName, definitionText: random.definitionText)
            let bytes = [UInt8](hexadecimal: entry["cdr"]?.string ?? "")
            let value = try schema.decode(cdr: bytes)
            #expect(try schema.encodedCDR(value) == bytes)
            var json: [UInt8] = []
            try schema.appendJSON(value, to: &json)
            #expect(try schema.encodedCDR(try schema.decode(json: json)) == bytes)
            for count in bytes.indices where index % 10 == 0 {
                #expect((try? schema.decode(cdr: Array(bytes[..<count]))) == nil)
            }
        }
    }
}
