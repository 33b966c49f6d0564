import Foundation
import Messages
import TestSupport
import Testing
import Text

@Suite("YAML of dynamic messages")
struct YAMLTests {
    private func yaml(_ schema: MessageSchema, _ value: DynamicValue, isFull: Bool = false) throws -> String {
        var bytes: [UInt8] = []
        try schema.appendYAML(value, to: &bytes, isFull: isFull)
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test("block style, as ros2 topic echo has it")
    func layout() throws {
        let schema = MessageSchema.compiled(TFMessage.self)
        let json = #"{"transforms":[{"header":{"stamp":{"sec":1,"nanosec":2},"frame_id":"map"},"child_frame_id":""}]}"#
        let text = try yaml(schema, try schema.decode(json: Array(json.utf8)))
        #expect(
            text == """
                transforms:
                - header:
                    stamp:
                      sec: 1
                      nanosec: 2
                    frame_id: map
                  child_frame_id: ''
                  transform:
                    translation:
                      x: 0.0
                      y: 0.0
                      z: 0.0
                    rotation:
                      x: 0.0
                      y: 0.0
                      z: 0.0
                      w: 1.0
                ---

                """
        )
    }

    @Test("long arrays and strings are cut after 128, unless all is asked for")
    func cutting() throws {
        let schema = try MessageSchema(typeName: "p/msg/M", definitionText: "uint8[] a\nstring b\nstd_msgs/Empty[] c")
        func text(_ count: Int, isFull: Bool = false) throws -> String {
            let empties = [String](repeating: "{}", count: count).joined(separator: ",")
            let bytes = [String](repeating: "7", count: count).joined(separator: ",")
            let json = "{\"a\":[\(bytes)],\"b\":\"\(String(repeating: "ä", count: count))\",\"c\":[\(empties)]}"
            return try yaml(schema, try schema.decode(json: Array(json.utf8)), isFull: isFull)
        }
        #expect(try text(128).contains("...") == false)
        #expect(try text(128).split(separator: "\n").count == 128 * 2 + 4)
        #expect(try text(129).split(separator: "\n").filter { $0 == "- '...'" }.count == 2)
        #expect(try text(129).contains("b: " + String(repeating: "ä", count: 128) + "...\n"))
        #expect(try text(500).split(separator: "\n").count == 129 * 2 + 4)
        #expect(try text(500, isFull: true).split(separator: "\n").count == 500 * 2 + 4)
        #expect(try text(0) == "a: []\nb: ''\nc: []\n---\n")
        let empty = MessageSchema.compiled(EmptyMessage.self)
        #expect(try yaml(empty, try empty.decode(json: Array("{}".utf8))) == "{}\n---\n")
    }

    @Test("numbers that are not finite, and exponents, are what YAML 1.1 reads as numbers")
    func numbers() throws {
        let schema = try MessageSchema(typeName: "p/msg/M", definitionText: "float64[] a\nfloat32 b")
        let value = try schema.decode(json: Array("{\"a\":[NaN,Infinity,-Infinity,1e-7,1e300,-0.0],\"b\":0.1}".utf8))
        #expect(
            try yaml(schema, value)
                == "a:\n- .nan\n- .inf\n- -.inf\n- 1.0e-07\n- 1.0e+300\n- -0.0\nb: 0.10000000149011612\n---\n"
        )
    }

    @Test("no character that a terminal obeys is printed")
    func terminal() throws {
        let schema = try MessageSchema(typeName: "p/msg/M", definitionText: "string a\nstring[] b")
        let json = #"{"a":"\u001b[31m\u0007\n\r\u007f\u009b","b":["\u202e\u2066x\ufeff"]}"#
        let value = try schema.decode(json: Array(json.utf8))
        var bytes: [UInt8] = []
        try schema.appendYAML(value, to: &bytes)
        try schema.appendJSONLine(value, to: &bytes)
        let text = String(decoding: bytes, as: UTF8.self)
        for scalar in text.unicodeScalars where scalar != "\n" {
            #expect(scalar.value >= 0x20 && scalar.value < 0x7F, "U+\(String(scalar.value, radix: 16))")
        }
    }

    /// Prints whether each YAML document says what the JSON beside it says.
    private static let judge = """
        import base64, json, math, sys
        import numpy, yaml
        def same(kind, left, right):
            if isinstance(right, dict):
                return isinstance(left, dict) and list(left) == list(right) and all(
                    same(kind + "." + key, left[key], right[key]) for key in right)
            if isinstance(right, str) and isinstance(left, list):
                return left == list(base64.b64decode(right, validate=True))
            if isinstance(right, list):
                return isinstance(left, list) and len(left) == len(right) and all(
                    same(kind, a, b) for a, b in zip(left, right))
            if isinstance(right, float):
                return isinstance(left, float) and (left == right or numpy.float32(left) == numpy.float32(right))
            return type(left) is type(right) and left == right
        for line in sys.stdin:
            entry = json.loads(line)
            documents = list(yaml.safe_load_all(entry["yaml"]))
            wanted = json.loads(entry["json"])
            print(json.dumps(documents[1:] == [None] and same("", documents[0], wanted)))
        """

    @Test(
        "PyYAML reads back what was printed",
        .enabled(if: PeerPython.isAvailable, Comment(rawValue: PeerPython.absence))
    )
    func peer() throws {
        var input = ""
        for seed in 1...200 as ClosedRange<UInt64> {
            let random = RandomSchema(seed: seed)
            let schema = try MessageSchema(typeName: random.typeName, definitionText: random.definitionText)
            let value = try schema.decode(json: RandomJSON.text(schema.layout, seed: seed))
            var json: [UInt8] = []
            try schema.appendJSON(value, to: &json)
            let entry: JSONValue = [
                "yaml": .string(try yaml(schema, value, isFull: true)),
                "json": .string(String(decoding: json, as: UTF8.self)),
            ]
            input += entry.text() + "\n"
        }
        let outcome = try PeerPython.run(["-c", Self.judge], input: Data(input.utf8))
        let verdicts = outcome.output.split(separator: "\n")
        #expect(outcome.status == 0 && verdicts.count == 200, "\(outcome.everything)")
        let lines = input.split(separator: "\n")
        for (index, verdict) in verdicts.enumerated() { #expect(verdict == "true", "\(lines[index])") }
    }
}
