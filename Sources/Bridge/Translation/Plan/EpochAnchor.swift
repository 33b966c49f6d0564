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
        case archive = "the times of the files in the archive"
        case given = "--epoch"
        case now = "the time of this run"
        case boot = "none: stamps are seconds since the device booted"
        case unknown = "none: the recording does not say when it was made; stamps count from its own clock"

        /// True if stamps are Unix time.
        package var isKnown: Bool { self != .boot && self != .unknown }
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

    /// The same where it is Unix time; `nil` where the recording does not tell when it was made.
    package func unixNanoseconds(_ time: Timestamp) -> Int64? { source.isKnown ? stamp(time) : nil }

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

/// What decides the wall clock of a recording, beside the recording itself.
package struct ClockRequest: Sendable {
    package var policy = EpochPolicy.automatic
    /// Seconds east of UTC of a local calendar time, for dates without a zone; `nil` where the zone is not known.
    package var zoneOffset: @Sendable (CalendarDate) -> Int64? = { _ in nil }
    /// The time of this run, for ``EpochPolicy/now`` alone.
    package var nowNanoseconds: @Sendable () -> Int64 = { 0 }

    package init(_ policy: EpochPolicy = .automatic) { self.policy = policy }
}

extension EpochAnchor {
    /// Unix time before this is time since boot: no phone has been on for twenty years.
    package static let oldestUnixNanoseconds: Int64 = 631_152_000_000_000_000

    /// Where a clock that counts from the first frame is put: tf2 takes a stamp of 0 for "the newest", and samples may be a
    /// little older than the first frame.
    package static let leastStampNanoseconds: Int64 = 10_000_000_000

    /// Decides the anchor of a recording: the same for the same recording and request, whenever it is asked.
    package init(_ request: ClockRequest, _ summary: SessionSummary) {
        let first = summary.firstTime.nanoseconds
        switch request.policy {
        case .boot: self.init(offsetNanoseconds: 0, source: .boot)
        case .now: self.init(offsetNanoseconds: request.nowNanoseconds() &- first, source: .now)
        case .firstFrame(let unix): self.init(offsetNanoseconds: unix &- first, source: .given)
        case .automatic: self = Self.evident(summary.wallClock, first: first, request.zoneOffset)
        }
    }

    /// The anchor by the best evidence that there is.
    private static func evident(
        _ clock: WallClockEvidence,
        first: Int64,
        _ zoneOffset: (CalendarDate) -> Int64?
    ) -> EpochAnchor {
        func local(_ known: (date: CalendarDate, at: Timestamp), _ source: Source) -> EpochAnchor {
            let zone = zoneOffset(known.date)
            let unix = (known.date.secondsAsUTC - (zone ?? 0)) * 1_000_000_000
            let remark = zone == nil ? "taken as UTC; --timezone says otherwise" : nil
            return EpochAnchor(offsetNanoseconds: unix &- known.at.nanoseconds, source: source, remark: remark)
        }
        if first >= oldestUnixNanoseconds { return EpochAnchor(offsetNanoseconds: 0, source: .unixAlready) }
        if let offset = clock.locationOffsetNanoseconds {
            return EpochAnchor(offsetNanoseconds: offset, source: .location)
        }
        if let offset = clock.metadataOffsetNanoseconds {
            return EpochAnchor(offsetNanoseconds: offset, source: .metadata)
        }
        if let date = clock.nameDate { return local(date, .name) }
        if let (unix, at) = clock.fileTime {
            let offset = unix &- at.nanoseconds
            return EpochAnchor(offsetNanoseconds: offset, source: .fileTime, remark: "true only if copying kept them")
        }
        if let date = clock.archiveDate { return local(date, .archive) }
        let isEarly = first < leastStampNanoseconds
        return EpochAnchor(
            offsetNanoseconds: isEarly ? leastStampNanoseconds &- first : 0,
            source: .unknown,
            remark: (isEarly ? "10 s at the first frame; " : "") + "--epoch TIME tells it"
        )
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
