package import Recording
package import Sessions

/// The one integer that turns a session's own clock into Unix time, and where it comes from.
package struct EpochAnchor: Sendable, Hashable {
    package enum Source: String, Sendable {
        case location = "unix_time of the location fixes"
        case metadata = "startUnixTime in metadata.json"
        case unixAlready = "the session's times, which are Unix time"
        case name = "the date in the session's name"
        case fileTime = "the files' modification times"
        case given = "--epoch"
        case now = "the time of this run"
        case boot = "none: stamps are seconds since the device booted"
    }

    package var offsetNanoseconds: Int64
    package var source: Source
    /// A remark on how sure this is, where it is not.
    package var remark: String?

    package init(offsetNanoseconds: Int64, source: Source, remark: String? = nil) {
        self.offsetNanoseconds = offsetNanoseconds
        self.source = source
        self.remark = remark
    }

    /// Unix time in nanoseconds.
    package func stamp(_ time: Timestamp) -> Int64 { time.nanoseconds &+ offsetNanoseconds }

    /// The session's own time of a Unix time in nanoseconds.
    package func time(ofStamp stamp: Int64) -> Timestamp { Timestamp(nanoseconds: stamp &- offsetNanoseconds) }
}

/// The user's choice for the wall clock.
package enum EpochPolicy: Sendable, Hashable {
    /// The best evidence that the session has.
    case automatic
    /// The first frame was taken at this time.
    case firstFrame(unixNanoseconds: Int64)
    /// The first frame is taken now.
    case now
    /// Keep seconds since boot.
    case boot
}

extension EpochAnchor {
    /// Unix time before this is time since boot: no phone has been on for twenty years.
    package static let oldestUnixNanoseconds: Int64 = 631_152_000_000_000_000

    /// Decides the anchor for a session.
    ///
    /// - Parameters:
    ///   - zoneOffset: seconds east of UTC of a local calendar time, for names that carry a date without a zone.
    ///   - nowNanoseconds: the time of this run, for ``EpochPolicy/now`` and as the last resort.
    package static func resolve(
        _ policy: EpochPolicy,
        summary: SessionSummary,
        zoneOffset: (CalendarDate) -> Int64?,
        nowNanoseconds: Int64
    ) -> EpochAnchor {
        let first = summary.firstTime.nanoseconds
        switch policy {
        case .boot: return EpochAnchor(offsetNanoseconds: 0, source: .boot)
        case .now: return EpochAnchor(offsetNanoseconds: nowNanoseconds &- first, source: .now)
        case .firstFrame(let unix): return EpochAnchor(offsetNanoseconds: unix &- first, source: .given)
        case .automatic: break
        }
        let clock = summary.wallClock
        if first >= oldestUnixNanoseconds { return EpochAnchor(offsetNanoseconds: 0, source: .unixAlready) }
        if let offset = clock.locationOffsetNanoseconds {
            return EpochAnchor(offsetNanoseconds: offset, source: .location)
        }
        if let offset = clock.metadataOffsetNanoseconds {
            return EpochAnchor(offsetNanoseconds: offset, source: .metadata)
        }
        if let (date, at) = clock.nameDate {
            let zone = zoneOffset(date)
            let unix = (date.secondsAsUTC - (zone ?? 0)) * 1_000_000_000
            return EpochAnchor(
                offsetNanoseconds: unix &- at.nanoseconds,
                source: .name,
                remark: zone == nil ? "taken as UTC; --timezone says otherwise" : nil
            )
        }
        if let (unix, at) = clock.fileTime {
            return EpochAnchor(
                offsetNanoseconds: unix &- at.nanoseconds,
                source: .fileTime,
                remark: "true only if copying kept them"
            )
        }
        return EpochAnchor(offsetNanoseconds: nowNanoseconds &- first, source: .now, remark: "nothing else was known")
    }
}

/// Unix time as RFC 3339 text in UTC.
package enum CalendarText {
    /// Such as `2026-01-01T12:00:00Z`, or with nine decimals where `fraction` is asked for.
    package static func utc(nanoseconds: Int64, fraction: Bool = false) -> String {
        var (seconds, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
        if rest < 0 {
            seconds -= 1
            rest += 1_000_000_000
        }
        var (days, second) = seconds.quotientAndRemainder(dividingBy: 86_400)
        if second < 0 {
            days -= 1
            second += 86_400
        }
        let date = civil(days)
        let time = "\(two(second / 3600)):\(two(second / 60 % 60)):\(two(second % 60))"
        let decimals = fraction ? "." + padded(Int(rest), 9) : ""
        return "\(date.year)-\(two(date.month))-\(two(date.day))T\(time)\(decimals)Z"
    }

    /// Such as `2026-01-01 12:00:00 UTC`.
    package static func readable(nanoseconds: Int64) -> String {
        utc(nanoseconds: nanoseconds).replacing("T", with: " ").replacing("Z", with: " UTC")
    }

    private static func two(_ value: Int64) -> String { value < 10 ? "0\(value)" : "\(value)" }

    /// The Gregorian date of a number of days since 1970-01-01, by counting in 400-year eras.
    ///
    /// 64 bits of nanoseconds begin in 1677, in the fifth era.
    private static func civil(_ days: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let shifted = days + 719_468
        let era = shifted / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let part = (5 * dayOfYear + 2) / 153
        let month = part < 10 ? part + 3 : part - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * part + 2) / 5 + 1)
    }
}
