import Bags
import Platform
package import Playback
package import Recording
package import Sessions
import SystemPackage

/// How whatever a person names is opened.
package struct OpenOptions: Sendable {
    package var assumptions = OpeningOptions()
    package var clock = ClockRequest()

    package init() {}
}

/// A recording as commands work on it: its records with the poses and the depth that were asked for, and its clock.
///
/// What is made of a recording takes this value and asks nothing of the command line again. Times inside are those of the
/// recording's own clock (capture time); ``clock`` alone turns them into Unix time.
package struct OpenedRecording: Sendable {
    package let session: any Session
    package let clock: EpochAnchor

    package init(_ session: any Session, _ request: ClockRequest = ClockRequest()) {
        self.init(session, clock: EpochAnchor(request, session.summary))
    }

    private init(_ session: any Session, clock: EpochAnchor) {
        (self.session, self.clock) = (session, clock)
    }

    /// Opens a recording of any format, an archive of one, or a bag of our topics as the recording that they show.
    ///
    /// Depth that contradicts the poses, and is not trusted, is named and left out.
    ///
    /// - Throws: a `SessionError` or a `Problem`; a `BagError` or a ``BagSessionError`` for a bag that is none of a recording.
    package static func open(_ path: String, _ options: OpenOptions = OpenOptions()) throws -> OpenedRecording {
        let session =
            try isBag(path, SessionFormats.likeness(of: path))
            ? BagSession.open(path: path) : SessionFormats.open(path: path, options: options.assumptions)
        return OpenedRecording(try options.assumptions.trustsDepth ? session : session.examined(), options.clock)
    }

    /// True for a bag, by what is there, whether or not it is sound.
    ///
    /// - Parameter likeness: of the path to a session.
    package static func isBag(_ path: String, _ likeness: SessionFormats.Likeness) -> Bool {
        switch likeness {
        case .session: false
        // A file of a bag that lies in a folder of recordings does not make it a bag.
        case .several: BagReader.looksLikeBag(FilePath(path).appending("metadata.yaml"))
        case .remains, .nothing: BagReader.looksLikeBag(FilePath(path))
        }
    }

    /// The same recording with a session made of its own, such as one of better poses.
    package func with(_ changed: any Session) -> OpenedRecording { OpenedRecording(changed, clock: clock) }

    package var summary: SessionSummary { session.summary }

    /// The part that is asked for, in capture time.
    ///
    /// - Throws: an `EmptySpanError` where nothing of the recording lies in it.
    package func times(_ request: SpanRequest) throws -> ClosedRange<Timestamp> {
        let earliest = Timestamp(nanoseconds: .min)
        let latest = Timestamp(nanoseconds: .max)
        var lower = try request.start.map(time) ?? earliest
        var upper = try request.end.map(time) ?? latest
        if let seconds = request.durationSeconds {
            let from = max(lower, summary.firstTime)
            upper = min(upper, from.advanced(byNanoseconds: Self.nanoseconds(seconds)))
        }
        guard lower <= summary.lastTime, upper >= summary.firstTime, lower <= upper else {
            throw EmptySpanError(
                of: "session",
                held: (summary.firstTime.nanoseconds, summary.lastTime.nanoseconds),
                start: lower == earliest ? nil : lower.nanoseconds,
                end: upper == latest ? nil : upper.nanoseconds
            )
        }
        // Samples just outside of the frames belong to the session where no bound cuts them off.
        if lower < summary.firstTime, request.start != nil { lower = summary.firstTime }
        return lower...upper
    }

    /// The capture time of a place; dates are those of ``clock``.
    ///
    /// - Throws: ``PlanError/noSuchFrame(index:held:)``.
    package func time(_ place: PlaybackPlace) throws -> Timestamp {
        switch place {
        case .seconds(let seconds): return summary.firstTime.advanced(byNanoseconds: Self.nanoseconds(seconds))
        case .date(let unix): return clock.time(ofStamp: unix)
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

    private static func nanoseconds(_ seconds: Double) -> Int64 {
        Int64(max(-9e18, min(9e18, (seconds * 1e9).rounded())))
    }
}
