import Dispatch
import Glibc
import JSONText
import Playback

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

    /// What standard input says, as it comes; it is read on a thread of its own, which ends with the process.
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
