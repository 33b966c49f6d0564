import Recording
import Sessions
import Testing
import Translation

@Suite struct EpochAnchorTests {
    private static let second: Int64 = 1_000_000_000
    private static let now = 1_790_000_000 * second
    private static let noon = CalendarDate(year: 2026, month: 3, day: 27, hour: 14, minute: 22, second: 33)
    /// 2026-03-27T14:22:33Z, by `date -u -d`.
    private static let noonUnix: Int64 = 1_774_621_353

    private func resolve(
        _ policy: EpochPolicy = .automatic,
        zone: Int64? = nil,
        _ change: (inout SessionSummary) -> Void = { _ in }
    ) -> EpochAnchor {
        var summary = SessionSummary(name: "s", format: "native")
        summary.firstTime = Timestamp(nanoseconds: 1000 * Self.second)
        summary.lastTime = Timestamp(nanoseconds: 1010 * Self.second)
        change(&summary)
        var request = ClockRequest(policy)
        request.zoneOffset = { _ in zone }
        request.nowNanoseconds = { Self.now }
        return EpochAnchor(request, summary)
    }

    @Test func policies() {
        #expect(resolve(.boot) == EpochAnchor(offsetNanoseconds: 0, source: .boot))
        #expect(resolve(.now).stamp(Timestamp(nanoseconds: 1000 * Self.second)) == Self.now)
        let given = resolve(.firstFrame(unixNanoseconds: 1_700_000_000_123_456_789))
        #expect(given.source == .given)
        #expect(given.stamp(Timestamp(nanoseconds: 1000 * Self.second)) == 1_700_000_000_123_456_789)
        #expect(given.stamp(Timestamp(nanoseconds: 1000 * Self.second + 7)) == 1_700_000_000_123_456_796)
    }

    /// The best evidence wins: fixes, then metadata, then the name, then the files' times, then none: never the time of this run.
    @Test func evidenceHasAnOrder() {
        var known: [(inout WallClockEvidence) -> Void] = [
            { $0.fileTime = (1500 * Self.second, Timestamp(nanoseconds: 1010 * Self.second)) },
            { $0.nameDate = (Self.noon, Timestamp(nanoseconds: 999 * Self.second)) },
            { $0.metadataOffsetNanoseconds = 77 },
            { $0.locationOffsetNanoseconds = 88 },
        ]
        let expected: [(EpochAnchor.Source, Int64)] = [
            (.fileTime, 490 * Self.second), (.name, (Self.noonUnix - 999) * Self.second), (.metadata, 77),
            (.location, 88),
        ]
        for count in 1...4 {
            let anchor = resolve { summary in known.prefix(count).forEach { $0(&summary.wallClock) } }
            #expect(anchor.source == expected[count - 1].0)
            #expect(anchor.offsetNanoseconds == expected[count - 1].1)
        }
        known.removeAll()
        let nothing = resolve()
        #expect(nothing.source == .unknown && nothing.remark != nil && nothing.offsetNanoseconds == 0)
    }

    /// tf2 takes a stamp of 0 for the newest: a clock that begins there is put 10 s on.
    @Test(arguments: [0, 1, 9_999_999_999]) func clocksThatBeginAtZeroArePutOn(first: Int64) {
        let anchor = resolve { $0.firstTime = Timestamp(nanoseconds: first) }
        #expect(anchor.source == .unknown && anchor.stamp(Timestamp(nanoseconds: first)) == 10 * Self.second)
    }

    /// The dates in names and in archives have no zone.
    @Test(arguments: [true, false]) func namesAreLocalTimes(inArchive: Bool) {
        let set: (inout SessionSummary) -> Void = {
            let known = (Self.noon, Timestamp(nanoseconds: 1000 * Self.second))
            if inArchive { $0.wallClock.archiveDate = known } else { $0.wallClock.nameDate = known }
        }
        let utc = resolve(.automatic, set)
        #expect(utc.remark?.contains("UTC") == true)
        let summerTime = resolve(.automatic, zone: 7200, set)
        #expect(summerTime.remark == nil)
        #expect(utc.offsetNanoseconds - summerTime.offsetNanoseconds == 7200 * Self.second)
        #expect(summerTime.stamp(Timestamp(nanoseconds: 1000 * Self.second)) == (Self.noonUnix - 7200) * Self.second)
    }

    @Test func unixTimesNeedNoAnchor() {
        let anchor = resolve { summary in
            summary.firstTime = Timestamp(nanoseconds: 1_600_000_000 * Self.second)
            summary.lastTime = summary.firstTime
            summary.wallClock.metadataOffsetNanoseconds = 5
        }
        #expect(anchor.source == .unixAlready && anchor.offsetNanoseconds == 0)
    }

    /// `date -u -d 1990-01-01 +%s` is 631152000: from then on a time is that of a calendar.
    @Test func timeSinceBootEndsIn1990() {
        let cases: [(Int64, EpochAnchor.Source)] = [(-1, .unknown), (0, .unixAlready), (1, .unixAlready)]
        for (offset, source) in cases {
            let anchor = resolve { summary in
                summary.firstTime = Timestamp(nanoseconds: 631_152_000 * Self.second + offset)
                summary.lastTime = summary.firstTime
            }
            #expect(anchor.source == source)
        }
    }
}
