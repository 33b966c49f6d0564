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
        abstract: "Show a session, a bag or a map in a browser, Foxglove or Lichtblick.",
        discussion: """
            Clients play, pause and seek. Only topics that a client shows are computed. A loop goes back in time.

            Examples:
              mapeverything serve room
              mapeverything serve room_bag --port 9000 --play --loop
              mapeverything serve room --lan --token-file token.txt
              mapeverything serve room.ply
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
        if OpenedModel.isOne(input.path) { return try await serveModel() }
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
        var options = try serving.foxgloveOptions(input.path, queueBytes: queueBytes(), opener)
        options.span = playable.span
        options.waits = player.rate == "max"
        let path = input.path
        options.scene = { try await playable.showScene(of: path, $0) }
        return FoxgloveSink(options, control: control, subscribed: subscribed)
    }

    private func queueBytes() throws -> Int { try queueSize.bytes("--queue-size", in: 1_000_000...10_000_000_000) }

    /// What is neither played nor made of anything has none of these options.
    private func serveModel() async throws {
        let fitting =
            "--open --port --address --lan --cert --key --client-ca --token --token-file --allow-origin --max-clients "
            + "--max-message-size --ping --queue-size --progress --quiet --verbose"
        let others = GivenOptions.onCommandLine.others(than: fitting)
        guard others.isEmpty else {
            let found = "the file \(input.path), which is neither"
            throw UsageError(others.joined(separator: ", "), expected: "a session or a bag", found: found)
        }
        let opener = try open ? PageOpener() : nil
        let server = ModelServer(path: input.path, serving: serving, queueBytes: try queueBytes(), opener: opener)
        try await server.run(player.progress)
    }

    private static func place(_ serving: ServingOptions, _ port: Int) -> String {
        let isHere = ["127.0.0.1", "0.0.0.0", "::1", "::"].contains(serving.address)
        return "\(isHere ? "localhost" : serving.bracketedAddress):\(port)"
    }

    static func page(_ serving: ServingOptions, _ port: Int) -> String {
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
