import ArgumentParser
import Arvos
import Bags
import DDS
import Messages
import Playback
import Rosbridge
import SystemPackage
import Text
import Translation

struct ReplayCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "replay",
        abstract: "Publish a session or a bag to ROS 2, a rosbridge server or Arvos.",
        discussion: """
            Examples:
              mapeverything replay room --url 10.0.0.5
              mapeverything replay room --ros2
              mapeverything replay room_bag --url wss://robot:9090 --rate 2 --loop
              mapeverything replay room --arvos-listen 0.0.0.0:9090
            """,
        aliases: ["play"]
    )

    @OptionGroup var input: PlayedInputOptions

    @Option(
        help: .value("folder", "Also write the messages to this bag folder or NAME.mcap. Default: none."),
        completion: .directory
    ) var saveLocal: String?

    @Flag(help: "Compute everything and print the report; send nothing.") var dryRun = false

    @OptionGroup(title: "Playback") var player: PlayerOptions
    @OptionGroup(title: "Connection") var ros2: ROS2PublishingOptions
    @OptionGroup(title: "Connection") var connection: ConnectionOptions
    @OptionGroup(title: "Arvos", visibility: .rare) var arvos: ArvosSendingOptions
    @OptionGroup var html: HTMLReportOptions
    @OptionGroup(title: "The bag of --save-local", visibility: .rare) var bag: BagWritingOptions
    @OptionGroup(title: "Connection (advanced)", visibility: .rare) var timing: ConnectionTimingOptions

    func run() async throws {
        let page = try html.file(replaces: bag.force.isGiven, inputs: [input.path])
        let open = try input.opening(
            "replay",
            clockHertz: player.clockHertz(),
            preset: arvos.isGiven ? "streams" : ros2.isGiven ? "data" : "record",
            progress: player.progress,
            adjust: arvos.apply
        )
        switch try await dryRun ? runDry(open(nil)) : play(open) {
        case .bag: try await page?.write(bag: input.path, input.unknownTypes.messagePath, player.progress, of: "replay")
        case .session(let setup):
            try await page?.write(setup.recording, at: input.path, input.publishing, player.progress, of: "replay")
        }
    }

    /// Everything into nothing: the exact numbers of what would be sent, once and unpaced.
    private func runDry(_ playable: Playable) async throws -> Playable {
        let played = try await RunWithProgress(command: "replay", stage: "preparing", progress: player.progress)
            .run(playable, into: [])
        let options = try ros2.options(isUnpaced: player.playback().rate == nil, distribution: bag.rosDistro)
        try played.finish(
            input.publishing.reporting,
            plan: options.map { DDSPlan(playable.topics, $0) }
        )
        return playable
    }

    private func play(_ open: (PlaybackOptions?) async throws -> Playable) async throws -> Playable {
        let playback = try player.playback()
        let destination = try ReplayDestination(self, isUnpaced: playback.rate == nil)
        let playable = try await open(playback)
        destination.warn(playable.warnings)
        let control = destination.control(playback, resolve: playable.resolve)
        let sinks = try destination.sinks(provenance: playable.provenance, control: control)
        try await destination.wait()
        try await RunWithProgress(
            command: "replay",
            progress: player.progress,
            publisher: destination.publisher ?? sinks.first { $0 is DDSSink },
            input: player.input,
            control: control
        )
        .run(playable, into: sinks)
        .finish(input.publishing.reporting, to: (saveLocal.map { ["bag: \($0)"] } ?? []) + [destination.text])
        return playable
    }
}

/// Where a replay goes: to a server or to all who connect, and into a mirror of it if one is asked for.
struct ReplayDestination {
    /// Nil for what goes elsewhere.
    let publisher: RosbridgePublisher?
    private let ros2: DDSOptions?
    private let arvos: ArvosSink.Mode?
    private let arvosDelivery: ArvosSink.Delivery
    private let command: ReplayCommand
    private let delay: Duration
    private let isForPrograms: Bool

