import Messages
import TestSupport
import Testing

@Suite("Message definitions")
struct DefinitionTests {
    private func layout(_ text: String) throws -> MessageLayout {
        try MessageSchema(typeName: "p/msg/M", definitionText: text).layout
    }

    @Test("constants of every type, with comments and blanks around them")
    func constants() throws {
        let layout = try layout(
            """
            # A comment, then an empty line.

            bool A=true # yes
            \tbyte B = 0xFF
            char C=65
            int8 D=-128
            uint8 E=255
            int16 F=-0x8000
            uint16 G=0b101
            int32 H = +7
            uint32 I=4294967295#tight
            int64 J=-9223372036854775808
            uint64 K=18446744073709551615
            float32 L=1e3
            float64 M=-.5
            string N=plain text # comment
            string O="with # and \\"quotes\\"" # comment
            string P='it'
            wstring Q='ä\\n\\x41\\u00e4'
            string<=3 R=abc
            float64 S=-inf
            bool T=0\r
            string U=
            """
        )
        let expected: [(String, DynamicValue)] = [
            ("A", .bool(true)), ("B", .unsigned(255)), ("C", .unsigned(65)), ("D", .integer(-128)),
            ("E", .unsigned(255)), ("F", .integer(-32768)), ("G", .unsigned(5)), ("H", .integer(7)),
            ("I", .unsigned(4_294_967_295)), ("J", .integer(.min)), ("K", .unsigned(.max)), ("L", .float32(1000)),
            ("M", .float64(-0.5)), ("N", .string("plain text")), ("O", .string("with # and \"quotes\"")),
            ("P", .string("it")), ("Q", .string("ä\nAä")), ("R", .string("abc")), ("S", .float64(-.infinity)),
            ("T", .bool(false)), ("U", .string("")),
        ]
        #expect(layout.constants.map(\.name) == expected.map(\.0))
        #expect(layout.constants.map(\.value) == expected.map(\.1))
        #expect(layout.fields.isEmpty)
    }

    @Test("defaults of every shape")
    func defaults() throws {
        let schema = try MessageSchema(
            typeName: "p/msg/M",
            definitionText: """
                int32 a 5
                float64 b   -1.5   # comment
                bool c True
                string d "two # words"
                string e 'it\\'s'
                string f unquoted words # comment
                int32[3] g [1, -2, 0x3]
                int32[] h []
                uint8[<=4] i [1,2]
                string[] j ["a, b", 'c', d]
                float32[2] k [ 1 , 2.5 ]
                bool[2] l [true, 0]
                int32 m
                string n
                int16[2] o
                builtin_interfaces/Time p
                """
        )
        let value = try schema.decode(json: Array("{}".utf8))
        let expected: [String: DynamicValue] = [
            "a": .integer(5), "b": .float64(-1.5), "c": .bool(true), "d": .string("two # words"), "e": .string("it's"),
            "f": .string("unquoted words"), "g": .int32s([1, -2, 3]), "h": .int32s([]), "i": .bytes([1, 2]),
            "j": .strings(["a, b", "c", "d"]), "k": .float32s([1, 2.5]), "l": .bools([true, false]), "m": .integer(0),
            "n": .string(""), "o": .int16s([0, 0]),
        ]
        for (name, wanted) in expected { #expect(value[name] == wanted, "\(name)") }
        #expect(value["p"]?["sec"] == .integer(0))
        #expect(
            try MessageSchema(typeName: "p/msg/M", definitionText: schema.definitionText).layout.defaultMessage()
                == schema.layout.defaultMessage()
        )
    }

