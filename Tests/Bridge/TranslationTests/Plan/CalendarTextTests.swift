import Foundation
import TestSupport
import Testing
import Translation

@Suite struct CalendarTextTests {
    @Test func equalsFoundation() throws {
        let formatter = ISO8601DateFormatter()
        formatter.timeZone = TimeZone(identifier: "UTC")
        var numbers = SeededRandomNumbers(seed: 2)
        for _ in 0..<2000 {
            // 1677 to 2262, which is what 64 bits of nanoseconds hold; Foundation leaves the Gregorian calendar in 1582.
            let seconds = Int64.random(in: -9_223_372_036...9_223_372_036, using: &numbers)
            let text = CalendarText.utc(nanoseconds: seconds * 1_000_000_000)
            #expect(text == formatter.string(from: Date(timeIntervalSince1970: Double(seconds))))
        }
    }

    @Test(
        arguments: [
            (0, "1970-01-01T00:00:00.000000000Z"), (1, "1970-01-01T00:00:00.000000001Z"),
            (-1, "1969-12-31T23:59:59.999999999Z"), (1_767_268_800_050_000_000, "2026-01-01T12:00:00.050000000Z"),
            (951_782_400_000_000_000, "2000-02-29T00:00:00.000000000Z"),
            (4_107_542_399_999_999_999, "2100-02-28T23:59:59.999999999Z"),
            (4_107_542_400_000_000_000, "2100-03-01T00:00:00.000000000Z"),
            (-8_515_324_800_000_000_000, "1700-02-28T00:00:00.000000000Z"),
            (-8_515_238_400_000_000_000, "1700-03-01T00:00:00.000000000Z"),
            (1_078_012_800_000_000_000, "2004-02-29T00:00:00.000000000Z"),
            (Int64.min, "1677-09-21T00:12:43.145224192Z"), (Int64.max, "2262-04-11T23:47:16.854775807Z"),
        ]
    )
    func fractionsAndEdges(nanoseconds: Int64, text: String) {
        #expect(CalendarText.utc(nanoseconds: nanoseconds, fraction: true) == text)
        #expect(CalendarText.utc(nanoseconds: nanoseconds) == text.prefix(19) + "Z")
    }
}
