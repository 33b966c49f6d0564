import TestSupport
import Testing
import Text

@Suite("Decimal seconds to nanoseconds")
struct DecimalSecondsTests {
    @Test(
        "is exact, and rounds half to even",
        arguments: [
            ("0", 0), ("-0", 0), ("1", 1_000_000_000), ("1700000000.123456789", 1_700_000_000_123_456_789),
            ("-1.5", -1_500_000_000), ("0.0000000005", 0), ("0.0000000015", 2), ("0.0000000025", 2),
            ("0.00000000250000000000000000000000000001", 3), ("0.0000000024999999999999999999999999999", 2),
            ("-0.0000000015", -2), ("1.5e3", 1_500_000_000_000), ("15E-1", 1_500_000_000), ("1e-9", 1), ("4e-10", 0),
            ("6e-10", 1), ("123456.0000000000000000000000000000000000", 123_456_000_000_000),
            ("0.9999999999", 1_000_000_000), ("9200000000", 9_200_000_000_000_000_000), ("0e999999", 0), ("5e-1000", 0),
            ("1234567890123456789012345678901234567890e-30", 1_234_567_890_123_456_789),
        ]
    )
    func exact(_ text: String, nanoseconds: Int64) throws {
        #expect(try decimalNanoseconds(text) == nanoseconds)
        for json in [text, "\"\(text)\""] {
            #expect(try scan(json) { (scanner) throws(JSONError) in try scanner.decimalNanoseconds() } == nanoseconds)
        }
    }

    @Test(
        "a table's spellings are taken from strings",
        arguments: [("+1.5", 1_500_000_000), (".5", 500_000_000), ("007.", 7_000_000_000)]
    )
    func lenient(_ text: String, nanoseconds: Int64) throws {
        #expect(try decimalNanoseconds(text) == nanoseconds)
        #expect(throws: JSONError.self) {
            try scan(text) { (scanner) throws(JSONError) in try scanner.decimalNanoseconds() }
        }
    }

    @Test(
        "what is no decimal is refused",
        arguments: ["", "-", ".", "1.2.3", "1e", "e5", "0x10", "nan", "1 ", " 1", "1,5", "--1"]
    )
    func notADecimal(_ text: String) {
        #expect(throws: DecimalSecondsError.notADecimal(text)) { try decimalNanoseconds(text) }
        #expect(throws: JSONError.self) {
            try scan("\"\(text)\"") { (scanner) throws(JSONError) in try scanner.decimalNanoseconds() }
        }
    }

    @Test(
        "what 64 bits cannot hold is refused",
        arguments: ["9200000000.000000001", "-9300000000", "1e10", "1e999999999999", "18446744073709551616", "1e20"]
    )
    func outOfRange(_ text: String) {
        #expect(throws: DecimalSecondsError.outOfRange(text)) { try decimalNanoseconds(text) }
        let error = #expect(throws: JSONError.self) {
            try scan(text) { (scanner) throws(JSONError) in try scanner.decimalNanoseconds() }
        }
        #expect(error?.expected == "seconds within ±9.2e9")
    }

    @Test("agrees with integer arithmetic on random times")
    func randomTimes() throws {
        var generator = SeededRandomNumbers(seed: 11)
        for _ in 0..<5_000 {
            let time = Int64.random(in: -9_000_000_000_000_000_000...9_000_000_000_000_000_000, using: &generator)
            let (seconds, rest) = time.magnitude.quotientAndRemainder(dividingBy: 1_000_000_000)
            let fraction = String(rest + 1_000_000_000).dropFirst()
            #expect(try decimalNanoseconds("\(time < 0 ? "-" : "")\(seconds).\(fraction)") == time)
        }
    }
}
