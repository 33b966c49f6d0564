import ArgumentParser
import Batch
import SystemPackage

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
    @Option(parsing: .upToNextOption, help: ArgumentHelp("Only these units.", valueName: "id"))
    var only: [String] = []

    @Option(help: ArgumentHelp("Only the units of this shard, from 0.", valueName: "n"))
    var shard: Int?

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