    /// Takes what can be refused before anything is opened.
    init(_ command: ReplayCommand, isUnpaced: Bool) throws {
        self.command = command
        delay = .seconds(command.player.delay)
        let isForPrograms = command.player.progress.form == .json || command.player.control == .stdin
        self.isForPrograms = isForPrograms
        arvos = try command.arvos.mode()
        var ros2 = try command.ros2.options(isUnpaced: isUnpaced, distribution: command.bag.rosDistro)
        ros2?.notice = { Self.tell($0, as: "notice", isForPrograms: isForPrograms) }
        ros2?.warning = { Self.tell($0, as: "warning", isForPrograms: isForPrograms) }
        self.ros2 = ros2
        var delivery = ArvosSink.Delivery()
        if ros2 != nil {
            publisher = nil
        } else if arvos == nil {
            let url = try command.connection.parsedURL()
            var options = try command.connection.publisherOptions(isUnpaced: isUnpaced, timing: command.timing)
            options.notice = { Self.tell($0, as: "notice", isForPrograms: isForPrograms) }
            options.warning = { Self.tell($0, as: "warning", isForPrograms: isForPrograms) }
            publisher = RosbridgePublisher(url, options: options)
        } else {
            delivery = try command.connection.arvosDelivery(isUnpaced: isUnpaced, timing: command.timing)
            delivery.notice = { Self.tell($0, as: "notice", isForPrograms: isForPrograms) }
            publisher = nil
        }
        arvosDelivery = delivery
    }

    /// The control of the player; nil where nothing may steer it.
    func control(
        _ playback: PlaybackOptions,
        resolve: @escaping @Sendable (PlaybackPlace) throws -> PlaybackPlace
    ) -> PlaybackControl? {
        guard command.player.input != nil || command.arvos.allowCommands else { return nil }
        return PlaybackControl(startsPaused: playback.startsPaused, rate: playback.rate, resolve: resolve)
    }

    /// The sinks, none of them open yet.
    func sinks(provenance: [String: String], control: PlaybackControl?) throws -> [any MessageSink] {
        var sinks: [any MessageSink] = []
        if let publisher { sinks.append(publisher) }
        if let ros2 { sinks.append(DDSSink(try command.ros2.graph.library(), options: ros2)) }
        if let arvos {
            var delivery = arvosDelivery
            if command.arvos.allowCommands, let control {
                delivery.command = { command in await Self.carryOut(command, control) }
            }
            sinks.append(ArvosSink(arvos, options: try arvosOptions(provenance), delivery: delivery))
        }
        guard let path = command.saveLocal else { return sinks }
        let options = try command.bag.options(durability: .resilient, customData: provenance, output: path)
        return sinks + [BagSink(FilePath(path), options: options)]
    }

    /// The options of Arvos, with axes, clock and device as the recording has them.
    private func arvosOptions(_ provenance: [String: String]) throws -> ArvosOptions {
        func value(_ key: String) -> String? { provenance["mapeverything.\(key)"] }
        var options = command.arvos.options(
            value("frames").flatMap(FramePolicy.init) ?? .ros,
            offsetNanoseconds: value("epoch_offset_ns").flatMap(Int64.init),
            hasEpoch: command.input.publishing.recording.epoch != nil
        )
        options.deviceName = value("session") ?? value("device_name") ?? options.deviceName
        options.deviceModel = value("device") ?? options.deviceModel
        options.osVersion = value("device_os") ?? ""
        return options
    }

    private static func carryOut(_ command: ArvosCommand, _ control: PlaybackControl) async -> String {
        switch command {
        case .startRecording: return await control.apply(.resume) ?? "playing"
        case .stopRecording: return await control.apply(.pause) ?? "paused"
        case .changeMode(let mode): return "mode \(mode)"
        }
    }

    /// Tells before it plays what was asked for and means nothing: the report at its end may be hours away.
    func warn(_ warnings: [String]) {
        for warning in warnings { Self.tell(warning, as: "warning", isForPrograms: isForPrograms) }
    }

    /// Tells while it plays what would be too late at the end; a program that reads lines of JSON gets one.
    private static func tell(_ text: String, as kind: String, isForPrograms: Bool) {
        let line = JSONValue.of([kind: text])
        Terminal.printError(isForPrograms ? line.text() : kind == "notice" ? text : "\(kind): \(text)")
    }

    /// Waits as long as --delay says.
    func wait() async throws {
        let delay = delay
        if delay > .zero { try await Signals.cancelling { try await Task.sleep(for: delay) } }
    }

    /// Where the messages went.
    var text: String {
        if let publisher { return "published to \(publisher.url)" }
        if let ros2 { return "published to ROS 2, domain \(ros2.environment.domain)" }
        return command.arvos.arvos.map { "sent to \($0)" }
            ?? "sent to all who connected to \(command.arvos.arvosListen ?? "")"
    }
}
