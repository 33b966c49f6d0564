import Playback
package import Recording
package import Sessions

extension SpanRequest {
    /// The span on the session's own clock; dates are those of the wall clock that `inspect` shows.
    ///
    /// - Throws: a ``PlanError`` where nothing of the session lies in it.
    package func times(of session: any Session, nowNanoseconds: Int64) throws -> ClosedRange<Timestamp> {
        let anchor = EpochAnchor.resolve(
            .automatic,
            summary: session.summary,
            zoneOffset: { _ in nil },
            nowNanoseconds: nowNanoseconds
        )
        return try times(of: session, anchor: anchor)
    }

    /// The same with dates of a wall clock that is known.
    package func times(of session: any Session, anchor: EpochAnchor) throws -> ClosedRange<Timestamp> {
        try SpanResolver.resolve(self, session: session, anchor: anchor)
    }
}

/// Turns the span that was asked for into times of the session's own clock.
enum SpanResolver {
    static func resolve(
        _ request: SpanRequest,
        session: any Session,
        anchor: EpochAnchor
    ) throws -> ClosedRange<Timestamp> {
        let summary = session.summary
        let earliest = Timestamp(nanoseconds: .min)
        let latest = Timestamp(nanoseconds: .max)
        var lower = try request.start.map { try time($0, session, anchor) } ?? earliest
        var upper = try request.end.map { try time($0, session, anchor) } ?? latest
        if let seconds = request.durationSeconds {
            let from = max(lower, summary.firstTime)
            upper = min(upper, from.advanced(byNanoseconds: nanoseconds(seconds)))
        }
        guard lower <= summary.lastTime, upper >= summary.firstTime, lower <= upper else {
            let first = summary.firstTime
            func text(_ time: Timestamp) -> String {
                let seconds = (time.seconds(since: first) * 1000).rounded() / 1000
                return "\(seconds) s"
            }
            throw PlanError.emptySpan(
                asked:
                    "\(lower == earliest ? "the start" : text(lower)) to \(upper == latest ? "the end" : text(upper))",
                held: "0.0 s to \(text(summary.lastTime))"
            )
        }
        // Samples just outside of the frames belong to the session where no bound cuts them off.
        if lower < summary.firstTime, request.start != nil { lower = summary.firstTime }
        return lower...upper
    }

    private static func nanoseconds(_ seconds: Double) -> Int64 {
        Int64(max(-9e18, min(9e18, (seconds * 1e9).rounded())))
    }

    static func time(_ bound: PlaybackPlace, _ session: any Session, _ anchor: EpochAnchor) throws -> Timestamp {
        switch bound {
        case .seconds(let seconds):
            return session.summary.firstTime.advanced(byNanoseconds: nanoseconds(seconds))
        case .date(let unix):
            return Timestamp(nanoseconds: unix &- anchor.offsetNanoseconds)
        case .frame(let index):
            let walk = try FrameWalk(session, RecordRequest(streams: [.frames], resolvesPayloads: false))
            var held: ClosedRange<Int>?
            while case .frame(let frame)? = try walk.next() {
                if frame.index == index { return frame.time }
                held = min(held?.lowerBound ?? frame.index, frame.index)...max(held?.upperBound ?? 0, frame.index)
            }
            throw PlanError.noSuchFrame(index: index, held: held)
        }
    }
}
