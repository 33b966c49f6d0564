import Arvos
import Bags
import JSONText
import Messages
import Playback
import Replay
import Rosbridge
import SystemPackage

/// Where a replay goes: to a server or to all who connect, and into a mirror of it if one is asked for.
struct ReplayDestination {
    /// Nil for what is sent as Arvos.
    let publisher: RosbridgePublisher?
    private let arvos: ArvosSink.Mode?
    private let arvosDelivery: ArvosSink.Delivery
    private let command: ReplayCommand
    private let delay: Duration
    private let isForPrograms: Bool

    /// Takes what can be refused before anything is opened.
    init(_ command: ReplayCommand, isUnpaced: Bool) throws {
        self.command = command
        delay = try UsageError.seconds("--delay", command.player.delay)
        let isForPrograms = command.player.progress.form == .json || command.player.control == .stdin
        self.isForPrograms = isForPrograms
        arvos = try command.arvos.mode()
        var delivery = ArvosSink.Delivery()
        if arvos == nil {
            let url = try command.connection.parsedURL()
            var options = try command.connection.publisherOptions(isUnpaced: isUnpaced, timing: command.timing)
            options.notice = { Self.tell($0, as: "warning", isForPrograms: isForPrograms) }
            publisher = RosbridgePublisher(url, options: options)
        } else {
            delivery = try command.connection.arvosDelivery(isUnpaced: isUnpaced, timing: command.timing)
            delivery.notice = { Self.tell($0, as: "notice", isForPrograms: isForPrograms) }
            publisher = nil
        }
        arvosDelivery = delivery
    }

    /// What steers the player; nil where nothing may.
    func control(
        _ playback: PlaybackOptions,
        resolve: @escaping @Sendable (PlaybackPlace) throws -> PlaybackPlace
    ) -> PlaybackControl? {
        guard command.player.input != nil || command.arvos.allowCommands else { return nil }
        return PlaybackControl(startsPaused: playback.startsPaused, rate: playback.rate, resolve: resolve)
    }

    /// The sinks, none of them open yet.
    ///
    /// - Parameters:
    ///   - provenance: what the mirror says of where it comes from.
    ///   - control: what receivers steer, where they may.
    func sinks(provenance: [String: String], control: PlaybackControl?) throws -> [any MessageSink] {
        var sinks: [any MessageSink] = []
        if let publisher { sinks.append(publisher) }
        if let arvos {
            var delivery = arvosDelivery
            if command.arvos.allowCommands, let control {
                delivery.command = { command in await Self.carryOut(command, control) }
            }
            sinks.append(ArvosSink(arvos, options: try arvosOptions(provenance), delivery: delivery))
        }
        guard let path = command.saveLocal else { return sinks }
        let options = try command.bag.options(durability: .resilient, customData: provenance)
        return sinks + [BagSink(FilePath(path), options: options)]
    }

    /// What the recording says of itself decides axes, clock and device.
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
        return command.arvos.arvos.map { "sent to \($0)" }
            ?? "sent to all who connected to \(command.arvos.arvosListen ?? "")"
    }
}
