import Foundation
import TestSupport
import Testing
import Text

@Suite("JSON trees and their text")
struct JSONValueTests {
    static let sample: JSONValue = [
        "zebra": [1, -2, 0.5, nil, true], "apple": ["x": "a/b\"\\\n\u{1}\u{1F}é😀", "": []], "mango": [:],
        "big": .unsignedInteger(.max),
    ]

    @Test("is written compactly, in the order given")
    func compact() {
        #expect(
            Self.sample.text()
                == #"{"zebra":[1,-2,0.5,null,true],"apple":{"x":"a/b\"\\\n\u0001\u001fé😀","":[]},"mango":{},"big":18446744073709551615}"#
        )
    }

    @Test("is written for people with two spaces a level")
    func pretty() {
        let value: JSONValue = ["a": [1, ["b": []]], "c": [:]]
        let expected = """
            {
              "a": [
                1,
                {
                  "b": []
                }
              ],
              "c": {}
            }
            """
        #expect(value.text(style: .pretty) == expected)
    }

    @Test("reads back equal, in both styles")
    func roundTrip() throws {
        #expect(try JSONValue.parse(Self.sample.text()) == Self.sample)
        #expect(try JSONValue.parse(Self.sample.text(style: .pretty)) == Self.sample)
    }

    @Test(
        "floating-point numbers are the shortest legal JSON that reads back",
        arguments: [
            (0.0, "0.0"), (-0.0, "-0.0"), (1, "1.0"), (-640, "-640.0"), (0.1, "0.1"), (1e-5, "1e-05"),
            (.leastNonzeroMagnitude, "5e-324"),
            (1e16, "1e+16"), (1.7976931348623157e308, "1.7976931348623157e+308"), (2_147_483_648, "2147483648.0"),
        ]
    )
    func doubles(_ value: Double, text: String) throws {
        var bytes: [UInt8] = []
        JSONAppend.number(value, to: &bytes)
        #expect(String(decoding: bytes, as: UTF8.self) == text)
        let object = try JSONSerialization.jsonObject(with: Data(bytes), options: .fragmentsAllowed) as? Double
        #expect(object?.bitPattern == value.bitPattern)
    }

    @Test("single precision has its own shortest form")
    func floats() {
        for (value, text) in [
            (Float(0.1), "0.1"), (16_777_216, "16777216.0"), (3.4028235e38, "3.4028235e+38"), (-0.0, "-0.0"),
        ] {
            var bytes: [UInt8] = []
            JSONAppend.number(value, to: &bytes)
            #expect(String(decoding: bytes, as: UTF8.self) == text)
        }
    }

    @Test(
        "integers of every length",
        arguments: [0, 9, 10, -1, 99, 100, .max, .min, 1_234_567_890_123_456_789] as [Int64]
    )
    func integers(_ value: Int64) {
        var bytes: [UInt8] = []
        JSONAppend.integer(value, to: &bytes)
        #expect(String(decoding: bytes, as: UTF8.self) == String(value))
    }

    @Test("numbers keep their kind")
    func numberKinds() throws {
        let text = "[1,1.0,-0,9223372036854775807,9223372036854775808,18446744073709551616,1e2,-9223372036854775808]"
        #expect(
            try JSONValue.parse(text) == [
                1, .number(1), .number(-0.0), .integer(Int64.max), .unsignedInteger(1 << 63),
                .number(18_446_744_073_709_551_616),
                .number(100), .integer(Int64.min),
            ]
        )
    }

    @Test("the last of two equal keys counts")
    func duplicateKeys() throws {
        let value = try JSONValue.parse(#"{"a":1,"b":2,"a":3}"#)
        #expect(value["a"] == 3)
        #expect(value.object?.keys == ["a", "b", "a"])
    }

    @Test("a tree of too many values is refused before it is built")
    func valueLimit() throws {
        #expect(try JSONValue.parse("[1,2,3]", valueLimit: 4) == [1, 2, 3])
        let error = #expect(throws: JSONError.self) { try JSONValue.parse("[1,2,3]", valueLimit: 3) }
        #expect(error?.expected == "at most 3 values")
        #expect(error?.offset == 5)
    }

    @Test("agrees with Foundation on what is JSON", arguments: [21, 22, 23] as [UInt64])
    func mutatedTexts(seed: UInt64) throws {
        var generator = SeededRandomNumbers(seed: seed)
        let original = Array(JSONScannerTests.frame.utf8)
        for _ in 0..<2_000 {
            var bytes = original
            for _ in 0..<Int.random(in: 1...3, using: &generator) {
                let index = Int.random(in: 0..<bytes.count, using: &generator)
                switch Int.random(in: 0..<3, using: &generator) {
                case 0: bytes[index] = UInt8.random(in: 0...127, using: &generator)
                case 1: bytes.remove(at: index)
                default: bytes.insert(original.randomElement(using: &generator) ?? 0, at: index)
                }
            }
            let tree = try? JSONValue.parse(bytes)
            let isFoundation = (try? JSONSerialization.jsonObject(with: Data(bytes), options: .fragmentsAllowed)) != nil
            let isSkimmed: Bool
            do throws(JSONError) {
                try skim(bytes)
                isSkimmed = true
                #expect(isFoundation, "\(String(decoding: bytes, as: UTF8.self))")
            } catch {
                isSkimmed = false
                // Foundation lets a comma stand before a closing bracket, which RFC 8259 does not.
                let isTrailingComma = bytes[..<error.offset].last { $0 > 0x20 } == UInt8(ascii: ",")
                #expect(!isFoundation || isTrailingComma, "\(String(decoding: bytes, as: UTF8.self))")
            }
            // A tree also refuses numbers beyond the range of a double.
            if let tree { #expect(try JSONValue.parse(tree.text()) == tree) }
            if tree != nil { #expect(isSkimmed) }
        }
    }
}
