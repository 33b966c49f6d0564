import ArgumentParser
import JSONText
import Playback

/// Reads what a program writes to standard input under `--control stdin`: a JSON object on each line.
///
///     {"command":"pause"}                    {"command":"resume"}              {"command":"toggle"}
///     {"command":"step","frames":3}          {"command":"step","frames":-1}    {"command":"quit"}
///     {"command":"seek","to":12.5}           also "frame:90", or a date by RFC 3339
///     {"command":"rate","rate":2}
///
/// What a command needs may stand behind its name: `{"seek":12.5}`, `{"rate":2}`, `{"step":3}`, `{"pause":true}`.
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
        let (name, arguments) = try named(object, line)
        switch name {
        case "pause": return .pause
        case "resume", "play": return .resume
        case "toggle": return .togglePause
        case "step": return try step(arguments)
        case "seek": return .seek(try place(arguments))
        case "rate":
            guard let rate = arguments["rate"]?.number else {
                throw Refusal(expected: "the member \"rate\", a number", found: String(line.prefix(60)))
            }
            return .rate(rate)
        case "loop": return .loop(arguments["loop"]?.bool ?? true)
        case "quit": return .quit
        default: throw Refusal(expected: "pause, resume, toggle, step, seek, rate, loop or quit", found: "\"\(name)\"")
        }
    }

    /// The name of the command, and the object that has what it needs.
    private static func named(_ object: JSONObject, _ line: String) throws(Refusal) -> (String, JSONObject) {
        if let name = object["command"]?.string { return (name, object) }
        guard let member = object.members.first, object.members.count == 1 else {
            throw Refusal(expected: "the member \"command\"", found: String(line.prefix(60)))
        }
        let key =
            switch member.key {
            case "seek": "to"
            case "step": "frames"
            default: member.key
            }
        // A command that needs nothing is asked for by `true` alone.
        if ["pause", "resume", "play", "toggle", "quit"].contains(key), member.value != .bool(true) {
            throw Refusal(expected: "{\"\(key)\":true}", found: String(line.prefix(60)))
        }
        return (member.key, JSONObject([JSONObject.Member(key: key, value: member.value)]))
    }

    private static func step(_ object: JSONObject) throws(Refusal) -> PlaybackCommand {
        guard let frames = object["frames"] else { return .step(1) }
        switch frames.integer {
        case _ where frames == .bool(true): return .step(1)
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
