import Platform

/// Keeps a server busy with messages of one kind, and measures how many it handles.
///
/// The distance between barriers adapts to the server: short enough to follow its progress, long enough to cost little.
/// Three barriers are under way, so that the server never idles and its queue stays short.
struct SustainedLoad: Sendable {
    /// The distance between barriers, in seconds of the server's work.
    private static let barrierSpacing = 0.1
    /// The largest share of time that barriers may take.
    private static let barrierShare = 0.05
    private static let barriersUnderWay = 3
    private static let largestChunk = 16_000_000.0

    let duration: Duration
    let answerTimeout: Duration
    /// The time that an idle server needs for a barrier, in seconds.
    let idleBarrierSeconds: Double

    struct Outcome: Sendable {
        var ledger: LoadLedger
        var rate: SustainedRate?
        /// The reason why confirmations stopped.
        var problem: String?
        var failure: (any Error)?
    }

    /// Calls `publish`, which sends a message and returns the size of its JSON, until the time is over.
    ///
    /// An error that ends it early is part of the outcome, together with the results so far.
    func run(on session: ProbeSession, publish: () async throws -> Int) async -> Outcome {
        let start = MonotonicClock.nowNanoseconds()
        var outcome = Outcome(ledger: LoadLedger())
        do {
            try await send(on: session, start, &outcome, publish)
        } catch {
            outcome.failure = error
        }
        outcome.rate = outcome.ledger.sustained(
            startNanoseconds: start,
            warmUpNanoseconds: min(500_000_000, duration.nanoseconds / 10)
        )
        return outcome
    }

    private func send(
        on session: ProbeSession,
        _ start: Int64,
        _ outcome: inout Outcome,
        _ publish: () async throws -> Int
    ) async throws {
        let end = start + duration.nanoseconds
        repeat {
            outcome.ledger.noteSent(jsonBytes: try await publish())
            if Double(outcome.ledger.bytesSinceBarrier) >= chunkBytes(outcome.ledger) {
                try await sendBarrier(on: session, &outcome.ledger)
            }
            while let barrier = outcome.ledger.barrier, let answer = await session.takeAnswer(to: barrier) {
                outcome.ledger.confirmNext(atNanoseconds: answer)
            }
            if outcome.ledger.outstandingBarriers >= Self.barriersUnderWay {
                guard try await awaitNext(on: session, &outcome) else { return }
            }
            try Task.checkCancellation()
        } while MonotonicClock.nowNanoseconds() < end
        if outcome.ledger.bytesSinceBarrier > 0 { try await sendBarrier(on: session, &outcome.ledger) }
        while outcome.ledger.outstandingBarriers > 0 {
            guard try await awaitNext(on: session, &outcome) else { return }
        }
    }

    private func sendBarrier(on session: ProbeSession, _ ledger: inout LoadLedger) async throws {
        let barrier = try await session.sendBarrier()
        ledger.noteBarrier(barrier.id, sentNanoseconds: barrier.sentNanoseconds)
    }

    /// Waits for the next answer; returns false on timeout.
    private func awaitNext(on session: ProbeSession, _ outcome: inout Outcome) async throws -> Bool {
        guard let barrier = outcome.ledger.barrier else { return true }
        guard let answer = try await session.answer(to: barrier, within: answerTimeout) else {
            outcome.problem = "expected an answer to a barrier within \(answerTimeout), found none"
            return false
        }
        outcome.ledger.confirmNext(atNanoseconds: answer)
        return true
    }

    /// The bytes of JSON after which a barrier is due.
    private func chunkBytes(_ ledger: LoadLedger) -> Double {
        guard let rate = ledger.latestBytesPerSecond else { return 0 }
        let longest = max(Self.barrierSpacing, Double(duration.nanoseconds) / 1e9 / 10)
        let spacing = min(max(Self.barrierSpacing, idleBarrierSeconds / Self.barrierShare), longest)
        return min(rate * spacing, Self.largestChunk)
    }
}

extension LoadLedger {
    /// The oldest unanswered barrier.
    package var barrier: ProbeSession.Barrier? {
        nextBarrier.map { ProbeSession.Barrier(id: $0.name, sentNanoseconds: $0.sentNanoseconds) }
    }
}

