import ArgumentParser
import Replay
import Sessions

/// What a recording does not say, such as when it was made, and whether its depth is trusted.
struct RecordingOptions: ParsableArguments {
    @Option(
        help:
            "Time of the first frame: auto, now, boot (since the phone started), or an RFC 3339 time. Default: auto."
    )
    var epoch: String?

    @Option(
        parsing: .unconditional,
        help: "Time zone of the date in the session's name: Z, +HH:MM, local or a zone's name. Default: UTC."
    )
    var timezone: String?

    @Option(help: "Rate of the frames of a recording that has no times (transforms.json). Default: 10.")
    var fps: Double?

    @Flag(
        help: "Use depth that contradicts the poses of a recording; without it such depth is left out, and it is said."
    )
    var trustDepth = false

    @Flag(
        help:
            "Use pictures that damage of a video reaches, and what can be read of a damaged bag; what is missing is counted."
    )
    var acceptDamage = false

    /// Those about its clock, and whether they were given.
    var forClock: [(name: String, isGiven: Bool)] {
        [("--epoch", epoch != nil), ("--timezone", timezone != nil), ("--fps", fps != nil)]
    }

    /// Those about what it holds.
    var forContent: [(name: String, isGiven: Bool)] { [("--trust-depth", trustDepth)] }

    /// How the recording is opened.
    func opening() throws(UsageError) -> OpeningOptions {
        var options = OpeningOptions()
        options.trustsDepth = trustDepth
        options.acceptsDamage = acceptDamage
        guard let fps else { return options }
        guard fps >= 0.01, fps <= 1000 else {
            throw UsageError("--fps", expected: "0.01 to 1000 frames a second", found: "\(fps)")
        }
        options.framesPerSecond = fps
        return options
    }

    /// Seconds east of UTC at a local calendar time; `nil` where the zone is not known.
    func zoneOffset() throws -> @Sendable (CalendarDate) -> Int64? {
        guard let timezone else { return { _ in nil } }
        return try CivilTime.zone(timezone)
    }

    func policy() throws -> EpochPolicy {
        let epoch = epoch ?? "auto"
        switch epoch {
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
