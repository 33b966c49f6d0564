import BagPlayback
import JSONText
import Messages
import Playback
import Replay
import Rosbridge
import Work

/// Runs a player with interrupts, progress and commands around it.
struct RunWithProgress {
    let command: String
    /// The work under way, in one word.
    var stage = "playing"
    let progress: ProgressOptions
    var publisher: RosbridgePublisher?
    var input: ControlInput?
    var control: PlaybackControl?

    func run<Report: Sendable>(
        isComplete: @escaping @Sendable (Report) -> Bool,
        _ body: @escaping @Sendable (PlaybackProgress) async throws -> Report
    ) async throws -> Report {
        let (input, control, isShown) = (input, control, progress.isShown)
        let follower = PlaybackFollower(stage: stage, publisher: publisher)
        return try await progress.run(command, isComplete: isComplete) { _ in
            let commands = Task { if let input, let control { await input.run(control) } }
            defer { commands.cancel() }
            let report = try await isShown ? follower.follow(body) : body(PlaybackProgress())
            commands.cancel()
            await commands.value
            return report
        }
    }

    /// Plays a session into sinks.
    func run(_ setup: ReplaySetup, into sinks: [any MessageSink]) async throws -> ReplayReport {
        let control = control
        return try await run(isComplete: { $0.playback.isComplete }) { progress in
            await setup.run(into: sinks, progress: progress, control: control)
        }
    }

    /// Plays a bag into sinks.
    func run(_ setup: BagPlaybackSetup, into sinks: [any MessageSink]) async throws -> BagPlaybackReport {
        let control = control
        return try await run(isComplete: { $0.playback.isComplete }) { progress in
            await BagPlaybackRun(setup, progress: progress, control: control).run(into: sinks)
        }
    }
}

extension PlaybackReport {
    /// True if all was played that was to be played.
    fileprivate var isComplete: Bool { failure == nil && !wasInterrupted }
}

/// Asks a player and its publisher some times a second how far they are.
struct PlaybackFollower: Sendable {
    let stage: String
    var publisher: RosbridgePublisher?

    func follow<Report: Sendable>(
        _ body: (PlaybackProgress) async throws -> Report
    ) async throws -> Report {
        let progress = PlaybackProgress()
        let following = Task {
            while !Task.isCancelled {
                await tell(progress)
                try? await Task.sleep(for: .milliseconds(200))
            }
        }
        defer { following.cancel() }
        let report = try await body(progress)
        following.cancel()
        await following.value
        await tell(progress)
        return report
    }

    private func tell(_ progress: PlaybackProgress) async {
        let state = await progress.snapshot
        let sent = await publisher?.progress()
        let total = state.totalSeconds > 0 ? state.totalSeconds : nil
        let work = WorkProgress(stage, state.playedSeconds, of: total, .seconds)
        let addition = ProgressDisplay.Addition(
            text: text(state, sent),
            members: members(state, sent),
            rateName: "rate_reached",
            // Nothing is known of the time left either.
            isPaused: state.isPaused || sent?.isConnected == false
        )
        ProgressDisplay.shared.tell(work, addition)
    }

    private func text(_ state: PlaybackProgress.Snapshot, _ sent: SinkStatus.Bridge?) -> String {
        // What a user must see comes first: the end of the line may not be shown.
        var line = sent?.isConnected == false ? "not connected  " : ""
        if state.isPaused { line += "paused  " }
        line += "rate \(state.rate.map { Format.number($0, decimals: 1) } ?? "max")"
        if let sent {
            line += "  sent \(sent.sentMessages) (\(Format.bytes(sent.sentBytes)))  confirmed \(sent.confirmedMessages)"
            line += "  queued \(Format.bytes(sent.queuedBytes))"
            let dropped = sent.topics.filter { $0.dropped > 0 }.map { "\($0.name) \($0.dropped)" }
            if !dropped.isEmpty { line += "  dropped \(dropped.joined(separator: ", "))" }
            if sent.interruptions > 0 { line += "  interrupted \(sent.interruptions) times" }
        } else {
            line += "  \(state.messages) messages (\(Format.bytes(state.bytes)))"
        }
        return line
    }

    private func members(
        _ state: PlaybackProgress.Snapshot,
        _ sent: SinkStatus.Bridge?
    ) -> [(String, JSONValue)] {
        var members: [(String, JSONValue)] = [
            ("captured_s", .number(state.playedSeconds)), ("total_s", .number(state.totalSeconds)),
            ("paused", .bool(state.isPaused)), ("rate", .number(state.rate)),
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
        return members
    }

    /// Counts by topic, where they are not 0.
    private func counts(_ sent: SinkStatus.Bridge, _ count: KeyPath<SinkReport.TopicCount, Int>) -> JSONValue {
        let members = sent.topics.map { JSONObject.Member(key: $0.name, value: .integer($0[keyPath: count])) }
        return .object(JSONObject(members.filter { $0.value != .integer(0) }))
    }
}
