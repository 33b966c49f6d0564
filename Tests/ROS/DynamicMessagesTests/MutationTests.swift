import Messages
import TestSupport
import Testing

/// A short pass of what tools/fuzz does for hours: definitions and JSON that were mutated.
@Suite("Mutated definitions and texts")
struct MutationTests {
    private static let words = [
        "[]", "[<=2]", "[3]", "<=4", "=", "#", "\n", "\"", "'", "string ", "p/M", "\\", "1e999",
    ]

    @Test("a definition that is taken is the same type again by its canonical text")
    func definitions() throws {
        var generator = SeededRandomNumbers(seed: 5)
        var taken = 0
        for seed in 1...1_500 as ClosedRange<UInt64> {
            let random = RandomSchema(seed: seed % 50)
            let text = String(
                decoding: mutated(Array(random.definitionText.utf8), words: Self.words, using: &generator),
                as: UTF8.self
            )
            guard let schema = try? MessageSchema(typeName: random.typeName, definitionText: text) else { continue }
            taken += 1
            let again = try MessageSchema(typeName: random.typeName, definitionText: schema.definitionText)
            #expect(again.typeHash == schema.typeHash && again.definitionText == schema.definitionText, "\(text)")
        }
        #expect(taken > 100)
    }

    @Test("what is read of mutated JSON is what the compiled type reads", arguments: MessageTypes.all.indices)
    func texts(index: Int) throws {
        var generator = SeededRandomNumbers(seed: UInt64(index))
        func check<M: Message>(_ type: M.Type) throws {
            let schema = MessageSchema.compiled(type)
            let original = try RandomFiller.message(of: type, seed: UInt64(index)).encodedJSON()
            for _ in 0..<60 {
                let bytes = mutated(original, words: Self.words, using: &generator)
                var unknown = UnknownFields()
                var compiledUnknown = UnknownFields()
                let (value, message) = bytes.withUnsafeBytes { text in
                    (
                        try? schema.decode(json: text, unknown: &unknown),
                        try? M.decoding(json: text, unknown: &compiledUnknown)
                    )
                }
                // Of a key that comes twice the dynamic reader reads both values, the compiled one often only the last.
                guard value != nil && message != nil || unknown.isEmpty && compiledUnknown.isEmpty else { continue }
                let encoded = try value.map { try schema.encodedCDR($0) }
                #expect(encoded == message?.encodedCDR(), "\(String(decoding: bytes, as: UTF8.self))")
            }
        }
        try check(MessageTypes.all[index])
    }
}
