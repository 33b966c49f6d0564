/// How the command ends, as scripts see it (sysexits.h where it has a number).
enum ExitStatus: Int32, Error {
    case done = 0
    /// Done, but something was lost or skipped under `--strict`.
    case lossy = 1
    case usage = 2
    case badData = 65
    case noInput = 66
    case unavailable = 69
    case cannotCreate = 73
    case ioError = 74
    case interrupted = 130
}

/// An option whose value cannot be meant: printed with the usage status.
struct UsageError: Error, CustomStringConvertible {
    var description: String

    init(_ option: String, expected: String, found: String) {
        description = "\(option): expected \(expected), found \(found)"
    }
}
