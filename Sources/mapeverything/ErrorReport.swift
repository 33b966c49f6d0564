import ArgumentParser
import Bags
import DDS
import Exports
import Glibc
import Perception
import Platform
import Playback
import Rosbridge
import Sessions
import Synthetic
import SystemPackage
import Text
import Translation

/// Prints an error once, with what to do about it where something can be done, and knows its status.
enum ErrorReport {
    static func status(of error: any Error) -> Int32 {
        if let status = error as? ExitStatus { return status.rawValue }
        let arguments = Invocation.current.arguments
        if let (text, advice, status) = describe(error) {
            Terminal.printError("mapeverything: \(text)")
            let isInput = [.noInput, .badData].contains(status)
            if let advice = isInput ? CommandHints.wrongInput(arguments) ?? advice : advice {
                Terminal.printError(advice)
            }
            return status.rawValue
        }
        // The argument parser's own: help and version go to stdout with status 0, the rest is wrong usage.
        let text = MapEverything.fullMessage(for: error, columns: Invocation.current.columns)
        let code = MapEverything.exitCode(for: error)
        if let unknown = CommandHints.unknownCommand(arguments) {
            Terminal.printError(
                "mapeverything: \(unknown)\nUsage: mapeverything <command>; `mapeverything --help` lists them"
            )
        } else if !code.isSuccess, text.contains(/Missing expected argument|Unknown option|nexpected argument/),
            let unknown = CommandHints.unknownOption(arguments)
        {
            Terminal.printError("mapeverything: \(unknown)\nUsage: the options are listed by --help-all")
        } else if code.isSuccess {
            Terminal.print(HelpTopic.printed(text, hasAll: arguments.contains("--help-all")))
            return ExitStatus.done.rawValue
        } else if let ours = text.firstMatch(of: /is invalid for '[^']*': (--.*)\n/)?.1 {
            // What one of ours says of a value stands in what the parser says of it.
            Terminal.printError("mapeverything: \(ours)")
        } else if let unknown = CommandHints.unknownChoice(text, arguments) {
            Terminal.printError("mapeverything: \(unknown)\nUsage: the options are listed by --help-all")
        } else {
            Terminal.printError(text.hasPrefix("Error: ") ? "mapeverything: " + text.dropFirst(7) : text)
            if let advice = CommandHints.misreading(text, arguments) { Terminal.printError(advice) }
        }
        return ExitStatus.usage.rawValue
    }

    static func text(of error: any Error) -> String { describe(error)?.0 ?? "\(error)" }

    /// The text, a line of advice, and the status of an error of ours; `nil` for the argument parser's.
    static func describe(_ error: any Error) -> (String, String?, ExitStatus)? {
        guard let (advice, status) = ending(error) else { return nil }
        return switch error {
        // What a sink met in the middle of its work reads as what is said of an output that cannot be made.
        case let error as FileError where status == .ioError: (OutputError(error).description, advice, status)
        case is CancellationError: ("interrupted", advice, status)
        default: ("\(error)", advice, status)
        }
    }

    /// True for an error about what was to be read, which another input may not have.
    static func isOfInput(_ error: any Error) -> Bool {
        describe(error).map { [.noInput, .badData].contains($0.2) } ?? false
    }

    private static func toInspect(_ whole: String) -> String {
        "`mapeverything inspect` shows what the \(whole) holds."
    }

    private static func ending(_ error: any Error) -> (advice: String?, status: ExitStatus)? {
        switch error {
        case is UsageError, is ProfileError, is CloudError, is RosbridgeURLError: (nil, .usage)
        case is Problem, is OpenedModel.Failure: (nil, .badData)
        case let error as CommandError: (error.advice, error.status)
        case let error as EmptySpanError: (toInspect(error.whole), .usage)
        case is PlanError: (toInspect("session"), .usage)
        case is TrimError: (toInspect("session"), .badData)
        case is OpenError: ("Without --open nothing is shown.", .unavailable)
        case is CancellationError: (nil, .interrupted)
        case let error as DepthNetworkError: (nil, error.isRuntime ? .unavailable : .badData)
        case let error as NoInputError: (sampleAdvice(error.found), .noInput)
        case let error as RosbridgeError: (error.advice, .unavailable)
        case let error as DDSError: (error.advice, error.isUsage ? .usage : .unavailable)
        case let error as TLSFileError: (error.advice, error.isMissing ? .noInput : .badData)
        case let error as InputError: (nil, error.isMissing ? .noInput : .badData)
        case let error as EmptyMapError: (error.advice, .badData)
        case let error as RobotMapError: (error.advice, .badData)
        case let error as OutputError: (error.advice, error.status)
        case let error as OutputRefusal: (error.advice, .cannotCreate)
        case let error as FileError: (OutputError.advice(error.errno), OutputError.status(error.errno))
        case is SystemFault: ("What was read may lack a part that is there: try again.", .ioError)
        case let error as ReportError: (OutputError.advice(error.found), OutputError.status(error.found))
        case let error as SessionError: ending(error)
        case let error as SessionRepairError: ending(error)
        case let error as SyntheticError: ending(error)
        case let error as ExportError: ending(error)
        case is ParquetProblem, is BagSessionError: (nil, .badData)
        case let error as LeRobotError: (error.advice, error.isOfSystem ? .unavailable : .badData)
        case let error as BagError: ending(error)
        case let error as BagPlaybackError: ending(error)
        case let error as BatchError: ending(error)
        default: nil
        }
    }

    private static func ending(_ error: BatchError) -> (String?, ExitStatus) {
        switch error {
        case .field, .edited, .manifest: ("`mapeverything batch plan` writes a new one.", .badData)
        case .unknown: (nil, .usage)
        case .absent, .nothingFound: (nil, .noInput)
        case .missingProgram: (nil, .unavailable)
        }
    }

    /// Where what was found can be used, if it is unpacked, nothing else is advised.
    private static func sampleAdvice(_ found: String) -> String? {
        found.contains("unpack") ? nil : "`mapeverything sample -o DIR` makes a session to try things with."
    }

    private static func ending(_ error: SessionError) -> (String?, ExitStatus) {
        switch error {
        case .notFound, .unreadable: (nil, .noInput)
        case .notASession(_, let found): (sampleAdvice(found), .noInput)
        case .ambiguous(let path, let sessions):
            (
                "Name one of them: \(path)/\(sessions[0]). `mapeverything list \(path)` shows all; check, batch plan and "
                    + "export --to lerobot take all of a folder.", .noInput
            )
        case .meshExport(let path, _) where OpenedModel.isOne(path):
            ("`mapeverything serve \(path.shellWord)` shows it.", .badData)
        case .noUsableFrame, .badArchive, .meshExport, .onlyNativeIsRepaired: (nil, .badData)
        }
    }

    private static func ending(_ error: SyntheticError) -> (String?, ExitStatus) {
        switch error {
        case .option: (nil, .usage)
        case .system(_, _, let errno): (OutputError.advice(errno), OutputError.status(errno))
        }
    }

    private static func ending(_ error: ExportError) -> (String?, ExitStatus) {
        switch error {
        case .missing, .noFrame: (toInspect("session"), .badData)
        case .slowMotion: ("--slow-imu exports it as it is.", .badData)
        case .selfTest, .selfTestFile:
            ("Nothing was kept. `mapeverything check` tells whether the session is sound.", .badData)
        }
    }

    private static func ending(_ error: SessionRepairError) -> (String?, ExitStatus) {
        switch error {
        case .archiveInPlace: ("Name an output folder with -o.", .usage)
        case .failed(_, _, let errno): (OutputError.advice(errno), OutputError.status(errno))
        }
    }

    private static func ending(_ error: BagError) -> (String?, ExitStatus) {
        switch error {
        case .cannotCreate: ("Name a path that does not exist yet, or replace a bag with --force.", .cannotCreate)
        case .refused(_, let errno): (OutputError.advice(errno), OutputError.status(errno))
        case .io(let path, _): (complete(in: path.removingLastComponent()), .ioError)
        case .notFound: (nil, .noInput)
        case .damaged, .incomplete, .unfinished, .notFetched, .unsupported, .message, .unknownTopic:
            (error.advice, .badData)
        }
    }

    /// The content of a bag that was being written; nil where there is none.
    private static func complete(in directory: FilePath) -> String? {
        guard let metadata = try? BagMetadataFile.read(in: directory) else { return nil }
        return "Every chunk that metadata.yaml lists is complete: \(metadata.messageCount) messages in "
            + "\(metadata.files.count) files."
    }

    private static func ending(_ error: BagPlaybackError) -> (String?, ExitStatus) {
        switch error {
        case .empty, .nothingLeft: (nil, .badData)
        case .sameName: ("--exclude-topics and --remap tell them apart.", .usage)
        case .badName: (nil, .usage)
        case .noSuchFrame, .noTopic: (toInspect("bag"), .usage)
        }
    }
}