/// Counts the messages sent to load a server, by stream, and those that barriers have confirmed.
package struct LoadLedger: Sendable {
    package struct Counts: Equatable, Sendable {
        package var messages = 0
        /// Bytes of JSON.
        package var jsonBytes = 0

        package init(messages: Int = 0, jsonBytes: Int = 0) {
            self.messages = messages
            self.jsonBytes = jsonBytes
        }
    }

    /// The amount confirmed at a time.
    private struct Confirmation: Sendable {
        var nanoseconds: Int64
        var messages: Int
        var jsonBytes: Int
    }

    private struct Sent: Sendable {
        var stream: Int
        var jsonBytes: Int
    }

    private struct Mark: Sendable {
        var name: String
        var sentNanoseconds: Int64
        /// The number of messages sent before it.
        var position: Int
    }

    package private(set) var sent: [Counts]
    package private(set) var confirmed: [Counts]
    private var underWay: ArraySlice<Sent> = []
    private var marks: ArraySlice<Mark> = []
    private var history: [Confirmation] = []
    private var sentTotal = 0
    private var confirmedTotal = Counts()
    /// Bytes of JSON since the last barrier.
    package private(set) var bytesSinceBarrier = 0
    /// Bytes of JSON that were sent and are not confirmed.
    package private(set) var unconfirmedBytes = 0

    package init(streamCount: Int = 1) {
        sent = [Counts](repeating: Counts(), count: streamCount)
        confirmed = sent
    }

    package var outstandingBarriers: Int { marks.count }
    package var confirmedMessages: Int { confirmedTotal.messages }
    package var unconfirmedMessages: Int { underWay.count }

    package mutating func noteSent(stream: Int = 0, jsonBytes: Int) {
        sent[stream].messages += 1
        sent[stream].jsonBytes += jsonBytes
        underWay.append(Sent(stream: stream, jsonBytes: jsonBytes))
        sentTotal += 1
        bytesSinceBarrier += jsonBytes
        unconfirmedBytes += jsonBytes
    }

    package mutating func noteBarrier(_ name: String, sentNanoseconds: Int64) {
        marks.append(Mark(name: name, sentNanoseconds: sentNanoseconds, position: sentTotal))
        bytesSinceBarrier = 0
    }

    /// The oldest unanswered barrier, and when it was sent.
    package var nextBarrier: (name: String, sentNanoseconds: Int64)? {
        marks.first.map { ($0.name, $0.sentNanoseconds) }
    }

    /// Notes the answer to the oldest barrier: the server has handled everything before it.
    package mutating func confirmNext(atNanoseconds now: Int64) {
        guard let mark = marks.popFirst() else { return }
        while confirmedTotal.messages < mark.position, let message = underWay.popFirst() {
            confirmed[message.stream].messages += 1
            confirmed[message.stream].jsonBytes += message.jsonBytes
            confirmedTotal.messages += 1
            confirmedTotal.jsonBytes += message.jsonBytes
            unconfirmedBytes -= message.jsonBytes
        }
        let (messages, bytes) = (confirmedTotal.messages, confirmedTotal.jsonBytes)
        history.append(Confirmation(nanoseconds: now, messages: messages, jsonBytes: bytes))
    }

    /// The rate that the server has sustained between two answers, while it always had work.
    ///
    /// The time until the first answer does not count, nor does a warm-up if enough answers follow it.
    package func sustained(startNanoseconds: Int64, warmUpNanoseconds: Int64) -> SustainedRate? {
        guard let last = history.last else { return nil }
        let warm = history.firstIndex { $0.nanoseconds >= startNanoseconds + warmUpNanoseconds } ?? 0
        // With few answers the warm-up is kept: what is left must be the larger part of the run.
        let first = history[warm * 2 <= history.count ? warm : 0]
        guard last.nanoseconds > first.nanoseconds, last.messages > first.messages else { return nil }
        return SustainedRate(
            seconds: Double(last.nanoseconds - first.nanoseconds) / 1e9,
            messages: last.messages - first.messages,
            jsonBytes: last.jsonBytes - first.jsonBytes
        )
    }

    /// Bytes of JSON confirmed per second between the last two answers.
    package var latestBytesPerSecond: Double? {
        guard history.count >= 2 else { return nil }
        let (before, last) = (history[history.count - 2], history[history.count - 1])
        guard last.nanoseconds > before.nanoseconds else { return nil }
        return Double(last.jsonBytes - before.jsonBytes) * 1e9 / Double(last.nanoseconds - before.nanoseconds)
    }
}

/// The messages that a server confirmed in an interval under constant load.
package struct SustainedRate: Equatable, Sendable {
    package var seconds: Double
    package var messages: Int
    /// Bytes of JSON.
    package var jsonBytes: Int

    package init(seconds: Double, messages: Int, jsonBytes: Int) {
        self.seconds = seconds
        self.messages = messages
        self.jsonBytes = jsonBytes
    }

    package var messagesPerSecond: Double { Double(messages) / seconds }
    package var jsonBytesPerSecond: Double { Double(jsonBytes) / seconds }
}
