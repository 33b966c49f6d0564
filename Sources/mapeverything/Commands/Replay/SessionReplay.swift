import Playback
import Replay
import Sessions

/// `replay` of a session.
struct SessionReplay {
    let command: ReplayCommand

    func run() async throws {
        try InputKind.session.refuse(command.unknownTypes.forBags + command.unpacking.forBags, command.path)
        var plan = try command.publishing.plan(
            clouds: command.clouds,
            preset: command.arvos.isGiven ? "streams" : "record"
        )
        command.arvos.apply(to: &plan)
        plan.clockHertz = try command.player.clockHertz()
        if command.dryRun { return try await runDry(plan) }
        plan.playback = try command.player.playback()
        let destination = try ReplayDestination(command, isUnpaced: plan.playback.rate == nil)
        let setup = try ReplaySetup(
            session: SessionFormats.openExamined(path: command.path, options: command.publishing.recording.opening()),
            plan: plan
        )
        destination.warn(setup.warnings)
        let control = destination.control(setup.plan.playback) { try setup.resolved($0) }
        let sinks = try destination.sinks(provenance: setup.provenance, control: control)
        try await destination.wait()
        let report = try await RunWithProgress(
            command: "replay",
            progress: command.player.progress,
            publisher: destination.publisher,
            input: command.player.input,
            control: control
        ).run(setup, into: sinks)
        try destination.report(.session(setup, report))
    }

    /// The whole pipeline into nothing: the exact numbers of what would be sent, once and unpaced.
    private func runDry(_ plan: ReplayPlan) async throws {
        let setup = try ReplaySetup(
            session: SessionFormats.openExamined(path: command.path, options: command.publishing.recording.opening()),
            plan: plan
        )
        let report = try await RunWithProgress(command: "replay", stage: "preparing", progress: command.player.progress)
            .run(setup, into: [])
        try Outcome(.session(setup, report)).finish(json: command.json, reporting: command.publishing.reporting)
    }
}
