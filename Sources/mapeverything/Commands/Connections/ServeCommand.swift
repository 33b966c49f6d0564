import ArgumentParser
import BagPlayback
import Bags
import Files
import Foxglove
import JSONText
import Playback
import Replay
import Rosbridge
import Sessions
import SystemPackage

struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Show a session or a bag in Foxglove, Lichtblick or any browser, with a seek bar.",
        discussion: """
            Clients play, pause and seek. Only topics that a client shows are computed. A loop goes back in time.

            Examples:
              mapeverything serve room
              mapeverything serve room_bag --port 9000 --play --loop
              mapeverything serve room --address 0.0.0.0 --cert a.pem --key a.key --token-file token.txt
            """
    )

    @Argument(help: "A session (folder, .zip, .tar) or a bag (folder, .db3, .mcap).")
    var path: String

    @Flag(help: "Play at once. Default: wait at the beginning until a client or a key plays.")
    var play = false

    @Flag(help: "Print the report as JSON.")
    var json = false

    @OptionGroup(title: "Playback")
    var player: PlayerOptions

    @OptionGroup(title: "Server")
    var serving: ServingOptions

    @Option(
        help: ArgumentHelp(
            "What may wait for a client that is slow, before images and clouds are dropped.",
            valueName: "size"
        )
    )
    var queueSize = ByteSize("64MiB")

    @OptionGroup(title: "What is shown")
    var publishing: PublishingOptions

    @OptionGroup(title: "Bag input")
    var unknownTypes: UnknownTypeOptions

    @OptionGroup(title: "Damaged bags")
    var unpacking: UnpackingOptions

    @OptionGroup(title: "Point clouds (advanced)")
    var clouds: CloudOptions

    func run() async throws {
        guard publishing.stamp != .now else {
            throw UsageError("--stamp", expected: "the times of the recording, which can be gone back to", found: "now")
        }
        switch try InputKind(path) {
        case .session: try await serveSession()
        case .bag: try await serveBag()
        }
    }

    private func playback() throws -> (PlaybackOptions, TopicDemand) {
        var options = try player.playback()
        let demand = TopicDemand()
        options.startsPaused = !play
        options.demand = demand
        return (options, demand)
    }

    private func serveSession() async throws {
        try InputKind.session.refuse(unknownTypes.forBags + unpacking.forBags, path)
        var plan = try publishing.plan(clouds: clouds)
        plan.clockHertz = try player.clockHertz()
        let (playback, demand) = try playback()
        plan.playback = playback
        let setup = try ReplaySetup(
            session: SessionFormats.openExamined(path: path, options: publishing.recording.opening()),
            plan: plan
        )
        for warning in setup.warnings { Terminal.printError("warning: \(warning)") }
        let control = control(playback) { try setup.resolved($0) }
        let sink = try sink(setup.stampSpan, control, demand)
        let report = try await run(control).run(setup, into: [sink])
        try finish(.session(setup, report))
    }

    private func serveBag() async throws {
        try InputKind.bag.refuse(publishing.forSessions + clouds.forSessions, path)
        var plan = try BagReplay.plan(publishing, unknownTypes, unpacking)
        plan.clockHertz = try player.clockHertz()
        let (playback, demand) = try playback()
        plan.playback = playback
        let setup = try BagPlaybackSetup(opening: FilePath(path), plan: plan)
        for line in setup.unmatched { Terminal.printError("warning: \(line)") }
        // The report at the end comes too late for a user who looks for a topic.
        for topic in setup.leftOut { Terminal.printError("left out: \(topic.name): \(topic.reason)") }
        let control = control(playback)
        let sink = try sink(setup.span, control, demand)
        let report = try await run(control).run(setup, into: [sink])
        try finish(.bag(setup, report, acceptsDamage: publishing.recording.acceptDamage))
    }

    private func run(_ control: PlaybackControl) -> RunWithProgress {
        RunWithProgress(command: "serve", progress: player.progress, input: player.input, control: control)
    }

    private func control(
        _ playback: PlaybackOptions,
        resolve: @escaping @Sendable (PlaybackPlace) throws -> PlaybackPlace = { $0 }
    ) -> PlaybackControl {
        PlaybackControl(
            startsPaused: playback.startsPaused,
            rate: playback.rate,
            loops: playback.loops == nil ? true : nil,
            resolve: resolve
        )
    }

    private func sink(
        _ span: ClosedRange<Int64>,
        _ control: PlaybackControl,
        _ demand: TopicDemand
    ) throws -> FoxgloveSink {
        let name = FilePath(path).lastComponent?.string ?? path
        var options = FoxgloveOptions(
            try serving.serverOptions(isStrict: false, standardPort: 8765),
            name: name,
            // Channels are numbered anew by each server.
            sessionID: "\(name) \(WallClock.nowNanoseconds())"
        )
        options.span = span
        options.queueBytes = try queueSize.bytes("--queue-size", in: 1_000_000...10_000_000_000)
        options.waits = player.rate == "max"
        options.notice = { Terminal.printError($0) }
        let (path, serving) = (path, serving)
        options.isListening = { port in Terminal.printError(Self.greeting(path, serving, port)) }
        return FoxgloveSink(options, control: control, demand: demand)
    }

    /// Where to look at it (docs.foxglove.dev, shareable links).
    static func greeting(_ path: String, _ serving: ServingOptions, _ port: Int) -> String {
        let isHere = ["127.0.0.1", "0.0.0.0", "::1", "::"].contains(serving.address)
        let place = "\(isHere ? "localhost" : serving.bracketedAddress):\(port)"
        let url = "\(serving.scheme)://\(place)"
        return """
            serving \(path) on \(serving.scheme)://\(serving.bracketedAddress):\(port), Ctrl-C ends
              Foxglove    foxglove://open?ds=foxglove-websocket&ds.url=\(url)
              Browser     \(serving.scheme == "ws" ? "http" : "https")://\(place)/\(serving.asksForToken ? " (asks for the token)" : "")
              Lichtblick  https://lichtblick-suite.github.io/?ds=foxglove-websocket&ds.url=\(url)
            """
    }

    /// Ctrl-C is how serving ends.
    private func finish(_ subject: Outcome.Subject) throws {
        var subject = subject
        subject.playback.wasInterrupted = false
        try Outcome(subject, publisher: "sent to all who connected").finish(json: json, reporting: publishing.reporting)
    }
}
