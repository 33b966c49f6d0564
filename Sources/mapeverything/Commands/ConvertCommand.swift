import ArgumentParser
import Arvos
import BagTools
import Bags
import Messages
import Platform
import Playback
import SystemPackage
import Text

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

    @Argument(help: "Bags: folders, .db3 or .mcap files. Several are merged in the order of time.", completion: .file())
    var bags: [String]

    @Option(
        name: .shortAndLong,
        help: .value("path", "Bag folder to create, or NAME.mcap for one file; not needed with --dry-run."),
        completion: .file()
    ) var output: String?

    @OptionGroup(title: "Selection") var selection: SelectionOptions

    @OptionGroup var span: SpanOptions

    @Flag(help: "Leave out copies: messages of one topic and time with the same bytes. Default: keep them.")
    var dropDuplicates = false

    @OptionGroup var unknownTypes: UnknownTypeOptions
    @OptionGroup(title: "Damaged bags") var unpacking: UnpackingOptions

    @Flag(help: "Read what can be read of a damaged bag and count what is missing. Default: refuse a damaged bag.")
    var acceptDamage = false

    @OptionGroup(title: "The bag") var bag: BagWritingOptions

    @Flag(help: "Print what would be done with each topic; write nothing.") var dryRun = false

    @OptionGroup var reporting: ReportingOptions
    @OptionGroup var progress: ProgressOptions

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
            if try plan.hasEmptySpan() {
                throw UsageError("span", expected: "a part of the bag with messages of what was chosen", found: "none")
            }
            return plan
        } catch BagError.unknownTopic(let topic, let reason) {
            throw CommandError(
                description: "topic \(topic): \(reason)",
                advice: "--msg-path DIR names a folder with its .msg files, --type TOPIC=TYPE another type."
            )
        }
    }

    /// Says of a file that is no bag what it is.
    private func refuseOther(_ input: FilePath) throws {
        guard FileKind(of: input) == .other, !BagReader.looksLikeBag(input) else { return }
        throw NoInputError(path: input.string, found: UnknownInput.describe(input.string))
    }

    private func conversion() throws -> ConversionOptions {
        let provenance = ["mapeverything.version": Tool.version, "mapeverything.source": "convert"]
        var options = ConversionOptions(
            bag: try bag.options(durability: .fast, customData: provenance, output: output ?? "")
        )
        options.selection = try selection.selection()
        options.remaps = try selection.remaps()
        options.start = try span.start.map { try time("--start", $0) }
        options.end = try span.end.map { try time("--end", $0) }
        options.durationSeconds = span.duration
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

/// A recording of Arvos's SDK as a bag: for `convert`, and for `check`, which checks that bag.
struct ArvosConversion {
    let archive: ArvosArchive
    let path: String

    /// Nil for what is no such recording, or cannot be opened.
    ///
    /// - Parameter acceptsDamage: true to take what can be read of a damaged one.
    init?(_ path: String, acceptsDamage: Bool = false) throws {
        let tolerance: BagTolerance = acceptsDamage ? .everything : []
        guard let reader = try? BagReader(opening: FilePath(path), tolerating: tolerance),
            let archive = try ArvosArchive(reader)
        else {
            return nil
        }
        self.archive = archive
        self.path = path
    }

    /// Writes all of it, and says what came out.
    ///
    /// - Parameter output: nil for counting only.
    func write(
        to output: FilePath?,
        _ options: BagOptions,
        selection: TopicSelection = TopicSelection(),
        progress: ProgressHandler
    ) async throws -> (sink: SinkReport, read: ArvosArchive.Outcome) {
        var options = options
        options.customData.merge(archive.provenance) { $1 }
        let sink = output.map { BagSink($0, options: options) }
        try await sink?.open()
        var known: Set<String> = []
        var count = 0
        progress(WorkProgress("converting", 0, of: nil, .messages))
        do {
            let read = try await archive.read(.mapping) { message in
                count += 1
                if count % 64 == 0 { progress(WorkProgress("converting", count, of: nil, .messages)) }
                guard let sink, selection.contains(message.topic.name) else { return }
                if known.insert(message.topic.name).inserted { try await sink.add(message.topic) }
                try await sink.write(message)
            }
            progress(WorkProgress("converting", count, of: count, .messages))
            return (try await sink?.finish() ?? SinkReport(), read)
        } catch {
            // What was written before is complete.
            _ = try? await sink?.finish()
            throw error
        }
    }

    func run(_ command: ConvertCommand) async throws {
        try OptionUse("convert-arvos", found: "\(path), a recording of Arvos's SDK").refuseUnused()
        guard let output = command.dryRun ? "" : command.output else {
            throw UsageError("--output", expected: "the bag folder to create, or --dry-run", found: "nothing")
        }
        let provenance = ["mapeverything.version": Tool.version, "mapeverything.source": "convert"]
        let options = try command.bag.options(durability: .fast, customData: provenance, output: output)
        let selection = try command.selection.selection()
        let target = command.dryRun ? nil : FilePath(output)
        let (sink, read) = try await command.progress.run("convert") { tell in
            try await write(to: target, options, selection: selection, progress: tell)
        }
        let problems = archive.warnings + read.problems.map { "\($0)" }
        let written = sink.topics.reduce(0) { $0 + $1.written }
        let summary = "\(read.counts.receivedCount) messages of Arvos as \(written) of ROS in \(output)"
        var damage = problems.map { "damaged: \($0)" }
        if read.missingCount > 0 { damage.append("missing: \(read.missingCount) messages") }
        var report = sink.report(
            [command.dryRun ? "nothing was written" : summary, "Unix time: from \(archive.timeSource.rawValue)"]
                + read.counts.lines + damage
        )
        report.json([
            "input": path, "output": output, "time": archive.timeSource.rawValue, "written": written,
            "damage": problems, "missing": read.missingCount,
        ])
        report.members += read.counts.members
        report.hasLosses = read.counts.rejectedCount > 0 || !damage.isEmpty
        try report.finish(command.reporting)
    }

    /// `check` of it: of its messages, and of the bag that `convert` makes of it.
    func check(_ options: BagCheckOptions) async throws -> CheckReport {
        let folder = try TemporaryFolder()
        let bag = folder.path.appending("bag")
        let (_, read) = try await write(to: bag, BagOptions(), progress: options.progress)
        return CheckReport(try BagChecker.check(bag, options: options), path: path, archive: archive, read.counts)
    }
}

extension ArvosCounts {
    /// The messages that were received as Arvos, in lines for people.
    var lines: [String] {
        var lines: [String] = []
        let kinds = Self.list(messages)
        if !kinds.isEmpty { lines.append("received: \(kinds)") }
        if rejectedCount > 0 {
            lines.append("rejected: \(rejectedCount) (\(Self.list(reasons)))")
            lines += examples.map { "  \($0)" }
        }
        if lostInSequence > 0 {
            lines.append("lost on the way, as the senders' numbers say: \(lostInSequence) messages")
        }
        if withoutGravity > 0 {
            lines.append("\(withoutGravity) IMU samples came without gravity: whether theirs is in is not known")
        }
        return lines
    }

    var members: [(String, JSONValue)] {
        [
            ("received", Self.object(messages)), ("rejected", Self.object(reasons)),
            ("examples", examples.json), ("lost_in_sequence", lostInSequence.json),
            ("without_gravity", withoutGravity.json),
        ]
    }

    private var reasons: [String: Int] {
        Dictionary(uniqueKeysWithValues: rejected.map { ($0.key.rawValue, $0.value) })
    }

    private static func list(_ counts: [String: Int]) -> String {
        counts.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
    }

    private static func object(_ counts: [String: Int]) -> JSONValue {
        .object(sorted: counts) { .integer($0) }
    }
}
