import Recording

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

    private static func two(_ value: Int64) -> String { value < 10 ? "0\(value)" : "\(value)" }

    /// The proleptic Gregorian date of a number of days since 1970-01-01, by counting in 400-year eras.
    private static func civil(_ days: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let part = (5 * dayOfYear + 2) / 153
        let month = part < 10 ? part + 3 : part - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * part + 2) / 5 + 1)
    }
}
