import ArgumentParser
import CProcess
import Exports
import Glibc
import Platform
import SystemPackage
import Text

struct BatchRunCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "run",
        abstract: "Run the units of a manifest on this machine; what is done already is left as it is.",
        discussion: """
            Exit status: 0 if all are done, 65 if others failed and would fail again, 69 or 74 if some may succeed \
            another time: run it again.

            Examples:
              mapeverything batch run plan.jsonl -o bags -j 4
              mapeverything batch run plan.jsonl -o bags --shard 17
              mapeverything batch run plan.jsonl -o bags --only 2f6c0b1a9d3e4f50
            """
    )

    @Argument(help: "A manifest, as batch plan writes it.", completion: .file()) var manifest: String?

    @Option(
        name: .shortAndLong,
        help: .value("path", "Folder for the results, a folder for each unit."),
        completion: .file()
    ) var output: String

    @OptionGroup var units: UnitSelectionOptions

    @Option(help: ArgumentHelp("A line of a manifest, in place of one.", valueName: "json")) var unit: String?

    @Option(
        help: .value("path", "Place of the recording of --unit on this machine. Default: where it was found."),
        completion: .file()
    )
    var input: String?

    @Option(
        name: [.customShort("j", allowingJoined: true), .long],
        help: .value("count", "Number of units at a time. Default: one for each core, at most 16.")
    )
    var jobs: Int?

    @Option(help: .value("threads", "Worker threads of each unit.")) var threads = 1

    @Option(
        help: .value(
            "seconds",
            "Seconds after which a unit is ended. Default: 1200 and twenty times what it is expected to take."
        ),
        transform: Seconds.option("--timeout")
    )
    var timeout: Double?

    @Flag(help: "End at once when the program that started this one ends, as an engine's worker does that is killed.")
    var endWithParent = false

    @Flag(help: "Print a line of JSON for each unit as it ends.") var json = false

    @OptionGroup var progress: ProgressOptions

    func run() async throws {
        if endWithParent { _ = end_with_parent() }
        let jobs = try UsageError.count("-j", jobs ?? Machine.coreCount, from: 1, to: 256)
        let threads = try UsageError.count("--threads", threads, from: 1, to: 256)
        let units = try chosenUnits()
        let target = BatchTarget(FilePath(output))
        do {
            try target.prepare()
        } catch {
            // Perhaps it can be used another time.
            throw CommandError(description: error.description, advice: "Nothing was run: try again.", status: .ioError)
        }
        let runner = UnitRun(
            target,
            program: ExternalProgram(path: try Self.program()),
            version: Tool.version,
            threads: threads,
            timeoutSeconds: timeout,
            input: input
        )
        let printsLines = json
        // Whatever is under way leaves nothing that looks done, and ends with this process.
        let tally = try await progress.run("batch run", endsAtOnce: true) { progress in
            try await BatchRun(runner, jobs: jobs).run(units, progress: progress) { unit, outcome in
                if printsLines { Terminal.print(Self.line(unit, outcome).text()) }
            }
        }
        var report = Report()
        // With --json a line for each unit has told everything.
        if !json { report.say(text(tally, units.count)) }
        if tally.exitStatus != 0 { report.ending = ExitStatus(rawValue: tally.exitStatus) ?? .badData }
        try report.finish()
    }

    private func chosenUnits() throws -> [BatchUnit] {
        switch (manifest, unit) {
        case (let path?, nil):
            guard input == nil else { throw UsageError("--input", expected: "--unit beside it", found: "a manifest") }
            var chosen: [BatchUnit] = []
            try BatchManifest.read(FilePath(path), units.selection) { chosen.append($0) }
            return chosen
        case (nil, let line?):
            let value: JSONValue
            do { value = try JSONValue.parse(line) } catch {
                throw BatchError.manifest(
                    path: "--unit",
                    line: nil,
                    expected: "a line of a manifest",
                    found: "\(error)"
                )
            }
            return [try BatchUnit(json: value)]
        default: throw UsageError("MANIFEST", expected: "a manifest or --unit", found: unit == nil ? "neither" : "both")
        }
    }

    /// The file of this program; it may have been called by another name.
    private static func program() throws -> FilePath {
        guard let resolved = realpath("/proc/self/exe", nil) else {
            throw FileError(path: "/proc/self/exe", operation: "find", errno: Errno(rawValue: errno))
        }
        defer { free(resolved) }
        return FilePath(platformString: resolved)
    }

    private static func line(_ unit: BatchUnit, _ outcome: UnitOutcome) -> JSONValue {
        switch outcome {
        case .done(let isNew):
            let state = isNew ? "done" : "already done"
            return .of(["id": unit.id, "input": unit.input, "class": state, "status": 0, "folder": unit.folder])
        case .failed(let failure): return failure.json(unit)
        case .busy: return .null
        }
    }

    private func text(_ tally: BatchRun.Tally, _ count: Int) -> String {
        var parts = ["\(tally.made) done"]
        if tally.alreadyDone > 0 { parts.append("\(tally.alreadyDone) were done before") }
        let never = tally.failures.count { $0.failure.kind == .never }
        if never > 0 { parts.append("\(never) failed for good") }
        if tally.failures.count > never { parts.append("\(tally.failures.count - never) to be tried again") }
        return (["\(count) units: " + parts.joined(separator: ", ")] + BatchText.failures(tally.failures))
            .joined(separator: "\n")
    }
}
