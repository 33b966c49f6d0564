import ArgumentParser
import CProcess
import Exports
import Glibc
import HTMLReports
import Platform
import SystemPackage
import Text

struct BatchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "batch",
        abstract: "Do one thing to many recordings: plan, run on this machine or by tools/fleet, see what came of it.",
        discussion: """
            Examples:
              mapeverything batch plan recordings --to bag -o plan.jsonl
              mapeverything batch run plan.jsonl -o bags -j 4
              mapeverything batch status plan.jsonl bags
              mapeverything batch catalogue bags
            """,
        subcommands: [
            BatchPlanCommand.self, BatchRunCommand.self, BatchStatusCommand.self, BatchCatalogueCommand.self,
            BatchUnitCommand.self,
        ]
    )
}

/// Which units of a manifest are meant.
struct UnitSelectionOptions: ParsableArguments {
    @Option(parsing: .upToNextOption, help: ArgumentHelp("Only these units.", valueName: "id")) var only: [String] = []

    @Option(help: ArgumentHelp("Only the units of this shard, from 0.", valueName: "n")) var shard: Int?

    var selection: BatchManifest.Selection { BatchManifest.Selection(only: only, shard: shard) }
}

/// Failures as commands tell them.
enum BatchText {
    private static let shownFailures = 10

    static func failures(_ failures: [(unit: BatchUnit, failure: UnitFailure)]) -> [String] {
        var lines = failures.prefix(shownFailures).map { unit, failure in
            "  \(unit.id.prefix(16))  \(failure.kind == .never ? "for good" : "to be tried again") (\(failure.status))  "
                + "\(unit.input): \(failure.error)"
        }
        if failures.count > shownFailures { lines.append("  and \(failures.count - shownFailures) more") }
        return lines
    }
}

struct BatchStatusCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "status",
        abstract: "How many units of a manifest are done, failed for good, to be tried again, or not begun.",
        discussion: """
            Exit status: 0 if all are done, 65 if only those are not that would fail again, 69 otherwise.

            Example:
              mapeverything batch status plan.jsonl bags
            """
    )

    @Argument(help: "A manifest, as batch plan writes it.", completion: .file()) var manifest: String

    @Argument(help: "The folder that batch run, or an engine, wrote into.", completion: .file()) var target: String

    @OptionGroup var units: UnitSelectionOptions

    @Flag(help: "Read the files of what is done, and compare them with their hashes.") var verify = false

    @OptionGroup var json: JSONOptions

    func run() throws {
        let target = BatchTarget(FilePath(target))
        let status = try BatchStatus.read(FilePath(manifest), units.selection, target, reads: verify)
        let (never, again) = (status.count(.never), status.count(.again))
        var report = Report([
            .json("done", status.done), .json("failed_for_good", never), .json("try_again", again),
            .json("missing", status.missing), .json("failures", each: status.failures) { $0.failure.json($0.unit) },
        ])
        let counts = [
            "done               \(status.done)", "failed for good    \(never)", "to be tried again  \(again)",
            "missing            \(status.missing)",
        ]
        report.say(counts + BatchText.failures(status.failures))
        if status.exitStatus != 0 { report.ending = ExitStatus(rawValue: status.exitStatus) ?? .badData }
        try report.finish(json: json.isGiven)
    }
}

struct BatchCatalogueCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "catalogue",
        abstract: "Write one table of all results (verdict, device, duration, extent), and a page that shows them.",
        discussion: """
            The page is index.html in the folder of the results, and leads to each of them.

            Examples:
              mapeverything batch catalogue bags
              mapeverything batch catalogue bags -o tables/bags
            """
    )

    @Argument(help: "The folder that batch run, or an engine, wrote into.", completion: .file()) var target: String

    @Option(
        name: .shortAndLong,
        help: .value("path", "Path of the tables, without ending. Default: catalogue in the folder.")
    )
    var output: String?

    var base: String { output ?? target + "/catalogue" }
    var index: String { "\(target)/\(BatchIndex.file)" }

    func run() throws {
        let page = try NewFile(index, .page, replaces: true, inputs: [])
        let results = BatchTarget(FilePath(target))
        var count = 0
        for form in BatchCatalogue.Form.allCases {
            count = try NewFile.fill(FilePath("\(base).\(form.rawValue)")) { temporary in
                try BatchCatalogue.write(results, form, to: temporary)
            }
        }
        try page.write(try BatchIndex.page(results).bytes)
        var report = Report()
        report.say("\(base).jsonl, .csv and .parquet: \(count) results; \(index) shows them")
        try report.finish()
    }
}

/// The command that `batch run` starts for each unit: tells of the recording, then becomes the command that makes something of it.
struct BatchUnitCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "unit",
        abstract: "What batch run starts for a unit.",
        shouldDisplay: false
    )

    @Option(help: "The process that started this one, with which it ends.") var parent: Int32

    @Option(help: "Most bytes of memory.") var memory: Int

    @Option(help: "File for what is known of the recording.") var facts: String

    @Option(help: "File for a small picture of it, where it has one.") var thumbnail: String

    @Argument(parsing: .postTerminator, help: "The recording, and the command.") var command: [String]

    func run() throws {
        guard command.count >= 2 else { throw UsageError("--", expected: "a recording and a command", found: "less") }
        // Neither a run that was killed nor one that was killed just now leaves this behind.
        guard end_with_parent() == 0, getppid() == parent else { throw ExitStatus.interrupted }
        // Of data, not of address space: what threads reserve and never touch costs nothing.
        guard memory > 0, limit_data(rlim_t(memory)) == 0 else {
            throw UsageError("--memory", expected: "a number of bytes that the system takes", found: "\(memory)")
        }
        let (known, picture) = try RecordingExtent.gather(command[0])
        // The command that this process becomes knows nothing of it.
        try SystemFault.check()
        try OutputFile.write(Array((known.text(style: .pretty) + "\n").utf8), to: FilePath(facts))
        if let picture { try OutputFile.write(picture, to: FilePath(thumbnail)) }
        let arguments = ["mapeverything"] + command.dropFirst()
        let pointers = arguments.map { strdup($0) } + [nil]
        execv("/proc/self/exe", pointers)
        throw FileError(path: "/proc/self/exe", operation: "run", errno: Errno(rawValue: errno))
    }
}
