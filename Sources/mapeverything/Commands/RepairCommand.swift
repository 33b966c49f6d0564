import ArgumentParser
import BagCheck
import BagRepair
import Bags
import JSONText
import Sessions
import SystemPackage

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

    @Argument(help: "A session (folder, .zip, .tar) or a bag (folder, .db3, .mcap).")
    var path: String

    @OptionGroup
    var unpacking: UnpackingOptions

    @Option(name: .shortAndLong, help: "Where to write the repaired copy. Default: NAME-repaired beside the input.")
    var output: String?

    @Flag(help: "Repair the input itself. Default: write a copy.")
    var inPlace = false

    @Flag(help: "Exit with status 1 if anything of a session is lost. For a bag that is always so.")
    var strict = false

    @OptionGroup
    var told: ReportOptions

    @OptionGroup
    var progress: ProgressOptions

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
            let repair = SessionRepair(path: path)
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
