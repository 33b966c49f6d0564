import Messages
import TestSupport
import Testing
import Text

@Suite("CDR vectors")
struct CDRVectorTests {
    @Test("every vector is read and written byte for byte, and its value is what JSON says")
    func vectors() throws {
        let file = try Vectors.load("cdr_vectors.json")
        var definitions: [String: String] = [:]
        for member in file["defs"]?.object?.members ?? [] { definitions[member.key] = member.value.string }
        let vectors = try #require(file["vectors"]?.array)
        #expect(vectors.count >= 33)
        for vector in vectors {
            let name = try #require(vector["type"]?.string)
            let schema = try schema(name, definitions)
            let bytes = [UInt8](hexadecimal: try #require(vector["cdr_hex"]?.string))
            let value = try schema.decode(cdr: bytes)
            #expect(try schema.encodedCDR(value) == bytes, "\(name)")
            let json = try #require(vector["value"]).text().replacing("\"nan\"", with: "NaN")
                .replacing("\"inf\"", with: "Infinity").replacing("\"-inf\"", with: "-Infinity")
                // The file knows nothing of defaults in .msg files: a quaternion without w has 0 there.
                .replacing("\"scale\":", with: "\"pose\":{\"orientation\":{\"w\":0}},\"scale\":")
            let fromJSON = try schema.decode(json: Array(json.utf8))
            #expect(try schema.encodedCDR(fromJSON) == bytes, "\(name): \(json)")
        }
    }

    private func schema(_ name: String, _ definitions: [String: String]) throws -> MessageSchema {
        guard let own = definitions[name] else { return try TypeResolver().resolve(name).schema }
        let separator = "\n" + String(repeating: "=", count: 80) + "\nMSG: "
        let others = definitions.filter { $0.key != name }.map { separator + $0.key + "\n" + $0.value }
        return try MessageSchema(typeName: name, definitionText: own + others.sorted().joined())
    }
}
