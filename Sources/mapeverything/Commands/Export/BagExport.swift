import ArgumentParser
import Bags
import Exports
import Messages
import Platform
import Playback
import SystemPackage

struct BagExportOptions: ParsableArguments {
    @Option(
        help: .value(
            "topic",
            "Topic whose poses or fixes are taken; for tables and ply the only one. Default: the first; all."
        )
    )
    var topic: String?

    @OptionGroup var unknownTypes: UnknownTypeOptions
    @OptionGroup var unpacking: UnpackingOptions
}

/// `export` of a bag: trajectories, tables, tracks and clouds.
extension ExportCommand {
    func exportBag() async throws {
        guard let use = to.ofBag else { return }
        let setup = try setup(use.types)
        if case .track(let track) = to.making { return try await runTrack(setup, track) }
        let isFile = use.isFile
        let folder = try makeFolder(isFile: isFile)
        let sink: any MessageSink =
            switch to.making {
            case .frames(let format): TrajectorySink(folder, form: format == .tum ? .tum : .kitti)
            case .table(let format): TableSink(folder, format)
            case .surface, .space, .track, .episodes, .command: CloudFileSink(folder)
            }
        let played = try await play(setup, sink)
        if !isFile {
            try folder.write(provenance: setup.provenance(version: Tool.version), format: to.name)
        }
        try folder.keep(
            file: isFile ? TrajectorySink.fileName : nil,
            unless: played.playback.failure,
            wasInterrupted: played.playback.wasInterrupted
        )
        try finish(played)
    }

    private func runTrack(_ setup: BagPlaybackSetup, _ track: TrackFile) async throws {
        let file = try newFile()
        let sink = FixSink(title: ForeignPath.name(of: setup.reader.path) ?? "bag")
        let played = try await play(setup, sink)
        if played.playback.failure == nil, !played.playback.wasInterrupted {
            try file.write(track.bytes(await sink.export, Tool.version))
        }
        try finish(played)
    }

    private func play(_ setup: BagPlaybackSetup, _ sink: any MessageSink) async throws -> Played {
        try await RunWithProgress(command: "export", stage: "writing", progress: progress)
            .run(.bag(setup, acceptsDamage: selection.recording.acceptDamage), into: [sink])
    }

    private func finish(_ played: Played) throws {
        let isWritten = played.playback.failure == nil && !played.playback.wasInterrupted
        try played.finish(reporting, to: isWritten ? ["written to \(output)"] : [])
    }

    private static func rank(_ topic: Topic, _ setup: BagPlaybackSetup) -> (Int, Int) {
        let index = setup.reader.topics.firstIndex { $0.name == topic.name }
        return (
            topic.typeName == PoseStamped.typeName ? 0 : 1, -(index.map { setup.reader.heldCount(ofTopic: $0) } ?? 0)
        )
    }

    /// The bag with the topics of the format only: one for what is one line, all for tables and clouds.
    private func setup(_ types: Set<String>?) throws -> BagPlaybackSetup {
        var plan = try BagPlaybackPlan(selection.span, selection.recording, bag.unknownTypes, bag.unpacking)
        if let topic = bag.topic { plan.selection.only = [topic] }
        // Topics that are not taken need no definition.
        if types != nil { plan.skipsUnknown = true }
        let whole = try open(plan)
        guard let types else { return whole }
        let fitting = whole.topics.filter { types.contains($0.typeName) }
        // Of several the phone's own pose, else what has the most of them: of the sources of a place, GPS has few.
        guard let first = fitting.min(by: { Self.rank($0, whole) < Self.rank($1, whole) }) else {
            let names = types.sorted().joined(separator: ", ")
            throw ExportError.missing(format: to.name, needs: "a topic of \(names)", found: "none in the bag")
        }
        plan.selection.only = types == [PointCloud2.typeName] ? fitting.map(\.name) : [first.name]
        return try open(plan)
    }

    private func open(_ plan: BagPlaybackPlan) throws -> BagPlaybackSetup {
        try BagPlaybackSetup(opening: FilePath(path), plan: plan)
    }
}
