import Testing
import Text

@Suite("Pulling values out of JSON text")
struct JSONScannerTests {
    static let frame = #"""
        {"index": 12, "t" : 1700000000.25,"ok":true, "pose":[1, -2.5e0,3] , "name":"a\u00e9\n\ud83d\ude00",
        "none":null,"nested":{"a":[{"b":[]},{}],"c":"ä€😀"}, "skip": [false, "x\\", 1e-7]}
        """#

    @Test("reads members in order, and skips those that are not asked for")
    func readsMembers() throws {
        var keys: [String] = []
        try scan(Self.frame) { (scanner) throws(JSONError) in
            try scanner.beginObject()
            while let key = try scanner.nextKey() {
                keys.append(key.string)
                switch key {
                case "index": #expect(try scanner.integer() == 12)
                case "t": #expect(try scanner.decimalNanoseconds() == 1_700_000_000_250_000_000)
                case "ok": #expect(try scanner.bool())
                case "pose": try scanner.skipValue()
                case "name": #expect(try scanner.string() == "aé\n😀")
                case "none": try scanner.null()
                default: try scanner.skipValue()
                }
            }
            try scanner.finish()
        }
        #expect(keys == ["index", "t", "ok", "pose", "name", "none", "nested", "skip"])
    }

    @Test("every cut of a text is an error at or before the cut")
    func cutEverywhere() {
        let bytes = Array(Self.frame.utf8)
        for length in 0..<bytes.count {
            let error = #expect(throws: JSONError.self) { try skim(Array(bytes[..<length])) }
            #expect((error?.offset ?? .max) <= length)
        }
    }

    @Test(
        "takes what RFC 8259 allows",
        arguments: [
            "0", "-0", "1.5e+300", "  [ ]\t\r\n", "{}", #""""#, #"[1,[2,[3]],{"":""}]"#, #""\"\\\/\b\f\n\r\t\u0000""#,
            "\"\u{7F}\u{80}\u{7FF}\u{800}\u{FFFF}\u{10000}\u{10FFFF}\"", "[-1.0E-2,null,true,false]",
        ]
    )
    func legal(_ text: String) throws {
        try skim(Array(text.utf8))
    }

    @Test(
        "refuses what RFC 8259 does not allow, where it stands",
        arguments: [
            ("", 0), ("  ", 2), ("nul", 0), ("truE", 0), ("[1,]", 3), ("[,1]", 1), ("[1 2]", 3), ("{\"a\" 1}", 5),
            ("{\"a\":1,}", 7), ("{a:1}", 1), ("{,}", 1), ("{\"a\":}", 5), ("[1]]", 3), ("[1}", 2), ("01", 1), ("-", 1),
            ("+1", 0), (".5", 0), ("1.", 2), ("1.e1", 2), ("1e", 2), ("1e+", 3), ("0x10", 1), ("--1", 1), ("'a'", 0),
            ("\"a", 2), ("\"\\x\"", 2), ("\"\\u12g4\"", 3), ("\"\\ud800\"", 7), ("\"\\ud800\\n\"", 8),
            ("\"\\udc00\"", 7), ("\"\\ud800\\ud800\"", 13), ("\"a\nb\"", 2), ("\"\t\"", 1), ("NaN", 0),
            ("-Infinity", 0),
            ("[1]//", 3), ("truefalse", 4), ("\u{FEFF}1", 0), ("1\u{00}", 1),
        ]
    )
    func illegal(_ text: String, offset: Int) {
        let error = #expect(throws: JSONError.self) { try skim(Array(text.utf8)) }
        #expect(error?.offset == offset)
    }

    @Test(
        "refuses bytes that are not UTF-8",
        arguments: [
            [0x80], [0xC0, 0xAF], [0xC1, 0xBF], [0xC3], [0xE0, 0x9F, 0xBF], [0xED, 0xA0, 0x80], [0xE2, 0x82],
            [0xF0, 0x8F, 0xBF, 0xBF], [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xFF], [0xE2, 0x82, 0x41],
        ] as [[UInt8]]
    )
    func invalidUTF8(_ sequence: [UInt8]) {
        // At every place in a word of eight bytes, as the scanner reads by words.
        for padding in 0..<17 {
            let bytes = [0x22] + [UInt8](repeating: 0x61, count: padding) + sequence + [0x22]
            let error = #expect(throws: JSONError.self) { try skim(bytes) }
            #expect(error?.expected == "UTF-8")
            #expect(error?.offset == padding + 1)
        }
    }

    @Test("finds the one special byte wherever it is in a long string")
    func specialBytesInLongStrings() throws {
        for position in 0..<40 {
            for special in ["\\n", "é", "\\u20ac", "\\\\", "\\\""] {
                let text = String(repeating: "a", count: position) + special + String(repeating: "b", count: 40)
                let expected = text.replacing("\\n", with: "\n").replacing("\\u20ac", with: "€")
                    .replacing("\\\"", with: "\"").replacing("\\\\", with: "\\")
                #expect(try scan("\"\(text)\"") { (scanner) throws(JSONError) in try scanner.string() } == expected)
            }
        }
    }

    @Test("hands out a long string where it stands")
    func stringWithoutCopy() throws {
        let bytes = Array("[\"".utf8) + [UInt8](repeating: 0x41, count: 100_000) + Array("\"]".utf8)
        let range = try scan(bytes) { (scanner) throws(JSONError) -> (Int, Int)? in
            try scanner.beginArray()
            guard try scanner.nextElement(), let found = try scanner.stringBytes() else { return nil }
            guard let base = scanner.bytes.baseAddress, let start = found.baseAddress else { return nil }
            return (start - base, found.count)
        }
        #expect(range?.0 == 2)
        #expect(range?.1 == 100_000)
        #expect(try scan(#""a\n""#) { (scanner) throws(JSONError) in try scanner.stringBytes() == nil })
    }

    @Test("nesting stops at 128 levels, however it is made")
    func nesting() throws {
        func nested(_ depth: Int, _ open: String, _ close: String) -> [UInt8] {
            Array((String(repeating: open, count: depth) + "1" + String(repeating: close, count: depth)).utf8)
        }
        try skim(nested(128, "[", "]"))
        try skim(nested(128, "{\"a\":", "}"))
        for bytes in [nested(129, "[", "]"), nested(129, "{\"a\":", "}"), [UInt8](repeating: 0x5B, count: 1_000_000)] {
            let error = #expect(throws: JSONError.self) { try skim(bytes) }
            #expect(error?.expected == "at most 128 levels of nesting")
        }
    }

    @Test("says what it expected and what it found")
    func messages() {
        let cases: [(String, String)] = [
            ("[nul]", #"JSON: byte 1: expected null, found "nul""#),
            ("[1", #"JSON: byte 2: expected "," or "]", found the end of the text"#),
            ("[NaN]", "JSON: byte 1: expected a number, found NaN"),
            ("[\u{1}]", "JSON: byte 1: expected a value, found the byte 0x01"),
            ("{1:2}", #"JSON: byte 1: expected a key, found "1""#),
        ]
        for (text, message) in cases {
            let error = #expect(throws: JSONError.self) { try skim(Array(text.utf8)) }
            #expect(error?.description == message)
        }
    }

    @Test("a value of another kind is refused without being passed over")
    func wrongKind() throws {
        try scan(#"["x"]"#) { (scanner) throws(JSONError) in
            try scanner.beginArray()
            #expect(try scanner.nextElement())
            #expect(throws: JSONError.self) { try scanner.number() }
            #expect(throws: JSONError.self) { try scanner.integer() }
            #expect(throws: JSONError.self) { try scanner.bool() }
            #expect(throws: JSONError.self) { try scanner.beginObject() }
            #expect(try scanner.peek() == .string)
            #expect(try scanner.rawValue().elementsEqual("\"x\"".utf8))
            #expect(try !scanner.nextElement())
        }
    }
}
