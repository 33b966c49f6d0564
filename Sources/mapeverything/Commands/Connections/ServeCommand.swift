import ArgumentParser
import Bags
import Foxglove
import Platform
import Playback
import SystemPackage
import Translation

struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve",
        abstract: "Show a session or a bag in Foxglove, Lichtblick or any browser, with a seek bar.",
        discussion: """
            Clients play, pause and seek. Only topics that a client shows are computed. A loop goes back in time.

            Examples:
              mapeverything serve room
              mapeverything serve room_bag --port 9000 --play --loop
              mapeverything serve room --lan --token-file token.txt
            """
    )

    @OptionGroup var input: PlayedInputOptions

    @Flag(help: "Play at once. Default: wait at the beginning until a client or a key plays.") var play = false

    @Flag(help: "Open the page in a browser.") var open = false

    @OptionGroup(title: "Playback") var player: PlayerOptions
    @OptionGroup(title: "Server") var serving: ServingOptions

    @Option(help: .rare("Bytes that may wait for a slow client, before images and clouds are dropped.", "size"))
    var queueSize = ByteSize("64MiB")

    func run() async throws {
        guard input.publishing.stamp != .now else {
            throw UsageError("--stamp", expected: "the times of the recording, which can be gone back to", found: "now")
        }
        let opener = try open ? PageOpener() : nil
        let opening = try input.opening("serve", clockHertz: player.clockHertz(), progress: player.progress)
        var playback = try player.playback()
        let subscribed = SubscribedTopics()
        playback.startsPaused = !play
        playback.subscribed = subscribed
        let playable = try await opening(playback)
        for warning in playable.warnings { Terminal.printError("warning: \(warning)") }
        // The report at the end comes too late for a user who looks for a topic.
        for topic in playable.leftOut { Terminal.printError("left out: \(topic.name): \(topic.reason)") }
        let control = PlaybackControl(
            startsPaused: playback.startsPaused,
            rate: playback.rate,
            loops: playback.loops == nil ? true : nil,
            resolve: playable.resolve
        )
        let runner = RunWithProgress(command: "serve", progress: player.progress, input: player.input, control: control)
        var played = try await runner.run(playable, into: [try sink(playable, control, subscribed, opener)])
        // Ctrl-C is how serving ends.
        played.playback.wasInterrupted = false
        try played.finish(input.publishing.reporting, to: ["sent to all who connected"])
    }

    private func sink(
        _ playable: Playable,
        _ control: PlaybackControl,
        _ subscribed: SubscribedTopics,
        _ opener: PageOpener?
    ) throws -> FoxgloveSink {
        let name = ForeignPath.name(of: FilePath(input.path)) ?? input.path
        var options = FoxgloveOptions(
            try serving.serverOptions(isStrict: false, standardPort: 8765),
            name: name,
            // Channels are numbered anew by each server.
            sessionID: "\(name) \(WallClock.nowNanoseconds())"
        )
        options.span = playable.span
        options.queueBytes = try queueSize.bytes("--queue-size", in: 1_000_000...10_000_000_000)
        options.waits = player.rate == "max"
        options.notice = { Terminal.printError($0) }
        let (path, serving) = (input.path, serving)
        options.scene = { try await playable.showScene(of: path, $0) }
        options.isListening = { port in
            Terminal.printError(Self.greeting(path, serving, port))
            let reach = Reachability.lines([serving.pageDoor(port: port)], asksForToken: serving.asksForToken)
            for line in reach { Terminal.printError(line) }
            do {
                try opener?.open(Self.page(serving, port), watching: 0.2)
            } catch {
                Terminal.printError("warning: \(error)")
            }
        }
        return FoxgloveSink(options, control: control, subscribed: subscribed)
    }

    private static func place(_ serving: ServingOptions, _ port: Int) -> String {
        let isHere = ["127.0.0.1", "0.0.0.0", "::1", "::"].contains(serving.address)
        return "\(isHere ? "localhost" : serving.bracketedAddress):\(port)"
    }

    private static func page(_ serving: ServingOptions, _ port: Int) -> String {
        "\(serving.pageScheme)://\(place(serving, port))/"
    }

    /// Where to look at it (docs.foxglove.dev, shareable links).
    static func greeting(_ path: String, _ serving: ServingOptions, _ port: Int) -> String {
        let url = "\(serving.scheme)://\(place(serving, port))"
        return """
            serving \(path) on \(serving.scheme)://\(serving.bracketedAddress):\(port), Ctrl-C ends
              Foxglove    foxglove://open?ds=foxglove-websocket&ds.url=\(url)
              Browser     \(page(serving, port))\(serving.asksForToken ? " (asks for the token)" : "")
              Lichtblick  https://lichtblick-suite.github.io/?ds=foxglove-websocket&ds.url=\(url)
            """
    }
}
