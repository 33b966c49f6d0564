import Platform
package import Recording

/// A frame that a walk took, on its way to a worker.
///
/// A class, as an async function must not keep poses across an `await` (decision 014).
package final class WalkedFrame: Sendable {
    package let frame: FrameReference
    /// The picture of the frame, where it comes from a video.
    package let picture: VideoPicture?
    /// Counts the frames that were taken, from 1.
    package let number: Int

    init(_ frame: FrameReference, picture: VideoPicture?, number: Int) {
        self.frame = frame
        self.picture = picture
        self.number = number
    }
}

/// One pass over the records of a session; other libraries read records only through it.
///
/// The walk chooses frames by a ``FrameRule``, takes their pictures from the video in that order, and counts what is left
/// out and what is damaged. A class, as an async function must not keep poses across an `await`: Swift 6.3 gives a
/// `SIMD3<Double>` too little memory there (decision 014).
package final class FrameWalk {
    private let cursor: any RecordCursor
    private let video: VideoPass?
    private var gate: FrameGate
    private let keepsLimitedTracking: Bool
    private var taken = 0
    /// The damage that opening the session found.
    private let opening: Diagnostics

    /// - Throws: what opening the streams throws.
    package init(_ session: any Session, _ request: RecordRequest, _ rule: FrameRule = FrameRule()) throws {
        cursor = try session.records(request)
        video = session.makeVideoPass()
        gate = FrameGate(rule, nominalIntervalSeconds: session.summary.medianIntervalSeconds)
        keepsLimitedTracking = rule.keepsLimitedTracking
        opening = session.diagnostics
    }

    /// A walk over the frames of a span.
    package convenience init(
        _ session: any Session,
        _ span: ClosedRange<Timestamp>,
        _ rule: FrameRule = FrameRule()
    ) throws {
        try self.init(session, RecordRequest(span: span, streams: [.frames]), rule)
    }

    /// A walk over frames that another walk has found, in the order of their times.
    ///
    /// - Parameter withPicture: true for each frame whose picture is taken; a video decodes no others.
    package init(_ session: any Session, frames: [FrameReference], withPicture: [Bool]) {
        let list = zip(frames, withPicture).map { frame, withPicture in
            var frame = frame
            frame.hasImage = frame.hasImage && withPicture
            return frame
        }
        cursor = ListCursor(list)
        video = session.makeVideoPass()
        keepsLimitedTracking = true
        gate = FrameGate(.everything, nominalIntervalSeconds: nil)
        opening = Diagnostics()
        for frame in list { video?.expect(frame) }
    }

    /// The damage of the records up to here.
    package var damage: Diagnostics { cursor.diagnostics }

    /// The damage of the session, of the records up to here, and of what was made of the frames.
    package func diagnostics(with frames: Diagnostics = Diagnostics()) -> Diagnostics {
        var all = opening
        all.append(cursor.diagnostics)
        all.append(frames)
        return all
    }

    package var counts: FrameCounts { gate.counts }

    /// How many frames were left out for their tracking, read as a whole or not.
    package var limitedTracking: Int { keepsLimitedTracking ? 0 : cursor.limitedTrackingCount }

    /// The next record, whatever the rule says; frames are read as a whole where their time is wanted.
    package func next(isFrameWanted: (Timestamp) -> Bool = { _ in true }) throws -> Record? {
        try cursor.next(isFrameWanted: isFrameWanted)
    }

    /// The next frame of the rule.
    ///
    /// - Parameters:
    ///   - takesPicture: false where the walk needs no pictures, which then cost nothing.
    ///   - judges: false gives every frame, for a caller that asks ``keeps(_:)`` once it has loaded it.
    ///   - others: is given the records of other streams on the way.
    package func nextFrame(
        takesPicture: Bool = true,
        judges: Bool = true,
        others: (Record) throws -> Void = { _ in }
    ) throws -> WalkedFrame? {
        while let record = try cursor.next() {
            guard case .frame(let frame) = record else {
                try others(record)
                continue
            }
            guard !judges || keeps(frame) else { continue }
            return take(frame, takesPicture: takesPicture)
        }
        return nil
    }

    /// Applies the rule to a frame, and counts the verdict.
    package func keeps(_ frame: FrameReference) -> Bool { gate.judge(frame, sharpness: frame.sharpness) == .kept }

    /// A frame on its way to a worker, with its picture.
    package func take(_ frame: FrameReference, takesPicture: Bool = true) -> WalkedFrame {
        taken += 1
        return WalkedFrame(frame, picture: takesPicture ? video?.picture(of: frame) : nil, number: taken)
    }

    /// Tells the video, before its first picture, which pictures the walk will take, so that ffmpeg writes no others.
    ///
    /// - Parameter forEachFrame: calls the function that it is given once for each frame whose picture will be taken, in
    ///   order.
    package func expectPictures(_ forEachFrame: ((FrameReference) -> Void) throws -> Void) rethrows {
        guard let video else { return }
        try forEachFrame { video.expect($0) }
    }

    /// Prepares the frames of the rule in parallel, and delivers the results in their order.
    ///
    /// - Parameters:
    ///   - jobs: how many workers there are; the results do not depend on it.
    ///   - takesPicture: false where the workers need no pictures.
    ///   - judges: false prepares every frame, for a caller that asks ``keeps(_:)`` as it is delivered.
    ///   - others: is given the records of other streams on the way.
    ///   - makeWorker: makes the state of a worker.
    package func forEachFrame<Worker, Output: Sendable>(
        jobs: Int,
        takesPicture: Bool = true,
        judges: Bool = true,
        others: (Record) throws -> Void = { _ in },
        makeWorker: @Sendable @escaping () -> Worker,
        prepare: @Sendable @escaping (Worker, WalkedFrame) throws -> Output,
        deliver: (Output) async throws -> Void
    ) async throws {
        try await forEachOrdered(
            workers: jobs,
            window: 3 * jobs,
            next: { try self.nextFrame(takesPicture: takesPicture, judges: judges, others: others) },
            makeWorker: makeWorker,
            transform: prepare,
            deliver: deliver
        )
    }
}

/// The frames of a list as records.
private final class ListCursor: RecordCursor {
    private var rest: ArraySlice<FrameReference>

    init(_ frames: [FrameReference]) { rest = frames[...] }

    let diagnostics = Diagnostics()
    let limitedTrackingCount = 0
    let upcomingLocationTime: Timestamp? = nil

    func next(isFrameWanted: (Timestamp) -> Bool) -> Record? { rest.popFirst().map(Record.frame) }
}
