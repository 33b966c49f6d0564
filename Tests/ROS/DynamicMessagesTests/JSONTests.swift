import Messages
import TestSupport
import Testing
import Text

@Suite("rosbridge JSON of dynamic messages")
struct JSONTests {
    private func schema(_ text: String) throws -> MessageSchema {
        try MessageSchema(typeName: "p/msg/M", definitionText: text)
    }

    private func written(_ schema: MessageSchema, _ value: DynamicValue) throws -> String {
        var bytes: [UInt8] = []
        try schema.appendJSON(value, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test("uint8 and char arrays are base64 or lists, those of byte and int8 lists only")
    func bytes() throws {
        let schema = try schema("uint8[] a\nchar[3] b\nbyte[] c\nint8[] d\nbyte e\nchar f")
        let lists = #"{"a":[1,2,255],"b":[1,2,3],"c":[4,255],"d":[-1],"e":5,"f":6}"#
        let base64 = #"{"a":"AQL/","b":"AQID","c":[4,255],"d":[-1],"e":5,"f":6}"#
        let value = try schema.decode(json: Array(lists.utf8))
        #expect(try schema.decode(json: Array(base64.utf8)) == value)
        #expect(try written(schema, value) == base64)
        #expect(value["a"] == .bytes([1, 2, 255]))
        #expect(value["c"] == .bytes([4, 255]))
        for wrong in [
            #"{"c":"AQI="}"#, #"{"d":"AQI="}"#, #"{"a":"AQI"}"#, #"{"b":"AQI="}"#, #"{"a":[256]}"#, #"{"e":-1}"#,
        ] {
            #expect(throws: JSONMismatch.self, "\(wrong)") { try schema.decode(json: Array(wrong.utf8)) }
        }
    }

    @Test("times have the names of ROS 1, too, and the names of ROS 2 come first")
    func aliases() throws {
        let schema = MessageSchema.compiled(Header.self)
        let old = try schema.decode(json: Array(#"{"stamp":{"secs":5,"nsecs":6},"frame_id":"map"}"#.utf8))
        let new = try schema.decode(json: Array(#"{"frame_id":"map","stamp":{"nanosec":6,"sec":5}}"#.utf8))
        #expect(old == new)
        #expect(new.headerStampNanoseconds == 5_000_000_006)
        var unknown = UnknownFields()
        var scanner: [UInt8] = Array(#"{"stamp":{"secs":1,"sec":5,"nanosec":6},"frame_id":"map"}"#.utf8)
        let both = try scanner.withUnsafeMutableBytes { bytes in
            try schema.decode(json: UnsafeRawBufferPointer(bytes), unknown: &unknown)
        }
        #expect(both == new)
        #expect(unknown.counts.map(\.path) == ["stamp.secs"])
    }

    @Test("numbers that are not finite are bare tokens for rosbridge, and strings in lines of JSON")
    func nonFinite() throws {
        let schema = try schema("float32 a\nfloat64 b\nfloat32[] c\nfloat64[2] d\nstring e\nstring[] f")
        let text = #"{"a":NaN,"b":-Infinity,"c":[1.5,Infinity],"d":[NaN,0.0],"e":"x\u001b[0m","f":["\u0085"]}"#
        let value = try schema.decode(json: Array(text.utf8))
        #expect(try written(schema, value).contains(#""a":NaN,"b":-Infinity,"c":[1.5,Infinity],"d":[NaN,0.0]"#))
        var bytes: [UInt8] = []
        try schema.appendJSONLine(value, to: &bytes)
        let line = #"{"a":"NaN","b":"-Infinity","c":[1.5,"Infinity"],"d":["NaN",0.0],"e":"x\u001B[0m","f":["\u0085"]}"#
        #expect(String(decoding: bytes, as: UTF8.self) == line + "\n")
        #expect(try JSONValue.parse(Array(bytes.dropLast()))["e"] == "x\u{1B}[0m")
    }

    @Test("missing fields have the defaults of the definition, unknown keys are counted by path")
    func unknownKeys() throws {
        let text = "Inner[] a\nfloat32 scale 2.5\n" + String(repeating: "=", count: 80) + "\nMSG: p/Inner\nint32 x -3\n"
        let schema = try schema(text)
        let json = Array(#"{"seq":1,"a":[{"x":1,"y":{"z":[]}},{"y":2}],"more":null}"#.utf8)
        var unknown = UnknownFields()
        let value = try json.withUnsafeBytes { try schema.decode(json: $0, unknown: &unknown) }
        #expect(unknown.counts.map(\.path) == ["a.y", "more", "seq"])
        #expect(unknown.counts.map(\.count) == [2, 1, 1])
        #expect(try written(schema, value) == #"{"a":[{"x":1},{"x":-3}],"scale":2.5}"#)
        #expect(throws: JSONMismatch.self) { try schema.decode(json: json) }
    }

    struct Fault: Sendable, CustomTestStringConvertible {
        var json: String
        var path: String
        var testDescription: String { json }
    }

    @Test(
        "what does not fit is named by its path",
        arguments: [
            Fault(json: #"{"a":[{},{"x":1.5}]}"#, path: "a[1].x"), Fault(json: #"{"a":{}}"#, path: "a"),
            Fault(json: #"{"a":[{"x":2147483648}]}"#, path: "a[0].x"), Fault(json: #"{"scale":"1"}"#, path: "scale"),
            Fault(json: #"{"scale":null}"#, path: "scale"), Fault(json: #"{"scale":1e39}"#, path: "scale"),
            Fault(json: #"{"k":[1,2]}"#, path: "k"), Fault(json: #"{"k":[1,2,true]}"#, path: "k"),
            Fault(json: #"{"s":["a",1]}"#, path: "s[1]"), Fault(json: #"{"flag":1}"#, path: "flag"),
            Fault(json: #"{"a":[{"x":1}"#, path: "a"), Fault(json: "[]", path: ""), Fault(json: "{} 1", path: ""),
        ]
    )
    func mismatches(_ fault: Fault) throws {
        let text =
            "Inner[] a\nfloat32 scale\nfloat64[3] k\nstring[] s\nbool flag\n" + String(repeating: "=", count: 80)
            + "\nMSG: p/Inner\nint32 x\n"
        let schema = try schema(text)
        let error = #expect(throws: JSONMismatch.self) { try schema.decode(json: Array(fault.json.utf8)) }
        #expect(error?.path == fault.path)
    }

    @Test("the level of a diagnostic status is a byte, given as a number")
    func diagnosticLevel() throws {
        let schema = MessageSchema.compiled(DiagnosticArray.self)
        let json = #"{"header":{},"status":[{"level":2,"name":"a","message":"","hardware_id":"","values":[]}]}"#
        let value = try schema.decode(json: Array(json.utf8))
        let message = try DiagnosticArray.decoding(cdr: try schema.encodedCDR(value))
        #expect(message.status.first?.level == 2)
    }
}
