import ArgumentParser
import Bags
import Playback
import ROS
import Replay
import Rosbridge
import Sessions
import SystemPackage

struct ReplayCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay",
        abstract: "Publish a session to a rosbridge server, paced on the capture's own clock."
    )

    @Argument(help: "A session: folder, .zip or .tar.")
    var session: String

    @Option(help: "Mirror the same messages into a bag.")
    var saveLocal: String?

    @Flag(help: "Print what would be sent, without a network.")
    var dryRun = false

    @Flag(help: "Print the result as JSON.")
    var json = false

    @OptionGroup(title: "The player")
    var player: PlayerOptions

    @OptionGroup(title: "The connection")
    var connection: ConnectionOptions

    @OptionGroup(title: "What is published")
    var publishing: PublishingOptions

    @OptionGroup(title: "The mirror")
    var bag: BagWritingOptions

    func run() async throws {
        var plan = try publishing.plan()
        plan.clockHertz = try player.clockHertz()
        if dryRun { return try await runDry(plan) }
        plan.playback = try player.playback()
        let url = try connection.parsedURL()
        let delay = try UsageError.seconds("--delay", player.delay)
        let options = try connection.publisherOptions(isUnpaced: plan.playback.rate == nil)
        let setup = try ReplaySetup(session: SessionFormats.open(path: session), plan: plan)
        let publisher = RosbridgePublisher(url, options: options)
        var sinks: [any MessageSink] = [publisher]
        if let saveLocal {
            let options = try bag.options(durability: .resilient, customData: setup.provenance)
            sinks.append(BagSink(FilePath(saveLocal), options: options))
        }
        if delay > .zero { try await Signals.cancelling { try await Task.sleep(for: delay) } }
        let report = try await RunWithProgress.run(
            setup,
            sinks: sinks,
            publisher: publisher,
            progress: player.progressForm,
            input: player.input
        )
        try Outcome(.session(setup, report), bagPath: saveLocal, publisher: "\(url)")
            .finish(json: json, reporting: publishing.reporting)
    }

    /// The whole pipeline into nothing: the exact numbers of what would be sent, once and unpaced.
    private func runDry(_ plan: ReplayPlan) async throws {
        let setup = try ReplaySetup(session: SessionFormats.open(path: session), plan: plan)
        let report = try await RunWithProgress.run(setup, sinks: [], progress: .off)
        try Outcome(.session(setup, report)).finish(json: json, reporting: publishing.reporting)
    }
}
