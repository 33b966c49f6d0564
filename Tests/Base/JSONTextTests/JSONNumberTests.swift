import TestSupport
import Testing
import Text

@Suite("Numbers in JSON text")
struct JSONNumberTests {
    private func number(_ text: String) throws -> Double {
        try scan(text) { (scanner) throws(JSONError) in
            let value = try scanner.number()
            try scanner.finish()
            return value
        }
    }

    @Test(
        "rounds as the standard library does",
        arguments: [
            "0", "-0", "0.0", "-0.0e5", "1", "9007199254740993", "9007199254740992", "9007199254740991.5", "1e22",
            "1e23",
            "123456789012345678", "0.1", "0.30000000000000004", "2.2250738585072014e-308", "2.2250738585072011e-308",
            "5e-324", "2.4703282292062327e-324", "2.4703282292062328e-324", "1e-400", "1.7976931348623157e308",
            "-0.70710678118654757", "1700000000.123456789", "8.5e-22", "3e-22", "179769313486231570000e288",
            "0.000000000000000000000000000000000000001e39", "100000000000000000000000000000000000001e-38",
            "1.00000000000000011102230246251565404236316680908203125",
            "1.00000000000000011102230246251565404236316680908203124",
            "1.00000000000000011102230246251565404236316680908203126", "0e999999999999", "0.0e-999999999999",
        ]
    )
    func exactValues(_ text: String) throws {
        let expected = try #require(Double(text))
        #expect(try number(text).bitPattern == expected.bitPattern)
    }

    @Test("a digit far behind still decides a tie")
    func stickyDigit() throws {
        let tie = "1.00000000000000011102230246251565404236316680908203125"
        let above = tie + String(repeating: "0", count: 5_000) + "1"
        #expect(try number(tie) == 1)
        #expect(try number(tie + String(repeating: "0", count: 5_000)) == 1)
        #expect(try number(above) == 1.0.nextUp)
        #expect(try number(String(repeating: "9", count: 300) + "e-300") == 1)
    }

    @Test("random doubles read back bit for bit", arguments: [1, 2, 3, 4] as [UInt64])
    func randomDoubles(seed: UInt64) throws {
        var generator = SeededRandomNumbers(seed: seed)
        for _ in 0..<5_000 {
            let value = Double(bitPattern: generator.next())
            guard value.isFinite else { continue }
            #expect(try number(value.description).bitPattern == value.bitPattern)
        }
    }

    @Test("random digit strings round as the standard library does")
    func randomDigits() throws {
        var generator = SeededRandomNumbers(seed: 7)
        for _ in 0..<5_000 {
            let digits = (0..<Int.random(in: 1...30, using: &generator))
                .map { _ in String(Int.random(in: 0...9, using: &generator)) }.joined()
            let text =
                "\(Int.random(in: 0...9, using: &generator)).\(digits)e\(Int.random(in: -40...40, using: &generator))"
            #expect(try number(text).bitPattern == Double(text)?.bitPattern)
        }
    }

    @Test("a number beyond the range of a double is refused", arguments: ["1e309", "-1e999999999999", "2e308"])
    func overflow(_ text: String) {
        let error = #expect(throws: JSONError.self) { try number(text) }
        #expect(error?.expected == "a number within the range of a double")
    }

    @Test("non-finite tokens are taken only on request")
    func nonFinite() throws {
        for (text, expected) in [("NaN", Double.nan), ("Infinity", .infinity), ("-Infinity", -.infinity)] {
            let error = #expect(throws: JSONError.self) { try number(text) }
            #expect(error?.found == text)
            let value = try scan(text, allowsNonFinite: true) { (scanner) throws(JSONError) in try scanner.number() }
            #expect(value == expected || value.isNaN && expected.isNaN)
        }
        #expect(throws: JSONError.self) {
            try scan("Inf", allowsNonFinite: true) { (scanner) throws(JSONError) in try scanner.skipValue() }
        }
    }

    @Test("integers are exact, or refused")
    func integers() throws {
        func integer(_ text: String) throws -> Int64 {
            try scan(text) { (scanner) throws(JSONError) in try scanner.integer() }
        }
        for value in [0, 1, -1, 640, Int64.max, Int64.min, 9_007_199_254_740_993] {
            #expect(try integer(String(value)) == value)
        }
        #expect(try integer("-0") == 0)
        for text in [
            "640.0", "1e3", "9223372036854775808", "-9223372036854775809", "99999999999999999999999", "\"1\"", "true",
        ] {
            #expect(throws: JSONError.self) { try integer(text) }
        }
    }

    @Test("unsigned integers reach 2^64 - 1 and no further")
    func unsignedIntegers() throws {
        func unsigned(_ text: String) throws -> UInt64 {
            try scan(text) { (scanner) throws(JSONError) in try scanner.unsignedInteger() }
        }
        for value in [0, 1, UInt64(Int64.max) + 1, 9_999_999_999_999_999_999, 10_000_000_000_000_000_000, .max] {
            #expect(try unsigned(String(value)) == value)
        }
        #expect(try unsigned("-0") == 0)
        for text in ["-1", "18446744073709551616", "20000000000000000000", "184467440737095516150", "1.0"] {
            #expect(throws: JSONError.self) { try unsigned(text) }
        }
    }

    @Test(
        "whole numbers may be written with a point or an exponent",
        arguments: [
            ("1920", 1920), ("1920.0", 1920), ("1.92e3", 1920), ("19200e-1", 1920), ("-1440.000", -1440), ("0.0", 0),
            ("0e9", 0), ("1e18", 1_000_000_000_000_000_000), ("-9223372036854775808", Int64.min), ("1e0", 1),
        ]
    )
    func wholeNumbers(_ text: String, value: Int64) throws {
        #expect(try scan(text) { (scanner) throws(JSONError) in try scanner.wholeNumber() } == value)
    }

    @Test(
        "a fraction is no whole number",
        arguments: ["1920.5", "1e-1", "1e19", "9223372036854775808", "1e400", "null"]
    )
    func fractions(_ text: String) {
        #expect(throws: JSONError.self) { try scan(text) { (scanner) throws(JSONError) in try scanner.wholeNumber() } }
    }
}
