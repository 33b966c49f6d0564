import ArgumentParser
import BagTools
import Bags
import Codecs
import Messages
import Perception
import Recording
import Sessions
import SystemPackage
import Text

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

    @Argument(help: "A session (folder, .zip, .tar) or a bag (folder, .db3, .mcap).") var path: String

    @OptionGroup var messagePath: MessagePathOptions
    @OptionGroup var unpacking: UnpackingOptions

    @Flag(help: "Exit with status 1 for warnings too. Default: for errors only.") var strict = false

    @Flag(help: "Print errors and warnings only. Default: notes too.") var quiet = false

    @OptionGroup var told: ReportOptions
    @OptionGroup var progress: ProgressOptions

    func run() async throws {
        var report = Report()
        do {
            report = try await examine().report(hidesNotes: quiet, strict: strict)
        } catch {
            // What cannot be read at all has a report too, for programs.
            guard let unread = CheckReport(unread: error, path: path) else { throw error }
            report.members = unread.report(hidesNotes: quiet, strict: strict).members
            report.ending = error
        }
        try report.finish(told)
    }

    private func examine() async throws -> CheckReport {
        let path = path
        let kind = try InputKind(path)
        try OptionUse("check", kind, path).refuseUnused()
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
}

/// The decoding of pictures in bags.
enum PictureCheck {
    /// Everything that `check` can find out about a bag.
    static func options(types: TypeResolver = TypeResolver(), unpackLimit: UnpackLimit) -> BagCheckOptions {
        BagCheckOptions(types: types, imageProblem: { problem($0, $1) }, unpackLimit: unpackLimit)
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

struct RepairCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "repair",
        abstract: "Repair a damaged session or bag, and report what was saved and what is lost.",
        discussion: """
            Examples:
              mapeverything repair cut.mcap
              mapeverything repair room -o room_sound
            """
    )

    @Argument(help: "A session (folder, .zip, .tar) or a bag (folder, .db3, .mcap).") var path: String

    @OptionGroup var unpacking: UnpackingOptions

    @Option(name: .shortAndLong, help: "Where to write the repaired copy. Default: NAME-repaired beside the input.")
    var output: String?

    @Flag(help: "Repair the input itself. Default: write a copy.") var inPlace = false

    @Flag(help: "Exit with status 1 if anything of a session is lost. For a bag that is always so.") var strict = false

    @OptionGroup var told: ReportOptions
    @OptionGroup var progress: ProgressOptions

    func run() async throws {
        if inPlace, let output {
            throw UsageError("--output", expected: "nothing beside --in-place", found: output)
        }
        let report: Report
        do {
            let kind = try InputKind(path)
            try OptionUse("repair", kind, path).refuseUnused()
            report = try await kind == .session ? repairSession() : repairBag()
        } catch let error as BagError where error.advice != nil {
            // The advice is to repair.
            throw UnrepairableError(description: error.description)
        }
        try report.finish(told, strict: strict)
    }

    private func repairSession() async throws -> Report {
        let path = path
        let output = output.map { FilePath($0) }
        let inPlace = inPlace
        let report = try await progress.run("repair") { tell in
            let repair = SessionRepair(path: path, jobs: Machine.coreCount)
            if inPlace { return try await repair.repairInPlace(progress: tell) }
            return try await repair.repair(to: output, progress: tell)
        }
        return Report(report, path: path)
    }

    private func repairBag() async throws -> Report {
        let source = FilePath(path)
        let output = output.map { FilePath($0) } ?? source.repairedName
        let destination: BagRepairer.Destination = inPlace ? .inPlace : .newBag(output)
        let options = PictureCheck.options(unpackLimit: try unpacking.limit())
        let report = try await progress.run("repair", endsAtOnce: true) { tell in
            var options = options
            options.progress = tell
            return try BagRepairer.repair(source, destination, options: options)
        }
        return Report(report, path: path)
    }
}

extension FilePath {
    /// `NAME-repaired` beside the bag, for a lone file too: what is repaired is a bag folder.
    fileprivate var repairedName: FilePath {
        guard let name = lastComponent else { return appending("repaired") }
        let base = ["db3", "mcap", "zstd"].contains(name.extension) ? name.stem : name.string
        return removingLastComponent().appending(base + "-repaired")
    }
}

/// A bag of which nothing can be saved.
struct UnrepairableError: Error, CustomStringConvertible {
    let description: String
}
