import SystemPackage

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

/// A file of `--report` that could not be written.
struct ReportError: Error, CustomStringConvertible {
    var path: String
    var found: Errno
    var description: String { "--report: \(path): expected a file that can be written, found: \(found)" }
}

/// An option whose value cannot be meant: printed with the usage status.
struct UsageError: Error, CustomStringConvertible {
    var description: String

    init(_ option: String, expected: String, found: String) {
        description = "\(option): expected \(expected), found \(found)"
    }

    /// The value of an option that is a time to wait, of at most a year.
    static func seconds(_ option: String, _ value: Double) throws(UsageError) -> Duration {
        guard value >= 0, value <= 31_536_000 else {
            throw UsageError(option, expected: "seconds from 0 to 31536000", found: "\(value)")
        }
        return .seconds(value)
    }
    /// The value of an option that is a number of things.
    static func count(_ option: String, _ value: Int, from least: Int, to most: Int) throws(UsageError) -> Int {
        guard (least...most).contains(value) else {
            throw UsageError(option, expected: "\(least) to \(most)", found: "\(value)")
        }
        return value
    }
}
