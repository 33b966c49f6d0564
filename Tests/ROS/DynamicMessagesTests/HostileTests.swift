import Messages
import TestSupport
import Testing
import Text

@Suite("Hostile definitions and messages")
struct HostileTests {
    private static let separator = "\n" + String(repeating: "=", count: 80) + "\nMSG: "

    private func schema(_ text: String) throws(SchemaError) -> MessageSchema {
        try MessageSchema(typeName: "p/msg/M", definitionText: text)
    }

    @Test("a type within itself")
    func circles() {
        #expect(throws: SchemaError.self) { try schema("M again") }
        let error = #expect(throws: SchemaError.self) {
            try schema("A a" + Self.separator + "p/A\nB[] b" + Self.separator + "p/B\np/M m")
        }
        #expect(error?.description.contains("p/msg/M > p/msg/A > p/msg/B > p/msg/M") == true)
    }

    @Test("types a thousand deep, ten thousand wide, a million fields, a text of megabytes")
    func sizes() {
        let deep = "T0 a" + (0..<900).map { Self.separator + "p/T\($0)\nT\($0 + 1) a" }.joined()
        let wide =
            (0..<9_000).map { "T\($0) a\($0)" }.joined(separator: "\n")
            + (0..<9_000).map { Self.separator + "p/T\($0)\n" }.joined()
        let many = (0..<80_000).map { "bool a\($0)" }.joined(separator: "\n")
        let long = String(repeating: "# nothing\n", count: 200_000)
        for text in [deep, wide, many, long] {
            let error = #expect(throws: SchemaError.self) { try schema(text) }
            #expect(error?.description.contains("at most") == true)
        }
    }

    @Test("types that double at every level take no memory, and neither do arrays that are not there")
    func doubling() throws {
        var text = "T0 a\nT0 b"
        for level in 0..<60 { text += Self.separator + "p/T\(level)\nT\(level + 1)[4294967295] a\nT\(level + 1) b" }
        text += Self.separator + "p/T60\nuint8[4294967295] a"
        let schema = try schema(text)
        #expect(schema.typeHash.count == 71)
        #expect(schema.layout.defaultMessage() == nil)
        #expect(throws: JSONMismatch.self) { try schema.decode(json: Array("{}".utf8)) }
        #expect(throws: JSONMismatch.self) { try schema.decode(json: Array(#"{"a":{"a":[{"a":[]}]}}"#.utf8)) }
        #expect(throws: CDRError.self) { try schema.decode(cdr: [0, 1, 0, 0] + [UInt8](repeating: 0, count: 5000)) }
    }

    @Test(
        "fixed arrays of four thousand million elements",
        arguments: ["bool", "uint8", "float64", "string", "wstring", "std_msgs/Empty", "std_msgs/Header", "byte"]
    )
    func fixedArrays(type: String) throws {
        let schema = try schema("\(type)[4294967295] a")
        for count in [0, 1, 100] {
            let cdr = [0, 1, 0, 0] + [UInt8](repeating: 0, count: count)
            #expect(throws: CDRError.self) { try schema.decode(cdr: cdr) }
        }
        for json in ["{}", #"{"a":[]}"#, #"{"a":[1]}"#, #"{"a":"AAAA"}"#] {
            #expect(throws: JSONMismatch.self) { try schema.decode(json: Array(json.utf8)) }
        }
    }

    @Test(
        "sequences that claim more than there is",
        arguments: ["bool", "uint8", "float64", "string", "wstring", "std_msgs/Empty", "std_msgs/Header", "string<=3"]
    )
    func sequences(type: String) throws {
        let schema = try schema("\(type)[] a")
        for count: [UInt8] in [[255, 255, 255, 255], [0, 0, 0, 128], [20, 0, 0, 0]] {
            let cdr: [UInt8] = [0, 1, 0, 0] + count + [1, 0, 0, 0]
            #expect(throws: CDRError.self) { try schema.decode(cdr: cdr) }
        }
    }

    @Test("arrays of nearly empty elements are refused: their text is a fraction of what they take")
    func emptyElements() throws {
        let schema = try schema("geometry_msgs/TransformStamped[] a")
        func text(_ element: String, _ count: Int) -> [UInt8] {
            Array("{\"a\":[\([String](repeating: element, count: count).joined(separator: ","))]}".utf8)
        }
        #expect(throws: JSONMismatch.self) { try schema.decode(json: text("{}", 1_000)) }
        #expect(try schema.decode(json: text("{}", 64))["a"]?.count == 64)
        let whole = try MessageSchema(typeName: "p/msg/M", definitionText: "geometry_msgs/TransformStamped t")
        var element: [UInt8] = []
        try whole.appendJSON(try whole.decode(json: Array("{}".utf8)), to: &element)
        let inner = String(decoding: element.dropFirst(5).dropLast(), as: UTF8.self)
        #expect(try schema.decode(json: text(inner, 1_000))["a"]?.count == 1_000)
    }

    @Test("bounds hold in CDR and in JSON, reading and writing")
    func bounds() throws {
        let schema = try schema("string<=3 a\nuint8[<=2] b\nwstring<=1 c\nstring<=1[] d")
        let free = try self.schema("string a\nuint8[] b\nwstring c\nstring[] d")
        let long = [#"{"a":"abcd"}"#, #"{"b":[1,2,3]}"#, #"{"c":"xy"}"#, #"{"d":["ab"]}"#, #"{"a":"ä€"}"#]
        for json in long {
            #expect(throws: JSONMismatch.self) { try schema.decode(json: Array(json.utf8)) }
            let value = try free.decode(json: Array(json.utf8))
            #expect(throws: CDRError.self) { try schema.decode(cdr: try free.encodedCDR(value)) }
            #expect(throws: DynamicValueError.self) { try schema.encodedCDR(value) }
        }
        for json in [#"{"a":"abc"}"#, #"{"b":"AQI="}"#, #"{"c":"x"}"#, #"{"d":["a","b"]}"#] {
            let value = try schema.decode(json: Array(json.utf8))
            #expect(try schema.decode(cdr: try schema.encodedCDR(value)) == value)
        }
    }

    @Test("a message of one type is not written as one of another, and neither is a value that does not fit")
    func foreign() throws {
        let one = try schema("uint8 a\nfloat32[2] b\nstring c")
        var value = try one.decode(json: Array("{}".utf8))
        #expect(throws: DynamicValueError.self) { try MessageSchema.compiled(Header.self).encodedCDR(value) }
        #expect(throws: DynamicValueError.self) { try one.encodedCDR(.bool(true)) }
        var message = try #require(value.message)
        for (name, wrong) in [
            ("a", DynamicValue.unsigned(256)), ("a", .string("")), ("b", .float32s([1])), ("b", .float64s([1, 2])),
            ("c", .bool(true)),
        ] {
            let old = message[name]
            message[name] = wrong
            value = .message(message)
            let error = #expect(throws: DynamicValueError.self) { try one.encodedCDR(value) }
            #expect(error?.path == name)
            message[name] = old
        }
    }

    @Test("any bytes whatever are decoded or refused")
    func noise() throws {
        var generator = SeededRandomNumbers(seed: 1)
        for seed in 1...200 as ClosedRange<UInt64> {
            let random = RandomSchema(seed: seed % 40)
            let schema = try MessageSchema(typeName: random.typeName, definitionText: random.definitionText)
            var cdr = try schema.encodedCDR(try schema.decode(json: RandomJSON.text(schema.layout, seed: seed)))
            for _ in 0..<20 where cdr.count > 4 {
                let index = Int.random(in: 1..<cdr.count, using: &generator)
                cdr[index] = UInt8.random(in: 0...255, using: &generator)
                guard let value = try? schema.decode(cdr: cdr) else { continue }
                // What could be read can be written, shown, and read again.
                let again = try schema.encodedCDR(value)
                #expect(try schema.encodedCDR(try schema.decode(cdr: again)) == again)
                var text: [UInt8] = []
                try schema.appendYAML(value, to: &text)
                try schema.appendJSONLine(value, to: &text)
            }
        }
    }
}
