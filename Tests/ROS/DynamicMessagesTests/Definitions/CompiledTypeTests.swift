import Messages
import TestSupport
import Testing

/// Compiled types as the judge of dynamic ones: two implementations that share only primitives.
@Suite("Agreement with compiled types")
struct CompiledTypeTests {
    static let names = MessageTypes.all.map { $0.typeName }

    @Test("the hash and the text of every compiled type", arguments: names)
    func descriptions(name: String) throws {
        let type = try #require(MessageTypes.type(named: name))
        let compiled = MessageSchema.compiled(type)
        #expect(compiled.typeHash == type.typeHash)
        #expect(compiled.definitionText == type.definitionText)
        let read = try MessageSchema(typeName: name, definitionText: type.definitionText)
        #expect(read.typeHash == type.typeHash)
        #expect(read.definitionText == type.definitionText)
    }

    @Test("random messages give the same CDR and the same JSON, and are read back from both", arguments: names)
    func messages(name: String) throws {
        let type = try #require(MessageTypes.type(named: name))
        let schema = try MessageSchema(typeName: name, definitionText: type.definitionText)
        for seed in 1...5 as ClosedRange<UInt64> {
            let message = filled(type, seed: seed)
            let cdr = message.encodedCDR()
            let json = try message.encodedJSON()
            let value = try schema.decode(cdr: cdr)
            #expect(try schema.encodedCDR(value) == cdr)
            var text: [UInt8] = []
            try schema.appendJSON(value, to: &text)
            #expect(String(decoding: text, as: UTF8.self) == String(decoding: json, as: UTF8.self))
            #expect(try schema.decode(json: json) == value)
            #expect(value.headerStampNanoseconds == message.headerStampNanoseconds)
            #expect(value.headerFrameID == message.headerFrameID)
        }
    }

    @Test("a message of nothing but defaults", arguments: names)
    func defaults(name: String) throws {
        let type = try #require(MessageTypes.type(named: name))
        let schema = try MessageSchema(typeName: name, definitionText: type.definitionText)
        let value = try schema.decode(json: Array("{}".utf8))
        #expect(try schema.encodedCDR(value) == type.init().encodedCDR())
    }

    @Test("every cut of a message is an error, and none is a crash", arguments: names)
    func cuts(name: String) throws {
        let type = try #require(MessageTypes.type(named: name))
        let schema = MessageSchema.compiled(type)
        let cdr = filled(type, seed: 7).encodedCDR()
        for count in cdr.indices {
            #expect(throws: CDRError.self) { try schema.decode(cdr: Array(cdr[..<count])) }
        }
    }

    private func filled(_ type: any Message.Type, seed: UInt64) -> any Message {
        func fill<M: Message>(_ type: M.Type) -> any Message { RandomFiller.message(of: type, seed: seed) }
        return fill(type)
    }
}
