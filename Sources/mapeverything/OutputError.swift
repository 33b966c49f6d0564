import Files
import SystemPackage

/// A file or folder that cannot be created or written, with what to do about it.
struct OutputError: Error, CustomStringConvertible {
    private let path: String
    private let expected: String
    private let found: String
    let advice: String?
    let status: ExitStatus
    /// What the system said; nil where it was not asked.
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

    /// What is there where the output must be new.
    static func taken(_ path: String, mayForce: Bool = false) -> OutputError {
        let force = mayForce ? ", or replace the file with --force" : ""
        return OutputError(
            path: path,
            expected: "a path that does not exist yet",
            found: "one that does",
            advice: newName + force + "."
        )
    }

    /// The error of a file that could not be written as one of the output; others as they are.
    static func of(_ error: any Error) -> any Error {
        guard let error = error as? FileError else { return error }
        return OutputError(error)
    }

    /// The same where the output must be new.
    static func ofNew(_ error: FileError, _ output: String) -> OutputError {
        guard error.errno == .fileExists else { return OutputError(error) }
        guard error.path.string.hasSuffix(OutputFolder.suffix), !output.hasSuffix(OutputFolder.suffix) else {
            return taken(error.path.string)
        }
        return OutputError(
            path: error.path.string,
            expected: "a free name for the folder that is filled first",
            found: "something that no run has left",
            advice: "Move it away, or name another path."
        )
    }

    private static let newName = "Name a path that does not exist yet"

    /// A disk that is full or broken is told from a place that cannot be written.
    static func status(_ errno: Errno) -> ExitStatus {
        isFull(errno) || errno == .ioError ? .ioError : .cannotCreate
    }

    private static func isFull(_ errno: Errno) -> Bool {
        [.noSpace, .fileTooLarge, .diskQuotaExceeded].contains(errno)
    }

    /// What helps against a refusal of the system; nil where that is not known.
    static func advice(_ errno: Errno) -> String? {
        if isFull(errno) { return "Free some space, or name a place on another disk." }
        return switch errno {
        case .permissionDenied, .notPermitted, .readOnlyFileSystem: "Name a place that you may write to."
        case .noSuchFileOrDirectory, .notDirectory:
            "Name a path in a folder that is there, or create that folder first."
        case .fileExists: newName + "."
        case .resourceBusy: "Another run is writing it: wait for it, or name another path."
        case .fileNameTooLong: "Name a shorter path."
        default: nil
        }
    }
}
