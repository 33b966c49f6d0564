import Glibc
import JSONText

/// Standard output and standard error.
///
/// Results go to the first, everything else to the second. Names of topics, of devices and of files come from anybody:
/// what a terminal would obey instead of showing it is escaped here, as JSON does it, so that JSON stays what it is.
enum Terminal {
    static func print(_ text: String) { write(text.withControlsEscaped + "\n", to: STDOUT_FILENO) }

    /// Writes bytes to standard output as they are: text that was escaped as it was made.
    static func write(_ bytes: [UInt8]) { write(bytes[...], to: STDOUT_FILENO) }

    static func printError(_ text: String) { write(text.withControlsEscaped + "\n", to: STDERR_FILENO) }

    /// Puts a text in place of the line that the cursor is in.
    static func showProgress(_ text: String) { write("\r\u{1B}[K" + text.withControlsEscaped, to: STDERR_FILENO) }

    static var isErrorInteractive: Bool { isatty(STDERR_FILENO) == 1 }

    static var isOutputInteractive: Bool { isatty(STDOUT_FILENO) == 1 }

    /// Writes everything.
    ///
    /// A closed pipe is no error: its reader wants no more. Results that are lost otherwise are an error.
    private static func write(_ text: String, to descriptor: Int32) {
        write(Array(text.utf8)[...], to: descriptor)
    }

    private static func write(_ content: ArraySlice<UInt8>, to descriptor: Int32) {
        var bytes = content
        while !bytes.isEmpty {
            let count = bytes.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count > 0 {
                bytes = bytes.dropFirst(count)
            } else if errno == EPIPE {
                exit(ExitStatus.done.rawValue)
            } else if errno != EINTR && errno != EAGAIN {
                if descriptor == STDERR_FILENO { return }
                let reason = String(cString: strerror(errno))
                printError("mapeverything: output: standard output: expected to write, found: \(reason)")
                exit(ExitStatus.ioError.rawValue)
            }
        }
    }
}
