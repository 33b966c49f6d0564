import ArgumentParser
import BagRepair
import Bags
import JSONText
import Sessions
import SystemPackage

struct RepairCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "repair",
        abstract: "Make a damaged session or bag sound, and say what was saved and what is lost."
    )

    @Argument(help: "A session (folder, .zip, .tar) or a bag (folder, .db3, .mcap).")
    var path: String

    @OptionGroup
    var unpacking: UnpackingOptions

    @Option(name: .shortAndLong, help: "Where the sound one goes. Default: beside the damaged one, as NAME-repaired.")
    var output: String?

    @Flag(help: "Change the damaged one itself.")
    var inPlace = false

    @Flag(help: "Print the result as JSON.")
    var json = false

    @Flag(help: "End with status 1 if anything of a session is lost, as it is for a bag anyway.")
    var strict = false

    @Option(help: "Write what happened to a JSON file.")
    var report: String?

    func run() async throws {
        if inPlace, let output {
            throw UsageError("--output", expected: "nothing beside --in-place", found: output)
        }
        let outcome: RepairOutcome
        do {
            switch try InputKind(path) {
            case .session: outcome = try await repairSession()
            case .bag: outcome = try repairBag()
            }
        } catch let error as BagError where error.advice != nil {
            // The advice is to repair.
            throw UnrepairableError(description: error.description)
        }
        if let report, !TextFile.write(outcome.json.text(style: .pretty) + "\n", to: report) {
            throw ReportError(path: report)
        }
        Terminal.print(json ? outcome.json.text(style: .pretty) : outcome.text)
        if strict || outcome.mustBeWhole, outcome.hasLosses { throw ExitStatus.lossy }
    }

    private func repairSession() async throws -> RepairOutcome {
        try InputKind.session.refuse(unpacking.forBags, path)
        let path = path
        let output = output.map { FilePath($0) }
        let inPlace = inPlace
        let report = try await Signals.cancelling {
            let repair = SessionRepair(path: path)
            return inPlace ? try await repair.repairInPlace() : try await repair.repair(to: output)
        }
        return RepairOutcome(report, path: path)
    }

    private func repairBag() throws -> RepairOutcome {
        let source = FilePath(path)
        let output = output.map { FilePath($0) } ?? source.repairedName
        let destination: BagRepairer.Destination = inPlace ? .inPlace : .newBag(output)
        let options = PictureCheck.options(unpackLimit: try unpacking.limit())
        return RepairOutcome(try BagRepairer.repair(source, destination, options: options), path: path)
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
