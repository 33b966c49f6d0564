import Playback

/// A time as users write it: one form and one wording of errors for all options that are a number of seconds.
enum Seconds {
    /// Which times an option takes; none takes more than a year.
    enum Bounds: String {
        case fromZero = "a time from 0 s"
        case aboveZero = "a time above 0 s"
        case aboveZeroToDay = "a time above 0 s and up to 24h"

        fileprivate func contains(_ seconds: Double) -> Bool {
            switch self {
            case .fromZero: (0...31_536_000).contains(seconds)
            case .aboveZero: seconds > 0 && seconds <= 31_536_000
            case .aboveZeroToDay: seconds > 0 && seconds <= 86_400
            }
        }
    }

    private static let units = [("ms", 0.001), ("s", 1), ("min", 60), ("m", 60), ("h", 3600)]

    /// What reads the value of an option.
    static func option(_ name: String, _ bounds: Bounds = .fromZero) -> @Sendable (String) throws -> Double {
        { try read($0, name, bounds) }
    }

    /// - Parameter others: what the option takes beside a time.
    static func read(
        _ text: String,
        _ option: String,
        _ bounds: Bounds = .fromZero,
        or others: String = ""
    ) throws(UsageError) -> Double {
        guard let seconds = of(text), bounds.contains(seconds) else {
            let expected = "\(bounds.rawValue), such as 3, 3.5s, 1500ms, 2m, 1h, 0:03 or 1:02:03"
            throw UsageError(option, expected: others.isEmpty ? expected : "\(expected); \(others)", found: text)
        }
        return seconds
    }

    /// The seconds of a text, which may be below 0; nil for one that is no time.
    static func of(_ text: some StringProtocol) -> Double? {
        let unit = units.first { text.hasSuffix($0.0) }
        let seconds =
            text.contains(":") ? clock(text) : number(text.dropLast(unit?.0.count ?? 0)).map { $0 * (unit?.1 ?? 1) }
        return seconds.flatMap { $0.isFinite ? $0 : nil }
    }

    /// Minutes and seconds, or hours before them; only what stands first has no limit.
    private static func clock(_ text: some StringProtocol) -> Double? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard (2...3).contains(parts.count) else { return nil }
        var sum = 0.0
        for (index, part) in parts.enumerated() {
            let isLast = index == parts.count - 1
            let whole = part.prefix { $0.isNumber }
            guard let value = number(part), index == 0 || whole.count == 2 && value < 60, !whole.isEmpty,
                isLast || whole.count == part.count
            else { return nil }
            sum = sum * 60 + value
        }
        return sum
    }

    /// A decimal number: what else `Double` reads is none here.
    private static func number(_ text: some StringProtocol) -> Double? {
        guard text.allSatisfy({ $0.isASCII && ($0.isNumber || ".eE+-".contains($0)) }) else { return nil }
        return Double(text)
    }
}

extension PlaybackPlace {
    /// What reads the value of an option.
    static func option(_ name: String) -> @Sendable (String) throws -> PlaybackPlace {
        { text in
            if let place = PlaybackPlace(text) { return place }
            return .seconds(try Seconds.read(text, name, or: "frame:N; or RFC 3339, such as 2026-03-27T14:22:33Z"))
        }
    }

    /// A frame, a date, or a time from the start; nil for another text.
    init?(_ text: String) {
        if text.hasPrefix("frame:") {
            guard let index = Int(text.dropFirst(6)), index >= 0 else { return nil }
            self = .frame(index)
        } else if let time = CivilTime.nanoseconds(rfc3339: text) {
            self = .date(nanoseconds: time)
        } else if let seconds = Seconds.of(text), seconds >= 0 {
            self = .seconds(seconds)
        } else {
            return nil
        }
    }
}
