import ArgumentParser
import Exports
import Glibc
import Sessions
import SystemPackage

struct BatchPlanCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "plan",
        abstract: "Find recordings, and write a manifest: a line for each, with what is to be made of it.",
        discussion: """
            Examples:
              mapeverything batch plan recordings --to bag -o plan.jsonl
              mapeverything batch plan a b.zip --to export:tum -o plan.jsonl --shards 9
              mapeverything batch plan recordings --to mcap -o plan.jsonl -- --profile full
              mapeverything batch plan --listing s3.jsonl --to map -o plan.jsonl
            """
    )

    @Argument(help: .value("sources", "Recordings, or folders that have some below; after --, options of the command."))
    var arguments: [String] = []

    /// Nothing before `--` begins as an option does, and everything behind it begins with one.
    private var sources: [String] { Array(arguments.prefix { !$0.hasPrefix("-") }) }
    private var options: [String] { Array(arguments.drop { !$0.hasPrefix("-") }) }

    @Option(help: ArgumentHelp("What to make: \(BatchProduct.words).", valueName: "product"))
    var to: String

    @Option(name: .shortAndLong, help: .value("path", "Manifest to create."), completion: .file()) var output: String

    @Option(
        help: ArgumentHelp(
            "Also the recordings that this file lists (JSON lines with url and files), as python -m fleet list writes it.",
            valueName: "file"
        ),
        completion: .file()
    )
    var listing: [String] = []

    @Option(help: .value("count", "Number of parts of about equal cost, one for each machine or array index."))
    var shards = 1

    @Option(
        help: .value(
            "size",
            "Most memory of a unit, which engines are asked for. Default: by product, 512MiB for a bag."
        )
    )
    var memory: ByteSize?

    @OptionGroup var workers: WorkerOptions
    @OptionGroup var json: JSONOptions
    @OptionGroup var force: ForceOptions
    @OptionGroup var progress: ProgressOptions

    func run() async throws {
        guard !sources.isEmpty || !listing.isEmpty else {
            throw UsageError("SOURCES", expected: "recordings, folders or --listing", found: "none")
        }
        let recipe = try recipe()
        let shards = try UsageError.count("--shards", shards, from: 1, to: 1_000_000)
        let jobs = try workers.count()
        let file = FilePath(output)
        // Whatever folder a unit is run from, the recording is where it was found.
        let (sources, listings) = (try sources.map(Self.absolute), listing)
        let plan = try await progress.run("batch plan") { progress in
            try await BatchPlan.make(
                sources,
                listings: listings,
                recipe,
                shards: shards,
                jobs: jobs,
                progress: progress
            )
        }
        try NewFile.fill(file) { temporary in
            try BatchManifest.write(plan.units, recipe, shards: shards, version: Tool.version, to: temporary)
        }
        try report(plan).finish(json: json.isGiven)
    }

    private static func absolute(_ path: String) throws -> String {
        guard let resolved = realpath(path, nil) else { throw SessionError.notFound(path: path) }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    private func recipe() throws -> BatchUnit.Recipe {
        guard let product = BatchProduct(to) else {
            let word = to.lowercased().hasPrefix("export:") ? String(to.dropFirst(7)) : to
            let hint = Product.hint(word, in: BatchProduct.all)
            throw UsageError("--to", expected: BatchProduct.words, found: to + hint)
        }
        let ours: Set<String> = [
            "-o", "--output", "--force", "--report", "--json", "--progress", "-j", "--jobs", "--html-report", "--open",
            "--png", "--to",
        ]
        for option in options {
            let name = option.hasPrefix("--") ? String(option.prefix { $0 != "=" }) : String(option.prefix(2))
            if ours.contains(name) { throw UsageError("--", expected: "options without \(name)", found: option) }
        }
        // What the command would not take is said now, and not by every unit.
        _ = try MapEverything.parseAsRoot(product.arguments(input: "x", output: "y") + options)
        return BatchUnit.Recipe(
            product,
            options: options,
            output: product.output,
            memoryBytes: try memory?.bytes("--memory", in: (128 << 20)...(1 << 44))
        )
    }

    private func report(_ plan: BatchPlan) -> Report {
        let seconds = plan.units.reduce(0) { $0 + $1.seconds }
        let time = "about \(Format.number(seconds.rounded(.up), decimals: 0)) s on one core"
        let count = plan.units.count
        let lines =
            ["\(output): \(count) recordings, \(Format.bytes(plan.units.byteCount)), \(time)"]
            + plan.omissions.lines(found: count + plan.omissions.count + plan.doubles.count, twice: plan.doubles)
        var report = Report([
            .json("manifest", output), .json("units", plan.units.count),
            .json("bytes", plan.units.reduce(0) { $0 + $1.bytes }), .json("seconds", seconds),
            .json("left_out", plan.omissions), .json("doubles", plan.doubles),
        ])
        report.say(lines)
        return report
    }
}
