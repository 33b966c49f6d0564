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
