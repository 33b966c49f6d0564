import JSONText
import Messages
import Playback
import Replay
import Rosbridge

/// Runs a replay with interrupts, a progress line and commands around it.
enum RunWithProgress {
    static func run<Report: Sendable>(
        publisher: RosbridgePublisher? = nil,
        progress form: ProgressLine.Form,
        input: ControlInput? = nil,
        control: PlaybackControl? = nil,
        _ body: @escaping @Sendable (PlaybackProgress) async throws -> Report
    ) async throws -> Report {
        let progress = PlaybackProgress()
        return try await Signals.cancelling {
            let line = ProgressLine(progress: progress, publisher: publisher, form: form)
            let display = Task { await line.run() }
            let commands = Task { if let input, let control { await input.run(control) } }
            defer {
                display.cancel()
                commands.cancel()
            }
            let report = try await body(progress)
            display.cancel()
            commands.cancel()
            await display.value
            await commands.value
            return report
        }
    }

    /// Plays a session into sinks.
    static func run(
        _ setup: ReplaySetup,
        sinks: [any MessageSink],
        publisher: RosbridgePublisher? = nil,
        progress form: ProgressLine.Form,
        input: ControlInput? = nil,
        control: PlaybackControl? = nil
    ) async throws -> ReplayReport {
        try await run(publisher: publisher, progress: form, input: input, control: control) { progress in
            await setup.run(into: sinks, progress: progress, control: control)
        }
    }
}

/// One line a second on standard error.
struct ProgressLine: Sendable {
    enum Form: Sendable {
        case off
        case onTerminal
        case json
    }

    let progress: PlaybackProgress
    let publisher: RosbridgePublisher?
    let form: Form

    func run() async {
        let isShown = form == .json || (form == .onTerminal && Terminal.isErrorInteractive)
        guard isShown else { return }
        let clock = ContinuousClock()
        var last = (instant: clock.now, captured: 0.0)
        while !Task.isCancelled {
            try? await clock.sleep(until: last.instant.advanced(by: .seconds(1)), tolerance: .milliseconds(20))
            let snapshot = await progress.snapshot
            let elapsed = last.instant.duration(to: clock.now) / .seconds(1)
            let reached = elapsed > 0 ? max(0, snapshot.playedSeconds - last.captured) / elapsed : 0
            last = (clock.now, snapshot.playedSeconds)
            let sent = await publisher?.progress()
            if Task.isCancelled { break }
            if form == .json {
                Terminal.printError(json(snapshot, sent, reached))
            } else {
                Terminal.showProgress(text(snapshot, sent, reached))
            }
        }
        if form == .onTerminal { Terminal.showProgress("") }
    }

    private func text(_ state: PlaybackProgress.Snapshot, _ sent: PublisherProgress?, _ reached: Double) -> String {
        var line = "\(Format.seconds(state.playedSeconds)) of \(Format.seconds(state.totalSeconds))"
        if state.isPaused { line += "  paused" }
        line +=
            "  rate \(state.rate.map { Format.number($0, decimals: 1) } ?? "max") (\(Format.number(reached, decimals: 1)))"
        if let sent {
            line += "  sent \(sent.sentMessages) (\(Format.bytes(sent.sentBytes)))  confirmed \(sent.confirmedMessages)"
            line += "  queued \(Format.bytes(sent.queuedBytes))"
            let dropped = sent.droppedByTopic.map { "\($0.topic) \($0.count)" }.joined(separator: ", ")
            if !dropped.isEmpty { line += "  dropped \(dropped)" }
            if sent.interruptions > 0 { line += "  interrupted \(sent.interruptions) times" }
            if !sent.isConnected { line += "  not connected" }
        } else {
            line += "  \(state.messages) messages (\(Format.bytes(state.bytes)))"
        }
        return line
    }

    private func json(_ state: PlaybackProgress.Snapshot, _ sent: PublisherProgress?, _ reached: Double) -> String {
        var members: [(String, JSONValue)] = [
            ("captured_s", .number(state.playedSeconds)), ("total_s", .number(state.totalSeconds)),
            ("paused", .bool(state.isPaused)), ("rate", .number(state.rate)),
            ("rate_reached", .number(reached)),
            ("messages", .integer(state.messages)), ("bytes", .integer(state.bytes)),
        ]
        if let sent {
            members += [
                ("connected", .bool(sent.isConnected)), ("sent_messages", .integer(sent.sentMessages)),
                ("sent_bytes", .integer(sent.sentBytes)),
                ("confirmed_messages", .integer(sent.confirmedMessages)),
                ("unconfirmed_messages", .integer(sent.sentMessages - sent.confirmedMessages)),
                ("queued_messages", .integer(sent.queuedMessages)),
                ("queued_bytes", .integer(sent.queuedBytes)),
                ("interruptions", .integer(sent.interruptions)),
                ("disconnected_s", .number(sent.disconnectedSeconds)),
                ("dropped", counts(sent, \.dropped)),
                ("unconfirmed", counts(sent, \.unconfirmed)),
            ]
        }
        return JSONValue.object(members).text()
    }

    /// By topic, where it is not 0.
    private func counts(_ sent: PublisherProgress, _ count: KeyPath<SinkReport.TopicCount, Int>) -> JSONValue {
        let members = sent.topics.map { JSONObject.Member(key: $0.name, value: .integer($0[keyPath: count])) }
        return .object(JSONObject(members.filter { $0.value != .integer(0) }))
    }
}
