import Messages
import TestSupport
import Testing

/// By hand, as Fast CDR and CycloneDDS write them: a count of UTF-16 units, then these in four bytes or in two, no NUL.
@Suite("Wide strings")
struct WideStringTests {
    private static let definition = "wstring a\nuint8 b\nwstring[] c"
    private static let json = Array(#"{"a":"hä😀","b":7,"c":["","x"]}"#.utf8)
    private static let four =
        "00010000 04000000 68000000 e4000000 3dd80000 00de0000 07 000000 02000000 00000000 01000000 78000000"
    private static let two = "00010000 04000000 6800 e400 3dd8 00de 07 000000 02000000 00000000 01000000 7800"

    @Test("both widths are read and written", arguments: [(4, four), (2, two)])
    func widths(size: Int, text: String) throws {
        let schema = try MessageSchema(typeName: "p/msg/M", definitionText: Self.definition)
        let value = try schema.decode(json: Self.json)
        let bytes = [UInt8](hexadecimal: text)
        #expect(try schema.encodedCDR(value, wideUnitSize: size) == bytes)
        #expect(try schema.decode(cdr: bytes) == value)
        var json: [UInt8] = []
        try schema.appendJSON(value, to: &json)
        #expect(json == Self.json)
    }

    @Test("unpaired surrogates are refused")
    func surrogates() throws {
        let schema = try MessageSchema(typeName: "p/msg/M", definitionText: "wstring a")
        #expect(throws: CDRError.self) { try schema.decode(cdr: [0, 1, 0, 0, 1, 0, 0, 0, 0, 0xD8, 0, 0]) }
    }

    @Test("big-endian messages are read")
    func bigEndian() throws {
        let text = "int16 a\nuint32[] b\nwstring c\nfloat64 d\nbool e\nstring f"
        let schema = try MessageSchema(typeName: "p/msg/M", definitionText: text)
        let bytes = [UInt8](
            hexadecimal: "00000000 fffe 0000 00000002 00000001 01020304 00000001 000000e4"
                + "3ff8000000000000 01 000000 00000002 6100"
        )
        let value = try schema.decode(cdr: bytes)
        var json: [UInt8] = []
        try schema.appendJSON(value, to: &json)
        #expect(
            String(decoding: json, as: UTF8.self) == #"{"a":-2,"b":[1,16909060],"c":"ä","d":1.5,"e":true,"f":"a"}"#
        )
    }
}
