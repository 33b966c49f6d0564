import ArgumentParser
import BagPlayback
import Bags
import Exports
import Files
import Messages
import Playback
import SystemPackage

/// How a bag is exported.
struct BagExportOptions: ParsableArguments {
    @Option(help: "Topic whose poses or fixes are taken; for tables and ply the only one. Default: the first; all.")
    var topic: String?

    @OptionGroup
    var unknownTypes: UnknownTypeOptions

    @OptionGroup
    var unpacking: UnpackingOptions

    /// Those that were given.
    var given: GivenOptions {
        GivenOptions(expected: "a bag", [("--topic", topic != nil)]) + unknownTypes.forBags + unpacking.forBags
    }
}

/// `export` of a bag: trajectories, tables, tracks and clouds.
struct BagExport {
    let command: ExportCommand

    func run() async throws {
        let types = try Self.types(command.to)
        let setup = try setup(types)
        if case .track(let form) = command.to { return try await runTrack(setup, form) }
        let isFile = command.to.frameFormat != nil
        let folder = try command.makeFolder(isFile: isFile)
        let sink: any MessageSink =
            switch command.to {
            case .frames(.tum): TrajectorySink(folder, form: .tum)
            case .frames: TrajectorySink(folder, form: .kitti)
            case .surface: CloudFileSink(folder)
            case .table(let form): TableSink(folder, form)
            case .track: TableSink(folder, .csv)
            }
        let report = try await play(setup, sink)
        if !isFile {
            try folder.write(provenance: setup.provenance(version: Tool.version), format: command.to.name)
        }
        try folder.keep(
            file: isFile ? TrajectorySink.fileName : nil,
            unless: report.playback.failure,
            wasInterrupted: report.playback.wasInterrupted
        )
        try outcome(setup, report)
    }

    private func runTrack(_ setup: BagPlaybackSetup, _ form: TrackExport.Form) async throws {
        let file = try command.newFile()
        let sink = FixSink(title: setup.reader.path.lastComponent?.string ?? "bag")
        let report = try await play(setup, sink)
        if report.playback.failure == nil, !report.playback.wasInterrupted {
            try file.write(await sink.export.bytes(form, version: Tool.version))
        }
        try outcome(setup, report)
    }

    private func play(_ setup: BagPlaybackSetup, _ sink: any MessageSink) async throws -> BagPlaybackReport {
        try await RunWithProgress(command: "export", stage: "writing", progress: command.progress)
            .run(setup, into: [sink])
    }

    private func outcome(_ setup: BagPlaybackSetup, _ report: BagPlaybackReport) throws {
        try Outcome(
            .bag(setup, report, acceptsDamage: command.selection.recording.acceptDamage),
            filesPath: report.playback.failure == nil && !report.playback.wasInterrupted ? command.output : nil
        ).finish(json: command.json, reporting: command.reporting)
    }

    /// The types of messages that a format is made of; nil for all.
    static func types(_ format: ExportFormat) throws(UsageError) -> Set<String>? {
        switch format {
        case .frames(.tum), .frames(.kitti): return PosedMessage.types
        case .surface(.ply): return [PointCloud2.typeName]
        case .track: return FixSink.types
        case .table: return nil
        case .frames, .surface:
            throw UsageError(
                "--to",
                expected: "tum, kitti, csv, parquet, gpx, geojson, kml or ply, which a bag can be exported to",
                found: format.name
            )
        }
    }

    /// The bag with the topics of the format only: one for what is one line, all for tables and clouds.
    private func setup(_ types: Set<String>?) throws -> BagPlaybackSetup {
        var plan = try plan()
        if let topic = command.bag.topic { plan.selection.only = [topic] }
        // Topics that are not taken need no definition.
        if types != nil { plan.skipsUnknown = true }
        let whole = try open(plan)
        guard let types else { return whole }
        let fitting = whole.topics.filter { types.contains($0.typeName) }
        guard let first = fitting.first else {
            let names = types.sorted().joined(separator: ", ")
            throw ExportError.missing(format: command.to.name, needs: "a topic of \(names)", found: "none in the bag")
        }
        plan.selection.only = types == [PointCloud2.typeName] ? fitting.map(\.name) : [first.name]
        return try open(plan)
    }

    private func open(_ plan: BagPlaybackPlan) throws -> BagPlaybackSetup {
        try BagPlaybackSetup(opening: FilePath(command.path), plan: plan)
    }

    private func plan() throws -> BagPlaybackPlan {
        var plan = BagPlaybackPlan()
        let span = command.selection.span
        plan.start = span.start
        plan.end = span.end
        plan.durationSeconds = try span.durationSeconds()
        let unknown = command.bag.unknownTypes
        plan.types = try unknown.typesByTopic()
        plan.skipsUnknown = unknown.skipUnknown
        plan.resolver = try unknown.messagePath.resolver()
        plan.acceptsDamage = command.selection.recording.acceptDamage
        plan.unpackLimit = try command.bag.unpacking.limit()
        plan.playback.rate = nil
        return plan
    }
}
