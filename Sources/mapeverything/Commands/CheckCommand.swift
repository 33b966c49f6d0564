import ArgumentParser
import BagCheck
import Bags
import Codecs
import DynamicMessages
import JSONText
import Sessions
import SystemPackage

struct CheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract:
            "Is this session or bag sound? Everything is read and decoded; the status is 1 if anything is damaged."
    )

    @Argument(help: "A session (folder, .zip, .tar) or a bag (folder, .db3, .mcap).")
    var path: String

    @OptionGroup
    var messagePath: MessagePathOptions

    @Flag(help: "Print as JSON.")
    var json = false

    @Flag(help: "End with status 1 for warnings too.")
    var strict = false

    @Flag(help: "Show errors and warnings only.")
    var quiet = false

    @Option(help: "Write the findings to a JSON file.")
    var report: String?

    func run() async throws {
        let path = path
        let options = PictureCheck.options(types: try messagePath.resolver())
        let isSession = SessionFormats.looksLikeSession(path: path)
        let result = try await Signals.cancelling {
            isSession
                ? CheckReport(try await SessionCheck(path: path, jobs: Machine.coreCount).run())
                : CheckReport(try BagChecker.check(FilePath(path), options: options), path: path)
        }
        if let report, !TextFile.write(result.json.text(style: .pretty) + "\n", to: report) {
            throw ReportError(path: report)
        }
        Terminal.print(json ? result.json.text(style: .pretty) : result.text(hidesNotes: quiet))
        if result.errorCount > 0 || (strict && result.warningCount > 0) { throw ExitStatus.lossy }
    }
}

/// Whether a picture can be decoded.
enum PictureCheck {
    /// Everything that `check` can find out about a bag.
    static func options(types: TypeResolver = TypeResolver()) -> BagCheckOptions {
        BagCheckOptions(
            types: types,
            imageProblem: { bytes, format in problem(bytes, format) }
        )
    }

    static func problem(_ bytes: [UInt8], _ format: String) -> String? {
        do {
            switch format {
            case "jpeg": _ = try JPEGDecoder().decodeEighth(bytes)
            case "png": _ = try PNG.inspect(bytes)
            default: break
            }
            return nil
        } catch {
            return "\(error)"
        }
    }
}
