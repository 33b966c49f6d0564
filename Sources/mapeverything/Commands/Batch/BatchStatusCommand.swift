import ArgumentParser
import Batch
import Glibc
import JSONText
import SystemPackage

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

    @Argument(help: "A manifest, as batch plan writes it.")
    var manifest: String

    @Argument(help: "The folder that batch run, or an engine, wrote into.")
    var target: String

    @OptionGroup
    var units: UnitSelectionOptions

    @Flag(help: "Read the files of what is done, and compare them with their hashes.")
    var verify = false

    @Flag(help: "Print the result as JSON.")
    var json = false

    func run() throws {
        let target = BatchTarget(FilePath(target))
        let status = try BatchStatus.read(FilePath(manifest), units.selection, target, reads: verify)
        let (never, again) = (status.count(.never), status.count(.again))
        if json {
            let value: JSONValue = [
                "done": .integer(status.done), "failed_for_good": .integer(never), "try_again": .integer(again),
                "missing": .integer(status.missing),
                "failures": .array(status.failures.map { $0.failure.json($0.unit) }),
            ]
            Terminal.print(value.text(style: .pretty))
        } else {
            let counts = [
                "done               \(status.done)", "failed for good    \(never)", "to be tried again  \(again)",
                "missing            \(status.missing)",
            ]
            Terminal.print((counts + BatchText.failures(status.failures)).joined(separator: "\n"))
        }
        if status.exitStatus != 0 { throw ExitStatus(rawValue: status.exitStatus) ?? .badData }
    }
}
