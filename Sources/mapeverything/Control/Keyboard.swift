import Glibc
import Playback

/// The keys of a player on a terminal: space, right, left, up, down, q.
enum Keyboard {
    static let help = "space pauses, right and left step a frame, up and down change the rate, q ends"

    /// Whether keys can be read: a terminal, and this process in front of it.
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
