import JSONText
import ROS
import Replay
import Rosbridge

/// Runs a replay with interrupts and a progress line around it.
enum RunWithProgress {
    enum Form: Sendable {
        case off
        case onTerminal
        case json
    }

    static func run(
        _ setup: ReplaySetup,
        sinks: [any MessageSink],
        publisher: RosbridgePublisher?,
        progress form: Form
    ) async throws -> ReplayReport {
        let progress = ReplayProgress()
        return try await Signals.cancelling {
            let line = ProgressLine(progress: progress, publisher: publisher, rate: setup.plan.rate, form: form)
            let display = Task { await line.run() }
            defer { display.cancel() }
            let report = try await ReplayRun(setup, progress: progress).run(into: sinks)
            display.cancel()
            await display.value
            return report
        }
    }
}

/// One line a second on standard error.
struct ProgressLine: Sendable {
    let progress: ReplayProgress
    let publisher: RosbridgePublisher?
    let rate: Double?
    let form: RunWithProgress.Form

    func run() async {
        let isShown = form == .json || (form == .onTerminal && Terminal.isErrorInteractive)
        guard isShown else { return }
        let clock = ContinuousClock()
        var last = (instant: clock.now, captured: 0.0)
        while !Task.isCancelled {
            try? await clock.sleep(until: last.instant.advanced(by: .seconds(1)), tolerance: .milliseconds(20))
            let snapshot = await progress.snapshot
            let elapsed = last.instant.duration(to: clock.now) / .seconds(1)
            let reached = elapsed > 0 ? max(0, snapshot.capturedSeconds - last.captured) / elapsed : 0
            last = (clock.now, snapshot.capturedSeconds)
            let sent = await publisher?.progress()
            if Task.isCancelled { break }
            Terminal.writeError(form == .json ? json(snapshot, sent, reached) : text(snapshot, sent, reached))
        }
        if form == .onTerminal { Terminal.writeError("\r\u{1B}[K") }
    }

    private func text(_ state: ReplayProgress.Snapshot, _ sent: PublisherProgress?, _ reached: Double) -> String {
        var line = "\(Format.seconds(state.capturedSeconds)) of \(Format.seconds(state.totalSeconds))"
        line +=
            "  rate \(rate.map { Format.number($0, decimals: 1) } ?? "max") (\(Format.number(reached, decimals: 1)))"
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
        return "\r\u{1B}[K" + line
    }

    private func json(_ state: ReplayProgress.Snapshot, _ sent: PublisherProgress?, _ reached: Double) -> String {
        var members: [(String, JSONValue)] = [
            ("captured_s", .number(state.capturedSeconds)), ("total_s", .number(state.totalSeconds)),
            ("rate", rate.map { .number($0) } ?? .null), ("rate_reached", .number(reached)),
            ("messages", .integer(Int64(state.messages))), ("bytes", .integer(Int64(state.bytes))),
        ]
        if let sent {
            members += [
                ("connected", .bool(sent.isConnected)), ("sent_messages", .integer(Int64(sent.sentMessages))),
                ("sent_bytes", .integer(Int64(sent.sentBytes))),
                ("confirmed_messages", .integer(Int64(sent.confirmedMessages))),
                ("unconfirmed_messages", .integer(Int64(sent.sentMessages - sent.confirmedMessages))),
                ("queued_messages", .integer(Int64(sent.queuedMessages))),
                ("queued_bytes", .integer(Int64(sent.queuedBytes))),
                ("interruptions", .integer(Int64(sent.interruptions))),
                ("disconnected_s", .number(sent.disconnectedSeconds)),
                ("dropped", counts(sent, \.dropped)),
                ("unconfirmed", counts(sent, \.unconfirmed)),
            ]
        }
        return JSONValue.object(JSONObject(members.map { JSONObject.Member(key: $0.0, value: $0.1) })).text() + "\n"
    }

    /// By topic, where it is not 0.
    private func counts(_ sent: PublisherProgress, _ count: KeyPath<SinkReport.TopicCount, Int>) -> JSONValue {
        let members = sent.topics.map { JSONObject.Member(key: $0.name, value: .integer(Int64($0[keyPath: count]))) }
        return .object(JSONObject(members.filter { $0.value != .integer(0) }))
    }
}
