import ArgumentParser
import JSONText
import Playback

/// Reads what a program writes to standard input under `--control stdin`: a JSON object on each line.
///
///     {"command":"pause"}                    {"command":"resume"}              {"command":"toggle"}
///     {"command":"step","frames":3}          {"command":"step","frames":-1}    {"command":"quit"}
///     {"command":"seek","to":12.5}           also "frame:90", or a date by RFC 3339
///     {"command":"rate","rate":2}
enum ControlLine {
    /// Why a line is no command.
    struct Refusal: Error, CustomStringConvertible {
        var expected: String
        var found: String

        var description: String { "expected \(expected), found \(found)" }
    }

    static func parse(_ line: String) throws(Refusal) -> PlaybackCommand {
        let value: JSONValue
        do {
            value = try JSONValue.parse(line)
        } catch {
            throw Refusal(expected: #"an object such as {"command":"pause"}"#, found: "\(error)")
        }
        guard let object = value.object else {
            throw Refusal(expected: #"an object such as {"command":"pause"}"#, found: String(line.prefix(60)))
        }
        guard let name = object["command"]?.string else {
            throw Refusal(expected: "the member \"command\"", found: String(line.prefix(60)))
        }
        switch name {
        case "pause": return .pause
        case "resume", "play": return .resume
        case "toggle": return .togglePause
        case "step": return try step(object)
        case "seek": return .seek(try place(object))
        case "rate":
            guard let rate = object["rate"]?.number else {
                throw Refusal(expected: "the member \"rate\", a number", found: String(line.prefix(60)))
            }
            return .rate(rate)
        case "quit": return .quit
        default: throw Refusal(expected: "pause, resume, toggle, step, seek, rate or quit", found: "\"\(name)\"")
        }
    }

    private static func step(_ object: JSONObject) throws(Refusal) -> PlaybackCommand {
        guard let frames = object["frames"] else { return .step(1) }
        switch frames.integer {
        case .some(-1): return .stepBack
        case .some(1...1_000_000): return .step(Int(clamping: frames.integer ?? 1))
        default: throw Refusal(expected: "\"frames\" from 1 to 1000000, or -1", found: frames.text())
        }
    }

    private static func place(_ object: JSONObject) throws(Refusal) -> PlaybackPlace {
        let expected = "the member \"to\": seconds, \"frame:N\" or a date by RFC 3339"
        guard let value = object["to"] else { throw Refusal(expected: expected, found: "none") }
        if let seconds = value.number, seconds.isFinite, seconds >= 0 { return .seconds(seconds) }
        if let text = value.string, let place = PlaybackPlace(argument: text) { return place }
        throw Refusal(expected: expected, found: value.text())
    }
}