    @Test("types of other packages by every form of their names, and the old names")
    func names() throws {
        let schema = try MessageSchema(
            typeName: "p/M",
            definitionText: """
                Header a
                std_msgs/Header b
                std_msgs/msg/Header c
                time d
                duration e
                Own f
                p/Own g
                p/msg/Own[2] h
                other/Thing i
                \(String(repeating: "=", count: 80))
                MSG: p/Own
                uint8 x
                \(String(repeating: "=", count: 80))

                MSG: other/msg/Thing
                Own own
                \(String(repeating: "=", count: 80))
                MSG: other/Own
                """
        )
        let types = schema.layout.fields.map { field in
            if case .message(let layout) = field.element { layout.typeName } else { "" }
        }
        #expect(
            types == [
                "std_msgs/msg/Header", "std_msgs/msg/Header", "std_msgs/msg/Header", "builtin_interfaces/msg/Time",
                "builtin_interfaces/msg/Duration", "p/msg/Own", "p/msg/Own", "p/msg/Own", "other/msg/Thing",
            ]
        )
        // The package of a name without one is that of the text it stands in.
        #expect(schema.layout.defaultMessage()?["i"]?["own"]?.message?.layout.typeName == "other/msg/Own")
        #expect(schema.layout.defaultMessage()?["h"]?.messages?.count == 2)
    }

    @Test("lines end in any way, and a header of the root is taken")
    func lineEnds() throws {
        let text =
            "int32 a\r\n\r\n\tuint8\t b\t=\t3\r\n" + String(repeating: "=", count: 80) + "\r\nMSG: p/N\r\nint8 c\r\n"
        let layout = try layout(text)
        #expect(layout.fields.map(\.name) == ["a"])
        #expect(layout.constants.map(\.name) == ["b"])
        let own = String(repeating: "=", count: 80) + "\nMSG: p/M\nint8 c\n"
        #expect(try self.layout(own).fields.map(\.name) == ["c"])
    }

    @Test("IDL is refused, unless the type is compiled in")
    func idl() throws {
        let text = String(repeating: "=", count: 80) + "\nIDL: p/msg/M\nmodule p { };\n"
        let error = #expect(throws: SchemaError.self) { try MessageSchema(typeName: "p/msg/M", definitionText: text) }
        #expect(error?.description.contains("ros2idl") == true)
        let compiled = try MessageSchema(typeName: "std_msgs/msg/String", definitionText: text)
        #expect(compiled.typeHash == MessageSchema.compiled(StringMessage.self).typeHash)
    }

    /// A text, the line that is wrong, and what its error must speak of.
    struct Fault: Sendable, CustomTestStringConvertible {
        var text: String
        var line: Int?
        var word: String

        init(_ text: String, _ line: Int?, _ word: String) {
            self.text = text
            self.line = line
            self.word = word
        }

        var testDescription: String { text.debugDescription }
    }

    private static let faults: [Fault] = [
        Fault("int32", 1, "a field name"),
        Fault("int32 a\nint32 a", 2, "each name once"),
        Fault("int32 1a", 1, "a field name"),
        Fault("int32 a-b", 1, "a field name"),
        Fault("int32 ä", 1, "a field name"),
        Fault("\nint32! a", 2, "a type"),
        Fault("int33 a", 1, "int33"),
        Fault("other/Missing a", 1, "other/Missing"),
        Fault("a/b/c/d x", 1, "a type"),
        Fault("../../etc/passwd x", 1, "a type"),
        Fault("int32[ a", 1, "["),
        Fault("int32[0] a", 1, "a size"),
        Fault("int32[-1] a", 1, "a size"),
        Fault("int32[4294967296] a", 1, "a size"),
        Fault("int32[99999999999999999999] a", 1, "a size"),
        Fault("int32[<3] a", 1, "a size"),
        Fault("int32[3][3] a", 1, "["),
        Fault("string<=0 a", 1, "a size"),
        Fault("string<= a", 1, "a size"),
        Fault("uint8 A=256", 1, "uint8"),
        Fault("uint8 A=-1", 1, "uint8"),
        Fault("int8 A=1.5", 1, "int8"),
        Fault("int8 A=", 1, "a value"),
        Fault("float32 A=1e39", 1, "float32"),
        Fault("float64 A=nonsense", 1, "float64"),
        Fault("bool A=2", 1, "bool"),
        Fault("string A=\"open", 1, "a closing quote"),
        Fault("string A=\"x\" y", 1, "the end"),
        Fault("string<=2 A=abc", 1, "at most 2"),
        Fault("int32[] A=1", 1, "a single value"),
        Fault("int32[2] a [1]", 1, "2 values"),
        Fault("int32[<=1] a [1,2]", 1, "at most 1"),
        Fault("int32[] a [1 2]", 1, "int32"),
        Fault("int32[] a [1", 1, "\",\" or"),
        Fault("int32[] a 1", 1, "\"[\""),
        Fault("int32 a 1 2", 1, "int32"),
        Fault("builtin_interfaces/Time a 5", 1, "no value"),
        Fault("module p {", 1, "no value"),
        Fault(String(repeating: "=", count: 80), nil, "MSG"),
        Fault(String(repeating: "=", count: 80) + "\nint32 a", nil, "MSG"),
        Fault(String(repeating: "=", count: 80) + "\nMSG: nonsense", nil, "MSG"),
    ]

    @Test("what is wrong is named, with its line", arguments: faults)
    func errors(_ fault: Fault) throws {
        let error = try #require(throws: SchemaError.self) {
            try MessageSchema(typeName: "p/msg/M", definitionText: fault.text)
        }
        #expect(error.line == fault.line, "\(error)")
        #expect(error.source == "p/msg/M", "\(error)")
        #expect("\(error)".contains(fault.word), "\(error)")
    }

    @Test("a type's name is checked", arguments: ["", "String", "a/b/c", "a/msg/", "/msg/b", "a b/msg/c", "a/msg/b/c"])
    func typeNames(name: String) {
        #expect(throws: SchemaError.self) { try MessageSchema(typeName: name, definitionText: "int32 a") }
    }
}
