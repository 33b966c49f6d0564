import ArgumentParser
import Bags
import Playback
import SystemPackage

struct ReplayCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay",
        abstract: "Publish a session or a bag to a rosbridge server, or as Arvos, at the speed of the recording.",
        discussion: """
            Examples:
              mapeverything replay room --url 10.0.0.5
              mapeverything replay room_bag --url wss://robot:9090 --rate 2 --loop
              mapeverything replay room --arvos-listen 0.0.0.0:9090
            """
    )

    @OptionGroup
    var input: PlayedInputOptions

    @Option(help: "Also write the messages to this bag folder. Default: none.")
    var saveLocal: String?

    @Flag(help: "Compute everything and print the report; send nothing.")
    var dryRun = false

    @OptionGroup(title: "Playback")
    var player: PlayerOptions

    @OptionGroup(title: "Connection")
    var connection: ConnectionOptions

    @OptionGroup(title: "Arvos")
    var arvos: ArvosSendingOptions

    @OptionGroup
    var html: HTMLReportOptions

    @OptionGroup(title: "The bag of --save-local")
    var bag: BagWritingOptions

    @OptionGroup(title: "Connection (advanced)")
    var timing: ConnectionTimingOptions

    func run() async throws {
        let page = try html.file(replaces: bag.force.isGiven, inputs: [input.path])
        let open = try input.opening(
            "replay",
            clockHertz: player.clockHertz(),
            preset: arvos.isGiven ? "streams" : "record",
            adjust: arvos.apply
        )
        if dryRun {
            try await runDry(open(nil))
        } else {
            try await play(open)
        }
        switch try InputKind(input.path) {
        case .bag: try await page?.write(bag: input.path, input.unknownTypes.messagePath, player.progress, of: "replay")
        case .session: try await page?.write(input.path, input.publishing, player.progress, of: "replay")
        }
    }

    /// Everything into nothing: the exact numbers of what would be sent, once and unpaced.
    private func runDry(_ playable: Playable) async throws {
        try await RunWithProgress(command: "replay", stage: "preparing", progress: player.progress)
            .run(playable, into: []).finish(input.publishing.reporting)
    }

    private func play(_ open: (PlaybackOptions?) throws -> Playable) async throws {
        let playback = try player.playback()
        let destination = try ReplayDestination(self, isUnpaced: playback.rate == nil)
        let playable = try open(playback)
        if let saveLocal, playable.isAt(FilePath(saveLocal)) {
            // With --force it would be removed before it is read.
            throw BagError.cannotCreate(FilePath(saveLocal), reason: "the bag that is to be replayed")
        }
        destination.warn(playable.warnings)
        let control = destination.control(playback, resolve: playable.resolve)
        let sinks = try destination.sinks(provenance: playable.provenance, control: control)
        try await destination.wait()
        try await RunWithProgress(
            command: "replay",
            progress: player.progress,
            publisher: destination.publisher,
            input: player.input,
            control: control
        )
        .run(playable, into: sinks)
        .finish(input.publishing.reporting, to: (saveLocal.map { ["bag: \($0)"] } ?? []) + [destination.text])
    }
}
