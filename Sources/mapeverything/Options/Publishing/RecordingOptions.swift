import ArgumentParser
import Glibc
import Platform
import Sessions
import Translation

/// Facts that a recording lacks, such as when it was made, and trust in its depth.
struct RecordingOptions: ParsableArguments {
    @Option(
        help: .rare(
            "Time of the first frame: auto, now, boot (since the phone started) or RFC 3339. Default: auto.",
            "time"
        )
    )
    var epoch: String?

    @Option(
        parsing: .unconditional,
        help: .rare("Time zone of the date in the name: Z, +HH:MM, local or a zone's name. Default: UTC.", "zone")
    )
    var timezone: String?

    @Option(
        help: .rare(
            "Rate of the frames of a recording that has no times (transforms.json), or of the steps of lerobot. Default: 10; lerobot: 30, or the slowest recording's.",
            "hz"
        )
    )
    var fps: Double?

    @Flag(help: .rare("Use depth that contradicts the poses. Default: such depth is left out, and reported."))
    var trustDepth = false

    @Flag(help: .rare("Use damaged pictures of a video, and what can be read of a damaged bag; the rest is counted."))
    var acceptDamage = false

    @OptionGroup var poses: PoseOptions
    @OptionGroup var depth: DepthSourceOptions

    /// Opens a recording or a bag to make something of it, with the poses and the depth that are asked for.
    ///
    /// - Parameter use: what is made of the depth.
    func open(
        _ path: String,
        for use: DepthSourceOptions.Use = .topics,
        jobs: Int,
        _ command: String,
        _ progress: ProgressOptions
    ) async throws -> OpenedRecording {
        let plan = try depth.plan(use)
        let posed = try await poses.applied(to: openAsRecorded(path), jobs: jobs, command, progress)
        return posed.with(try DepthSourceOptions.session(posed.session, plan))
    }

    /// The same with its recorded poses and depth.
    func openAsRecorded(_ path: String) throws -> OpenedRecording {
        var options = OpenOptions()
        options.assumptions.trustsDepth = trustDepth
        options.assumptions.acceptsDamage = acceptDamage
        if let fps {
            try UsageError.require(fps >= 0.01 && fps <= 1000, "--fps", "0.01 to 1000 frames a second", fps)
            options.assumptions.framesPerSecond = fps
        }
        options.clock = ClockRequest(try policy())
        options.clock.nowNanoseconds = { WallClock.nowNanoseconds() }
        if let timezone { options.clock.zoneOffset = try CivilTime.zone(timezone) }
        return try OpenedRecording.open(path, options)
    }

    private func policy() throws -> EpochPolicy {
        let epoch = epoch ?? "auto"
        switch epoch.lowercased() {
        case "auto": return .automatic
        case "now": return .now
        case "boot": return .boot
        default:
            // The seconds of a ROS stamp are 32 bits with a sign.
            guard let time = CivilTime.nanoseconds(rfc3339: epoch), time >= 0, time < 2_147_000_000_000_000_000 else {
                throw UsageError(
                    "--epoch",
                    expected: "auto, now, boot or RFC 3339 from 1970 to 2037, such as 2026-03-27T14:22:33Z",
                    found: epoch
                )
            }
            return .firstFrame(unixNanoseconds: time)
        }
    }
}

/// Time zones and RFC 3339 times of the options.
enum CivilTime {
    /// The offset of a zone at a local time, in seconds east of UTC.
    ///
    /// - Parameter zone: `Z`, `+02:00`, `local`, or a name of the tz database such as `Europe/Berlin`.
    static func zone(_ text: String) throws -> @Sendable (CalendarDate) -> Int64? {
        if text == "Z" || text == "UTC" { return { _ in 0 } }
        if let offset = fixedOffset(text) { return { _ in offset } }
        guard text == "local" || isKnown(text) else {
            throw UsageError("--timezone", expected: "Z, +HH:MM, local or a name such as Europe/Berlin", found: text)
        }
        // The C library converts in the zone of the environment; this runs before any other task does.
        if text != "local" { setenv("TZ", text, 1) }
        tzset()
        return { date in
            var parts = tm()
            parts.tm_year = Int32(date.year - 1900)
            parts.tm_mon = Int32(date.month - 1)
            parts.tm_mday = Int32(date.day)
            parts.tm_hour = Int32(date.hour)
            parts.tm_min = Int32(date.minute)
            parts.tm_sec = Int32(date.second)
            parts.tm_isdst = -1
            let unix = mktime(&parts)
            return unix == -1 ? nil : date.secondsAsUTC - Int64(unix)
        }
    }

    private static func fixedOffset(_ text: String) -> Int64? {
        guard let sign = text.first, sign == "+" || sign == "-" else { return nil }
        let parts = text.dropFirst().split(separator: ":")
        guard parts.count == 2, let hours = Int64(parts[0]), let minutes = Int64(parts[1]),
            (0..<15).contains(hours), (0..<60).contains(minutes)
        else { return nil }
        return (hours * 3600 + minutes * 60) * (sign == "-" ? -1 : 1)
    }

    private static func isKnown(_ name: String) -> Bool {
        !name.isEmpty && !name.contains("..") && access("/usr/share/zoneinfo/\(name)", R_OK) == 0
    }

    /// RFC 3339 text, such as `2026-03-27T14:22:33.5+01:00`, as nanoseconds since 1970.
    static func nanoseconds(rfc3339 text: String) -> Int64? {
        let bytes = Array(text.utf8)
        guard bytes.count >= 20, bytes[4] == 0x2D, bytes[7] == 0x2D, bytes[13] == 0x3A, bytes[16] == 0x3A,
            bytes[10] == 0x54 || bytes[10] == 0x74 || bytes[10] == 0x20
        else { return nil }
        func number(_ range: Range<Int>) -> Int? { Int(String(decoding: bytes[range], as: UTF8.self)) }
        guard let year = number(0..<4), let month = number(5..<7), let day = number(8..<10),
            let hour = number(11..<13), let minute = number(14..<16), let second = number(17..<19),
            (1...12).contains(month), (1...31).contains(day), hour < 24, minute < 60, second < 61,
            // Nanoseconds of these years fit into 64 bits.
            (1970...2261).contains(year)
        else { return nil }
        var rest = String(decoding: bytes[19...], as: UTF8.self)[...]
        var fraction: Int64 = 0
        if rest.first == "." {
            let digits = rest.dropFirst().prefix { $0.isNumber && $0.isASCII }
            guard !digits.isEmpty, digits.count <= 9, let value = Int64(digits) else { return nil }
            fraction = (0..<(9 - digits.count)).reduce(value) { value, _ in value * 10 }
            rest = rest.dropFirst(1 + digits.count)
        }
        let offset: Int64
        if rest == "Z" || rest == "z" {
            offset = 0
        } else if let fixed = fixedOffset(String(rest)) {
            offset = fixed
        } else {
            return nil
        }
        let date = CalendarDate(year: year, month: month, day: day, hour: hour, minute: minute, second: second)
        return (date.secondsAsUTC - offset) * 1_000_000_000 + fraction
    }
}
