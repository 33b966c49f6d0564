import Messages
import TestSupport
import Testing
import Text

@Suite("Agreement with rosbags", .enabled(if: PeerPython.isAvailable, Comment(rawValue: PeerPython.absence)))
struct RosbagsConformanceTests {
    @Test("definitions, CDR and JSON of random messages of every type are judged equal")
    func judged() throws {
        var entries: [JSONValue] = []
        for type in MessageTypes.all {
            for seed in 1...4 as ClosedRange<UInt64> {
                let message = filled(type, seed: seed)
                entries.append([
                    "type": .string(type.typeName),
                    "definition": .string(type.definitionText),
                    "hash": .string(type.typeHash),
                    "cdr": .string(hexadecimal(message.encodedCDR())),
                    "json": .string(String(decoding: try message.encodedJSON(), as: UTF8.self)),
                ])
            }
        }
        let verdicts = try RosbagsPeer.run(["check"], entries)
        #expect(verdicts.count == entries.count)
        for verdict in verdicts {
            #expect(verdict["problems"] == [], "\(verdict.text())")
        }
    }

    @Test("random messages that rosbags wrote are read and written again byte for byte")
    func made() throws {
        let entries: [JSONValue] = MessageTypes.all.map {
            ["type": .string($0.typeName), "definition": .string($0.definitionText)]
        }
        let made = try RosbagsPeer.run(["make", "5"], entries)
        #expect(made.count == entries.count * 5)
        for entry in made {
            let type = try #require(MessageTypes.type(named: entry["type"]?.string ?? ""))
            let bytes = [UInt8](hexadecimal: entry["cdr"]?.string ?? "")
            #expect(try type.decoding(cdr: bytes).encodedCDR() == bytes, "\(type.typeName)")
        }
    }

    private func filled(_ type: any Message.Type, seed: UInt64) -> any Message {
        func fill<M: Message>(_ type: M.Type) -> any Message { RandomFiller.message(of: type, seed: seed) }
        return fill(type)
    }

    private func hexadecimal(_ bytes: [UInt8]) -> String {
        bytes.map { String(UInt16($0) + 0x100, radix: 16).dropFirst() }.joined()
    }
}
