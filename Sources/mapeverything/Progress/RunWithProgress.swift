import Messages
import Platform
import Playback
import Text
import Translation

/// Runs a player with interrupts, progress and commands around it.
struct RunWithProgress {
    let command: String
    /// The work, in one word.
    var stage = "playing"
    let progress: ProgressOptions
    /// The sink with a connection, of which progress is told.
    var publisher: (any MessageSink)?
    var input: ControlInput?
    var control: PlaybackControl?

    func run(_ playable: Playable, into sinks: [any MessageSink]) async throws -> Played {
        let (input, control, isShown) = (input, control, progress.isShown)
        let follower = PlaybackFollower(stage: stage, publisher: publisher)
        return try await progress.run(command, isComplete: \.isComplete) { _ in
            let commands = Task { if let input, let control { await input.run(control) } }
            defer { commands.cancel() }
            let body = { (progress: PlaybackProgress) in await playable.run(into: sinks, progress, control) }
            let played = try await isShown ? follower.follow(body) : body(PlaybackProgress())
            commands.cancel()
            await commands.value
            return played
        }
    }
}

extension Playable {
    fileprivate func run(
        into sinks: [any MessageSink],
        _ progress: PlaybackProgress,
        _ control: PlaybackControl?
    ) async -> Played {
        switch self {
        case .session(let setup):
            Played(setup, await setup.run(into: sinks, progress: progress, control: control))
        case .bag(let setup, let acceptsDamage):
            Played(
                setup,
                await BagPlaybackRun(setup, progress: progress, control: control).run(into: sinks),
                acceptsDamage: acceptsDamage
            )
        }
    }
}

extension Played {
    /// True if all was played that was to be played.
    fileprivate var isComplete: Bool { playback.failure == nil && !playback.wasInterrupted }
}

/// Asks a player and its publisher some times a second how far they are.
struct PlaybackFollower: Sendable {
    let stage: String
    /// The sink with a connection, of which progress is told.
    var publisher: (any MessageSink)?

    func follow(_ body: (PlaybackProgress) async throws -> Played) async throws -> Played {
        let progress = PlaybackProgress()
        let following = Task {
            while !Task.isCancelled {
                await tell(progress)
                try? await Task.sleep(for: .milliseconds(200))
            }
        }
        defer { following.cancel() }
        let played = try await body(progress)
        following.cancel()
        await following.value
        await tell(progress)
        return played
    }

    private func tell(_ progress: PlaybackProgress) async {
        let state = await progress.snapshot
        var sent: SinkStatus.Bridge?
        if case .bridge(let bridge)? = await publisher?.status() { sent = bridge }
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

    private func members(_ state: PlaybackProgress.Snapshot, _ sent: SinkStatus.Bridge?) -> [(String, JSONValue)] {
        var report = Report()
        report.json([
            "captured_s": state.playedSeconds, "total_s": state.totalSeconds, "paused": state.isPaused,
            "rate": state.rate, "messages": state.messages, "bytes": state.bytes,
        ])
        guard let sent else { return report.members }
        report.json([
            "connected": sent.isConnected, "sent_messages": sent.sentMessages, "sent_bytes": sent.sentBytes,
            "confirmed_messages": sent.confirmedMessages,
            "unconfirmed_messages": sent.sentMessages - sent.confirmedMessages, "queued_messages": sent.queuedMessages,
            "queued_bytes": sent.queuedBytes, "interruptions": sent.interruptions,
            "disconnected_s": sent.disconnectedSeconds, "dropped": counts(sent, \.dropped),
            "unconfirmed": counts(sent, \.unconfirmed),
        ])
        return report.members
    }

    /// The counts of topics, where they are not 0.
    private func counts(_ sent: SinkStatus.Bridge, _ count: KeyPath<SinkReport.TopicCount, Int>) -> JSONValue {
        let members = sent.topics.map { JSONObject.Member(key: $0.name, value: .integer($0[keyPath: count])) }
        return .object(JSONObject(members.filter { $0.value != .integer(0) }))
    }
}
