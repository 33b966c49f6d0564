import ArgumentParser
import BagPlayback
import Bags
import Batch
import Exports
import Files
import Glibc
import PointClouds
import Replay
import Rosbridge
import Sessions
import Synthetic
import SystemPackage
import Trimming

/// Prints an error once, with what to do about it where something can be done, and ends with the right status.
enum ErrorReport {
    static func finish(_ error: any Error, command: any ParsableCommand.Type) -> Never {
        if let status = error as? ExitStatus { exit(status.rawValue) }
        let arguments = Array(CommandLine.arguments.dropFirst())
        if let (text, advice, status) = describe(error) {
            Terminal.printError("mapeverything: \(text)")
            let isInput = [.noInput, .badData].contains(status)
            if let advice = isInput ? CommandHints.wrongInput(arguments) ?? advice : advice {
                Terminal.printError(advice)
            }
            exit(status.rawValue)
        }
        // The argument parser's own: help and version go to stdout with status 0, the rest is wrong usage.
        let text = MapEverything.fullMessage(for: error)
        let code = MapEverything.exitCode(for: error)
        if let unknown = CommandHints.unknownCommand(arguments) {
            Terminal.printError(
                "mapeverything: \(unknown)\nUsage: mapeverything <command>; `mapeverything --help` lists them"
            )
            exit(ExitStatus.usage.rawValue)
        }
        if code.isSuccess {
            Terminal.print(text)
            exit(0)
        }
        Terminal.printError(text.hasPrefix("Error: ") ? "mapeverything: " + text.dropFirst(7) : text)
        if let advice = CommandHints.misreading(text, arguments) { Terminal.printError(advice) }
        exit(ExitStatus.usage.rawValue)
    }

    /// The text, a line of advice, and the status of an error of ours; `nil` for the argument parser's.
    static func describe(_ error: any Error) -> (String, String?, ExitStatus)? {
        switch error {
        case let error as UsageError: (error.description, nil, .usage)
        case let error as NoInputError: (error.description, sampleAdvice(error.found), .noInput)
        case let error as SessionError: describe(error)
        case let error as Problem: (error.description, nil, .badData)
        case let error as PlanError:
            (error.description, "`mapeverything inspect` shows what the session holds.", .usage)
        case let error as ProfileError: (error.description, nil, .usage)
        case let error as CloudError: (error.description, nil, .usage)
        case let error as RosbridgeURLError: (error.description, nil, .usage)
        case let error as RosbridgeError: (error.description, error.advice, .unavailable)
        case let error as TLSFileError: (error.description, error.advice, error.isMissing ? .noInput : .badData)
        case let error as BagError: describe(error)
        case let error as BagPlaybackError: describe(error)
        case let error as UnknownTopicError: (error.description, error.advice, .badData)
        case let error as UnrepairableError: (error.description, nil, .badData)
        case let error as SyntheticError: describe(error)
        case let error as SessionRepairError: describe(error)
        case let error as EmptyMapError: (error.description, error.advice, .badData)
        case let error as ExportError: describe(error)
        case let error as TrimError:
            (error.description, "`mapeverything inspect` shows what the session holds.", .badData)
        case let error as OutputError: (error.description, error.advice, error.status)
        case let error as FileError: describe(error)
        case let error as TagFileError: (error.description, nil, error.isMissing ? .noInput : .badData)
        case let error as BatchError: describe(error)
        case let error as BatchTargetError: (error.description, "Nothing was run: try again.", .ioError)
        case let error as ReportError:
            (error.description, OutputError.advice(error.found), OutputError.status(error.found))
        case let error as OpenError: (error.description, "Without --open the page is only written.", .unavailable)
        case is CancellationError: ("interrupted", nil, .interrupted)
        default: nil
        }
    }

    /// What a sink met in the middle of its work reads as what is said of an output that cannot be made.
    private static func describe(_ error: FileError) -> (String, String?, ExitStatus) {
        let output = OutputError(error)
        return (output.status == .ioError ? output.description : error.description, output.advice, output.status)
    }

