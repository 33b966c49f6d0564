import ArgumentParser
import Dispatch
import Glibc
import Playback
import Text

/// Where commands to a player come from.
enum ControlInput: Sendable {
    case keyboard
    /// Lines of JSON on standard input.
    case lines

    /// The longest line that is read as one.
    private static let maximumLineLength = 64 << 10

    /// Hands what comes in to the control until the task is cancelled or the input ends.
    ///
    /// When the input ends, a paused player goes on, as no command to resume can come any more.
    func run(_ control: PlaybackControl) async {
        if self == .keyboard { Keyboard.begin() }
        defer { if self == .keyboard { Keyboard.end() } }
        var line: [UInt8] = []
        for await bytes in Self.standardInput() {
            switch self {
            case .keyboard:
                for command in Keyboard.commands(bytes) { await control.apply(command) }
            case .lines:
                for byte in bytes {
                    guard byte == UInt8(ascii: "\n") else {
                        if line.count <= Self.maximumLineLength { line.append(byte) }
                        continue
                    }
                    await take(line, control)
                    line = []
                }
            }
        }
        guard !Task.isCancelled else { return }
        if self == .lines, !line.isEmpty { await take(line, control) }
        if await control.isPaused { await control.apply(.resume) }
    }

    /// Carries out a line, and answers it with one on standard error.
    private func take(_ bytes: [UInt8], _ control: PlaybackControl) async {
        let text = String(decoding: bytes, as: UTF8.self)
        guard text.contains(where: { !$0.isWhitespace }) else { return }
        var problem: String?
        do throws(ControlLine.Refusal) {
            guard bytes.count <= Self.maximumLineLength else {
                throw ControlLine.Refusal(expected: "a line of at most \(Self.maximumLineLength) bytes", found: "more")
            }
            problem = await control.apply(try ControlLine.parse(text))
        } catch {
            problem = "\(error)"
        }
        let isPaused = await control.isPaused
        let rate = await control.rate
        let answer: JSONValue = [
            "control": .string(problem == nil ? "done" : "refused"), "problem": problem.map { .string($0) } ?? .null,
            "paused": .bool(isPaused), "rate": rate.map { .number($0) } ?? .null,
        ]
        Terminal.printError(answer.text())
    }

    /// The bytes of standard input as they come, read on a thread that ends with the process.
    private static func standardInput() -> AsyncStream<[UInt8]> {
        AsyncStream { continuation in
            DispatchQueue.global().async {
                var buffer = [UInt8](repeating: 0, count: 4096)
                while true {
                    let count = read(STDIN_FILENO, &buffer, buffer.count)
                    if count < 0, errno == EINTR { continue }
                    guard count > 0 else { break }
                    continuation.yield(Array(buffer[..<count]))
                }
                continuation.finish()
            }
        }
    }
}

/// Reads what a program writes to standard input under `--control stdin`: a JSON object on each line.
///
///     {"command":"pause"}                    {"command":"resume"}              {"command":"toggle"}
///     {"command":"step","frames":3}          {"command":"step","frames":-1}    {"command":"quit"}
///     {"command":"seek","to":12.5}           also "frame:90", or a date by RFC 3339
///     {"command":"rate","rate":2}
///
/// The value of a command may stand behind its name: `{"seek":12.5}`, `{"rate":2}`, `{"step":3}`, `{"pause":true}`.
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
        if let text = value.string, let place = PlaybackPlace(text) { return place }
        throw Refusal(expected: expected, found: value.text())
    }
}

/// The keys of a player on a terminal: space, right, left, up, down, q.
enum Keyboard {
    static let help = "space pauses, right and left step a frame, up and down change the rate, q ends"

    /// True if keys can be read: from a terminal, with this process in front of it.
    static var isAvailable: Bool {
        isatty(STDIN_FILENO) == 1 && isatty(STDERR_FILENO) == 1 && tcgetpgrp(STDIN_FILENO) == getpgrp()
    }

    /// How the terminal was before; asked once, before anything is changed.
    private static let originalMode: termios? = {
        var mode = termios()
        return tcgetattr(STDIN_FILENO, &mode) == 0 ? mode : nil
    }()

    /// Has keys arrive at once and unseen; however the process ends, the terminal is put back.
    static func begin() {
        guard var mode = originalMode else { return }
        atexit { Keyboard.end() }
        mode.c_lflag &= ~tcflag_t(ICANON | ECHO)
        tcsetattr(STDIN_FILENO, TCSANOW, &mode)
    }

    static func end() {
        if var mode = originalMode { tcsetattr(STDIN_FILENO, TCSANOW, &mode) }
    }

    /// The commands of the bytes that keys send; others mean nothing.
    static func commands(_ bytes: [UInt8]) -> [PlaybackCommand] {
        var commands: [PlaybackCommand] = []
        var rest = bytes[...]
        while let first = rest.popFirst() {
            if first == 0x1B, let second = rest.first, second == UInt8(ascii: "[") || second == UInt8(ascii: "O") {
                rest = rest.dropFirst()
                guard let key = rest.popFirst() else { break }
                switch key {
                case UInt8(ascii: "A"): commands.append(.changeRate(by: 1.1))
                case UInt8(ascii: "B"): commands.append(.changeRate(by: 1 / 1.1))
                case UInt8(ascii: "C"): commands.append(.step(1))
                case UInt8(ascii: "D"): commands.append(.stepBack)
                default: continue
                }
            } else if first == UInt8(ascii: " ") {
                commands.append(.togglePause)
            } else if first == UInt8(ascii: "q") || first == UInt8(ascii: "Q") {
                commands.append(.quit)
            }
        }
        return commands
    }
}
