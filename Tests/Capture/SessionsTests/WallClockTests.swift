import Foundation
import Platform
import Recording
import Sessions
import SystemPackage
import TestSupport
import Testing

/// What a session says about the wall clock.
@Suite struct WallClockTests {
    @Test func nameOfTheFolder() throws {
        var builder = try SessionBuilder()
        builder.metadata = nil
        let evidence = try ReadSession(builder).summary.wallClock
        let name = try #require(evidence.nameDate)
        #expect(name.date == CalendarDate(year: 2026, month: 3, day: 27, hour: 14, minute: 22, second: 33))
        #expect(name.at.nanoseconds == 1_000_000_000_000)
        #expect(evidence.metadataOffsetNanoseconds == nil && evidence.locationOffsetNanoseconds == nil)
    }

    /// The name is that of the moment at which recording was started, which metadata.json has.
    @Test func sessionIDGoesWithTheStart() throws {
        let name = try #require(try ReadSession(SessionBuilder(), as: "renamed").summary.wallClock.nameDate)
        #expect(name.date.year == 2026 && name.at.nanoseconds == 999_900_000_000)
    }

    @Test func metadataAndFixes() throws {
        var builder = try SessionBuilder()
        builder.metadata?["startUnixTime"] = "\"1700000000.123456789\""
        let fixes = [
            ("1000.0", "1700000001.000000005"), ("1000.1", "1700000001.100000003"), ("1000.2", "1800000000"),
        ].map { "{\"timestamp\":\($0),\"unix_time\":\"\($1)\",\"latitude\":1,\"longitude\":2}\n" }
        builder.files["gps.jsonl"] = Array(fixes.joined().utf8)
        let evidence = try ReadSession(builder).summary.wallClock
        #expect(evidence.metadataOffsetNanoseconds == 1_699_999_000_223_456_789)
        // The median, so that one wrong fix does no harm.
        #expect(evidence.locationOffsetNanoseconds == 1_699_999_001_000_000_005)
    }

    @Test func modificationTimes() throws {
        for hasMetadata in [true, false] {
            var builder = try SessionBuilder()
            if !hasMetadata { builder.metadata = nil }
            let directory = try TemporaryDirectory()
            let root = try builder.write(into: directory.path)
            let file = root.appending(hasMetadata ? "metadata.json" : "frames.jsonl").string
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSince1970: 1_600_000_000)],
                ofItemAtPath: file
            )
            let time = try #require(try ReadSession(directory, path: root).summary.wallClock.fileTime)
            #expect(time.unixNanoseconds == 1_600_000_000_000_000_000)
            #expect(time.at.nanoseconds == (hasMetadata ? 1_000_800_000_000 : 1_000_600_000_000))
        }
    }

    /// An archive has the times of its entries: in Unix time, or without a zone; 1980 is what writers put who know none.
    @Test(arguments: ["tar", "zip"]) func timesOfEntries(kind: String) throws {
        func evidence(unix: Int = 0, date: Int = 0, time: Int = 0) throws -> WallClockEvidence {
            var builder = try SessionBuilder()
            builder.metadata = nil
            let directory = try TemporaryDirectory()
            let path = directory.appending("walk.\(kind)")
            let entries = HandmadeArchives.entries(builder.contents).map { entry in
                var entry = entry
                (entry.unixSeconds, entry.local) = (unix, (date, time))
                return entry
            }
            try SessionBuilder.write(
                kind == "tar" ? HandmadeArchives.tar(entries) : HandmadeArchives.zip(entries),
                to: path
            )
            return try ReadSession(directory, path: path).summary.wallClock
        }
        #expect(try evidence(unix: 1_600_000_000).fileTime?.unixNanoseconds == 1_600_000_000_000_000_000)
        #expect(try evidence().fileTime == nil && evidence().archiveDate == nil)
        guard kind == "zip" else { return }
        // 2026-03-27 14:22:32 by APPNOTE 4.4.6, and 1980-01-01.
        let known = try evidence(date: 46 << 9 | 3 << 5 | 27, time: 14 << 11 | 22 << 5 | 16)
        let expected = CalendarDate(year: 2026, month: 3, day: 27, hour: 14, minute: 22, second: 32)
        #expect(known.fileTime == nil && known.archiveDate?.date == expected)
        #expect(try evidence(date: 1 << 5 | 1).archiveDate == nil)
    }

    /// Clocks of file systems go further than nanoseconds in 64 bits; and no phone recorded in 1970.
    @Test(arguments: [10_413_792_000, 9_223_372_037, 2_147_483_648, 0])
    func impossibleModificationTimes(seconds: Int) throws {
        var builder = try SessionBuilder()
        builder.metadata = nil
        let directory = try TemporaryDirectory()
        let root = try builder.write(into: directory.path)
        let time = timespec(tv_sec: seconds, tv_nsec: 999_999_999)
        try #require(utimensat(AT_FDCWD, root.appending("frames.jsonl").string, [time, time], 0) == 0)
        let read = try ReadSession(directory, path: root)
        #expect(read.summary.wallClock.fileTime == nil && read.kinds[.impossibleFileTime] == 1, "\(read.kinds)")
        #expect(time.nanoseconds == (seconds < 9_223_372_037 ? Int64(seconds) * 1_000_000_000 + 999_999_999 : .max))
    }

    @Test(
        arguments: [
            ("session_20260327_142233", [2026, 3, 27, 14, 22, 33]), ("20000101_000000", [2000, 1, 1, 0, 0, 0]),
            ("a_20240229_235960_b.zip", [2024, 2, 29, 23, 59, 60]),
            ("session-20261231_115959", [2026, 12, 31, 11, 59, 59]),
        ]
    )
    func datesInNames(name: String, parts: [Int]) throws {
        let date = try #require(CalendarDate(inName: name))
        #expect([date.year, date.month, date.day, date.hour, date.minute, date.second] == parts)
    }

    @Test(
        arguments: [
            "", "session", "session_20260327", "session_20260327142233", "session_2026032_142233",
            "session_120260327_142233", "session_20260327_1422334", "session_20261327_142233",
            "session_20260027_142233",
            "session_20260230_142233", "session_20230229_142233", "session_20260431_142233", "session_20260300_142233",
            "session_20260327_242233", "session_20260327_146033", "session_20260327_142261", "session_25690327_142233",
            "session_٢٠٢٦٠٣٢٧_١٤٢٢٣٣", "session_00080327_142233",
        ]
    )
    func namesWithoutADate(name: String) {
        #expect(CalendarDate(inName: name) == nil)
    }

    @Test func secondsAreThoseOfFoundation() throws {
        var calendar = Calendar(identifier: .gregorian)
        calendar.timeZone = try #require(TimeZone(identifier: "UTC"))
        var numbers = SeededRandomNumbers(seed: 5)
        for _ in 0..<1000 {
            let seconds = Int64.random(in: 946_684_800...4_133_980_799, using: &numbers)
            let parts = calendar.dateComponents(
                [.year, .month, .day, .hour, .minute, .second],
                from: Date(timeIntervalSince1970: Double(seconds))
            )
            let date = CalendarDate(
                year: try #require(parts.year),
                month: try #require(parts.month),
                day: try #require(parts.day),
                hour: try #require(parts.hour),
                minute: try #require(parts.minute),
                second: try #require(parts.second)
            )
            #expect(date.secondsAsUTC == seconds)
        }
    }
}
