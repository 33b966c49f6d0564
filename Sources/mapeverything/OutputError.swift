import Platform
import SystemPackage

/// How the command ends, as scripts see it (sysexits.h where it has a number).
enum ExitStatus: Int32, Error, CaseIterable {
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

    var meaning: String {
        switch self {
        case .done: "done"
        case .lossy: "done, but --strict and something was lost, or check found damage, or repair lost a part"
        case .usage: "wrong usage"
        case .badData: "the input is damaged beyond use, or a part of a bag is missing"
        case .noInput: "the input is not there, or is neither a session nor a bag"
        case .unavailable: "the server cannot be reached, or refuses"
        case .cannotCreate: "the output cannot be created"
        case .ioError: "reading or writing failed half way, such as on a full or broken disk"
        case .interrupted: "interrupted; everything written is valid"
        }
    }
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

    init(_ description: String) { self.description = description }

    init(_ option: String, expected: String, found: String) {
        description = "\(option): expected \(expected), found \(found)"
    }

    /// Refuses a value that an option cannot have.
    static func require(
        _ fits: Bool,
        _ option: String,
        _ expected: String,
        _ found: some CustomStringConvertible
    ) throws(UsageError) {
        if !fits { throw UsageError(option, expected: expected, found: found.description) }
    }

    /// The value of an option that is a number of things.
    static func count(_ option: String, _ value: Int, from least: Int, to most: Int) throws(UsageError) -> Int {
        try require((least...most).contains(value), option, "\(least) to \(most)", value)
        return value
    }
}

/// An error with what to do about it.
struct CommandError: Error, CustomStringConvertible {
    let description: String
    var advice: String?
    var status = ExitStatus.badData
}

/// A file or folder that cannot be created or written, with what to do about it.
struct OutputError: Error, CustomStringConvertible {
    private let path: String
    private let expected: String
    private let found: String
    let advice: String?
    let status: ExitStatus
    /// The error of the system; nil where it was not asked.
    let errno: Errno?

    var description: String { "\(path): expected \(expected), found \(found)" }

    init(path: String, expected: String, found: String, advice: String? = nil) {
        (self.path, self.expected, self.found, self.advice) = (path, expected, found, advice)
        (status, errno) = (.cannotCreate, nil)
    }

    /// The system's refusal, which is no matter of a name that is taken.
    init(_ error: FileError) {
        (path, expected, found) = (error.path.string, "to \(error.operation) it", error.found)
        (advice, status, errno) = (Self.advice(error.errno), Self.status(error.errno), error.errno)
    }

    /// The error of a file that could not be written as one of the output; others as they are.
    static func of(_ error: any Error) -> any Error {
        guard let error = error as? FileError else { return error }
        return OutputError(error)
    }

    /// The same where the output must be new.
    static func ofNew(_ error: FileError, _ output: String) -> any Error {
        guard error.errno == .fileExists else { return OutputError(error) }
        return OutputRefusal.taken(error.path)
    }

    /// A disk that is full or broken is told from a place that cannot be written.
    static func status(_ errno: Errno) -> ExitStatus {
        isFull(errno) || errno == .ioError ? .ioError : .cannotCreate
    }

    private static func isFull(_ errno: Errno) -> Bool {
        [.noSpace, .fileTooLarge, .diskQuotaExceeded].contains(errno)
    }

    /// Advice against a refusal of the system; nil where none is known.
    static func advice(_ errno: Errno) -> String? {
        if isFull(errno) { return "Free some space, or name a place on another disk." }
        return switch errno {
        case .permissionDenied, .notPermitted, .readOnlyFileSystem: "Name a place that you may write to."
        case .noSuchFileOrDirectory, .notDirectory:
            "Name a path in a folder that is there, or create that folder first."
        case .fileExists: "Name a path that does not exist yet."
        case .resourceBusy: "Another run is writing it: wait for it, or name another path."
        case .fileNameTooLong: "Name a shorter path."
        default: nil
        }
    }
}
