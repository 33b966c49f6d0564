import BagPlayback
import Bags
import Files
import Messages
import Playback
import Replay
import Rosbridge
import SystemPackage

/// `replay` of a bag.
struct BagReplay {
    let command: ReplayCommand

    func run() async throws {
        try InputKind.bag.refuse(command.publishing.forSessions + command.clouds.forSessions, command.path)
        var plan = try Self.plan(command.publishing, command.unknownTypes, command.unpacking)
        plan.clockHertz = try command.player.clockHertz()
        if command.dryRun { return try await runDry(plan) }
        let stampsNow = plan.playback.stampsNow
        plan.playback = try command.player.playback()
        plan.playback.stampsNow = stampsNow
        plan.playback.nowNanoseconds = { WallClock.nowNanoseconds() }
        let destination = try ReplayDestination(command, isUnpaced: plan.playback.rate == nil)
        let setup = try setup(plan)
        if let mirror = command.saveLocal, setup.reader.isAt(FilePath(mirror)) {
            // With --force it would be removed before it is read.
            throw BagError.cannotCreate(FilePath(mirror), reason: "the bag that is to be replayed")
        }
        destination.warn(setup.unmatched)
        let control = destination.control(setup.plan.playback)
        let sinks = try destination.sinks(provenance: setup.provenance(version: Tool.version), control: control)
        try await destination.wait()
        let report = try await RunWithProgress(
            command: "replay",
            progress: command.player.progress,
            publisher: destination.publisher,
            input: command.player.input,
            control: control
        ).run(setup, into: sinks)
        try destination.report(.bag(setup, report, acceptsDamage: command.publishing.recording.acceptDamage))
    }

    /// Every message is read into nothing: the exact numbers of what would be sent, once and unpaced.
    private func runDry(_ plan: BagPlaybackPlan) async throws {
        let setup = try setup(plan)
        let report = try await RunWithProgress(command: "replay", stage: "preparing", progress: command.player.progress)
            .run(setup, into: [])
        try Outcome(.bag(setup, report, acceptsDamage: command.publishing.recording.acceptDamage))
            .finish(json: command.json, reporting: command.publishing.reporting)
    }

    private func setup(_ plan: BagPlaybackPlan) throws -> BagPlaybackSetup {
        try BagPlaybackSetup(opening: FilePath(command.path), plan: plan)
    }

    /// What is played of a bag.
    static func plan(
        _ publishing: PublishingOptions,
        _ unknownTypes: UnknownTypeOptions,
        _ unpacking: UnpackingOptions
    ) throws -> BagPlaybackPlan {
        var plan = BagPlaybackPlan()
        plan.selection = try publishing.selection.selection()
        plan.naming.remaps = try publishing.selection.remaps()
        plan.naming.namespace = publishing.namespace ?? ""
        plan.start = publishing.span.start
        plan.end = publishing.span.end
        plan.durationSeconds = try publishing.span.durationSeconds()
        plan.types = try unknownTypes.typesByTopic()
        plan.skipsUnknown = unknownTypes.skipUnknown
        plan.resolver = try unknownTypes.messagePath.resolver()
        plan.acceptsDamage = publishing.recording.acceptDamage
        plan.unpackLimit = try unpacking.limit()
        plan.playback.stampsNow = publishing.stamp == .now
        return plan
    }
}