    private static func describe(_ error: BatchError) -> (String, String?, ExitStatus) {
        switch error {
        case .field, .edited, .manifest: (error.description, "`mapeverything batch plan` writes a new one.", .badData)
        case .unknown: (error.description, nil, .usage)
        case .absent, .nothingFound: (error.description, nil, .noInput)
        case .missingProgram: (error.description, nil, .unavailable)
        }
    }

    /// Where what was found can be used, if it is unpacked, nothing else is advised.
    private static func sampleAdvice(_ found: String) -> String? {
        found.contains("unpack") ? nil : "`mapeverything sample -o DIR` makes a session to try things with."
    }

    private static func describe(_ error: SessionError) -> (String, String?, ExitStatus) {
        switch error {
        case .notFound: (error.description, nil, .noInput)
        case .unreadable: (error.description, nil, .noInput)
        case .notASession(_, let found): (error.description, sampleAdvice(found), .noInput)
        case .ambiguous: (error.description, "Name one of them.", .noInput)
        case .noUsableFrame, .badArchive, .meshExport, .onlyNativeIsRepaired: (error.description, nil, .badData)
        }
    }

    private static func describe(_ error: SyntheticError) -> (String, String?, ExitStatus) {
        switch error {
        case .exists: (error.description, "Name a path that does not exist yet.", .cannotCreate)
        case .option: (error.description, nil, .usage)
        case .system(_, _, let errno):
            (error.description, OutputError.advice(errno), OutputError.status(errno))
        }
    }

    private static func describe(_ error: ExportError) -> (String, String?, ExitStatus) {
        switch error {
        case .missing, .noFrame:
            (error.description, "`mapeverything inspect` shows what the session holds.", .badData)
        case .slowMotion: (error.description, "--slow-imu exports it as it is.", .badData)
        case .selfTest, .selfTestFile:
            (error.description, "Nothing was kept. `mapeverything check` tells whether the session is sound.", .badData)
        }
    }

    private static func describe(_ error: SessionRepairError) -> (String, String?, ExitStatus) {
        switch error {
        case .exists, .insideSession: (error.description, "Name a path that does not exist yet.", .cannotCreate)
        case .archiveInPlace: (error.description, "Name an output folder with -o.", .usage)
        case .failed(_, _, let errno): (error.description, OutputError.advice(errno), OutputError.status(errno))
        }
    }

    private static func describe(_ error: BagError) -> (String, String?, ExitStatus) {
        switch error {
        case .cannotCreate:
            (error.description, "Name a path that does not exist yet, or replace a bag with --force.", .cannotCreate)
        case .refused(_, let errno): (error.description, OutputError.advice(errno), OutputError.status(errno))
        case .io(let path, _): (error.description, complete(in: path.removingLastComponent()), .ioError)
        case .notFound: (error.description, nil, .noInput)
        case .damaged, .incomplete, .unfinished, .notFetched, .unsupported, .message, .unknownTopic:
            (error.description, error.advice, .badData)
        }
    }

    /// What a bag that was being written has; nil where there is none.
    private static func complete(in directory: FilePath) -> String? {
        guard let metadata = try? BagMetadataFile.read(in: directory) else { return nil }
        return "Every chunk that metadata.yaml lists is complete: \(metadata.messageCount) messages in "
            + "\(metadata.files.count) files."
    }

    private static func describe(_ error: BagPlaybackError) -> (String, String?, ExitStatus) {
        switch error {
        case .empty, .nothingLeft: (error.description, nil, .badData)
        case .sameName: (error.description, "--exclude-topics and --remap tell them apart.", .usage)
        case .badName: (error.description, nil, .usage)
        case .emptySpan, .noSuchFrame, .noTopic:
            (error.description, "`mapeverything inspect` shows what the bag holds.", .usage)
        }
    }
}
