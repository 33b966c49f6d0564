import ArgumentParser
import Playback

/// How a recording is played, and who may steer it.
struct PlayerOptions: ParsableArguments {
    enum ControlForm: String, Choice {
        case auto, stdin, off
    }

    @Option(
        name: .shortAndLong,
        help: .value("factor", "Factor of the recorded speed, or max.")
    )
    var rate = "1"

    @Option(
        name: .shortAndLong,
        help: .value("times", "Play N times; stamps keep increasing. Without a number: forever. Default: once.")
    )
    var loop: Int?

    @Option(
        name: .shortAndLong,
        help: .rare("Seconds to wait before the first message. Default: 0.", "seconds"),
        transform: Seconds.option("--delay")
    )
    var delay: Double = 0

    @Flag(help: "Start paused: wait for the space bar or a command.") var startPaused = false

    @Option(
        help: .rare(
            "Skip gaps of the recording that are longer than this many seconds. Default: play all gaps.",
            "seconds"
        ),
        transform: Seconds.option("--skip-gaps", .aboveZero)
    )
    var skipGaps: Double?

    @Option(help: .value("hz", "Publish /clock; alone: at 40 Hz. Default: no /clock."))
    var clock: Double?

    @OptionGroup var progress: ProgressOptions

    @Option(
        help: ArgumentHelp(
            "Control of the player: auto (keys on a terminal), stdin (one JSON command on each line) or off.",
            discussion: """
                Keys: \(Keyboard.help). Commands: {"command":"pause"}, resume, toggle, step (with "frames"), seek (with \
                "to": seconds, "frame:N" or a date), rate (with "rate"), loop, quit; or short, {"seek":12.5}.
                """,
            valueName: "form",
            visibility: .rare
        )
    )
    var control = ControlForm.auto

    /// Everything but the clock's topic, which is the recording's business.
    func playback() throws -> PlaybackOptions {
        var options = PlaybackOptions()
        options.rate = try parsedRate()
        options.loops = try parsedLoops()
        options.startsPaused = startPaused
        options.skipGaps = skipGaps.map { .seconds($0) }
        if startPaused, input == nil {
            throw UsageError("--start-paused", expected: "keys of a terminal, or --control stdin", found: "neither")
        }
        return options
    }

    func clockHertz() throws -> Double? {
        if let clock { try UsageError.require(clock > 0 && clock <= 10_000, "--clock", "0 to 10000 Hz", clock) }
        return clock
    }

    /// Where commands come from; `nil` from nowhere.
    var input: ControlInput? {
        switch control {
        case .stdin: .lines
        case .auto: Keyboard.isAvailable ? .keyboard : nil
        case .off: nil
        }
    }

    private func parsedRate() throws -> Double? {
        if rate.lowercased() == "max" || rate == "0" { return nil }
        guard let value = Double(rate), value > 0, value <= 1000 else {
            throw UsageError("--rate", expected: "a number up to 1000, or max", found: rate)
        }
        return value
    }

    private func parsedLoops() throws -> Int? {
        guard let loop else { return 1 }
        try UsageError.require(loop >= 0, "--loop", "how often, or nothing", loop)
        return loop == 0 ? nil : loop
    }
}
