import ArgumentParser
import BagCheck
import Bags
import Codecs
import DynamicMessages
import JSONText
import PointClouds
import Recording
import Sessions
import SystemPackage

struct CheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Read and decode everything in a session or bag, and report damage (status 1).",
        discussion: """
            Examples:
              mapeverything check room
              mapeverything check room_bag --quiet
            """
    )

    @Argument(help: "A session (folder, .zip, .tar) or a bag (folder, .db3, .mcap).")
    var path: String

    @OptionGroup
    var messagePath: MessagePathOptions

    @OptionGroup
    var unpacking: UnpackingOptions

    @Flag(help: "Print the findings as JSON.")
    var json = false

    @Flag(help: "Exit with status 1 for warnings too. Default: for errors only.")
    var strict = false

    @Flag(help: "Print errors and warnings only. Default: notes too.")
    var quiet = false

    @Option(help: "Also write the findings to this JSON file.")
    var report: String?

    @OptionGroup
    var progress: ProgressOptions

    func run() async throws {
        let result: CheckReport
        do {
            result = try await examine()
        } catch {
            // What cannot be read at all has a report too.
            if let unread = CheckReport(unread: error, path: path) { try tell(unread, printsText: false) }
            throw error
        }
        try tell(result, printsText: true)
        if result.errorCount > 0 || (strict && result.warningCount > 0) { throw ExitStatus.lossy }
    }

    private func examine() async throws -> CheckReport {
        let path = path
        let kind = try InputKind(path)
        if kind == .session { try kind.refuse(messagePath.forBags + unpacking.forBags, path) }
        let given = try PictureCheck.options(types: messagePath.resolver(), unpackLimit: unpacking.limit())
        let arvos = kind == .bag ? try ArvosConversion(path) : nil
        return try await progress.run("check", endsAtOnce: kind == .bag && arvos == nil) { tell in
            var options = given
            options.progress = tell
            if let arvos { return try await arvos.check(options) }
            return switch kind {
            case .session: CheckReport(try await SessionCheck(path: path, jobs: Machine.coreCount).run(progress: tell))
            case .bag: CheckReport(try BagChecker.check(FilePath(path), options: options), path: path)
            }
        }
    }

    private func tell(_ result: CheckReport, printsText: Bool) throws {
        try ReportFile.write(result.json, to: report)
        if json {
            Terminal.print(result.json.text(style: .pretty))
        } else if printsText {
            Terminal.print(result.text(hidesNotes: quiet))
        }
    }
}

/// Whether a picture can be decoded.
enum PictureCheck {
    /// Everything that `check` can find out about a bag.
    static func options(types: TypeResolver = TypeResolver(), unpackLimit: UnpackLimit) -> BagCheckOptions {
        BagCheckOptions(
            types: types,
            imageProblem: { bytes, format in problem(bytes, format) },
            unpackLimit: unpackLimit
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
