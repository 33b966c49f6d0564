import ArgumentParser
import BagConversion
import Bags
import JSONText
import Playback
import Replay
import SystemPackage

struct ConvertCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "convert",
        abstract: "Convert bags: merge, cut, filter, rename; JSON to CDR, .db3 to MCAP, one distribution to another.",
        discussion: """
            Examples:
              mapeverything convert room_bag -o room_mcap --storage mcap
              mapeverything convert a b -o both --start 10 --end 60 --topics /tf /tf_static
            """
    )

    @Argument(help: "Bags: folders, .db3 or .mcap files. Several are merged in the order of time.")
    var bags: [String]

    @Option(name: .shortAndLong, help: "Bag folder to create; not needed with --dry-run.")
    var output: String?

    @OptionGroup(title: "Selection")
    var selection: SelectionOptions

    @Option(help: "Where to begin: seconds after the first message, or an RFC 3339 time. Default: the first message.")
    var start: PlaybackPlace?

    @Option(help: "Where to end: seconds after the first message, or an RFC 3339 time. Default: the last message.")
    var end: PlaybackPlace?

    @Flag(help: "Leave out copies: messages of one topic and time with the same bytes. Default: keep them.")
    var dropDuplicates = false

    @OptionGroup
    var unknownTypes: UnknownTypeOptions

    @OptionGroup(title: "Damaged bags")
    var unpacking: UnpackingOptions

    @Flag(help: "Read what can be read of a damaged bag and count what is missing. Default: refuse a damaged bag.")
    var acceptDamage = false

    @OptionGroup(title: "The bag")
    var bag: BagWritingOptions

    @Flag(help: "Print what would be done with each topic; write nothing.")
    var dryRun = false

    @OptionGroup
    var reporting: ReportingOptions

    @OptionGroup
    var progress: ProgressOptions

    func run() async throws {
        if bags.count == 1, let arvos = try ArvosConversion(bags[0], acceptsDamage: acceptDamage) {
            return try await arvos.run(self)
        }
        let options = try conversion()
        let inputs = bags.map { FilePath($0) }
        let plan = try plan(inputs, options)
        if dryRun {
            return try Report(plan).finish(json: reporting.told.json.isGiven, strict: reporting.strict)
        }
        guard let output else {
            throw UsageError("--output", expected: "the bag folder to create, or --dry-run", found: "nothing")
        }
        let report = try await progress.run("convert", isComplete: { !$0.wasInterrupted }) { tell in
            try await BagConverter(plan, output: FilePath(output)).run(progress: tell)
        }
        let skips = unknownTypes.skipUnknown
        try Report(report, plan, output: output, acceptsDamage: acceptDamage, skipsUnknown: skips).finish(reporting)
    }

    private func plan(_ inputs: [FilePath], _ options: ConversionOptions) throws -> ConversionPlan {
        for input in inputs { try refuseOther(input) }
        do {
            let plan = try ConversionPlan(inputs: inputs, options: options)
            guard !plan.selectedRoutes.isEmpty || plan.readers.allSatisfy(\.topics.isEmpty) else {
                let why = plan.unmatched.isEmpty ? "" : " (\(plan.unmatched.joined(separator: "; ")))"
                throw UsageError("topics", expected: "at least one that the input has", found: "none\(why)")
            }
            return plan
        } catch BagError.unknownTopic(let topic, let reason) {
            throw UnknownTopicError(topic: topic, reason: reason)
        }
    }

    /// Says of a file that is no bag what it is.
    private func refuseOther(_ input: FilePath) throws {
        guard FileKind(of: input) == .other, !BagReader.looksLikeBag(input) else { return }
        throw NoInputError(path: input.string, found: UnknownInput.describe(input.string))
    }

    private func conversion() throws -> ConversionOptions {
        let provenance = ["mapeverything.version": Tool.version, "mapeverything.source": "convert"]
        var options = ConversionOptions(bag: try bag.options(durability: .fast, customData: provenance))
        options.selection = try selection.selection()
        options.remaps = try selection.remaps()
        options.start = try start.map { try time("--start", $0) }
        options.end = try end.map { try time("--end", $0) }
        options.dropsDuplicates = dropDuplicates
        options.skipsUnknown = unknownTypes.skipUnknown
        options.resolver = try unknownTypes.messagePath.resolver()
        options.types = try unknownTypes.typesByTopic()
        options.acceptsDamage = acceptDamage
        options.unpackLimit = try unpacking.limit()
        return options
    }

    private func time(_ option: String, _ bound: PlaybackPlace) throws -> ConversionTime {
        switch bound {
        case .seconds(let seconds): return .seconds(seconds)
        case .date(let nanoseconds): return .nanosecondsSinceEpoch(nanoseconds)
        case .frame(let index):
            throw UsageError(option, expected: "seconds or RFC 3339: a bag has no frames", found: "frame:\(index)")
        }
    }
}
