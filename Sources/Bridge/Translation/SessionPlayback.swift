import Maps
package import Messages
import Platform
package import Playback
import Recording
package import Sessions

extension ReplaySetup {
    /// Publishes the session into the sinks: session, records, preparation, messages, sinks.
    ///
    /// A cancelled task ends the replay in order: what was prepared is dropped, every sink is finished. So does the first
    /// error of a sink or of reading, which the report carries.
    @concurrent
    package func run(
        into sinks: [any MessageSink],
        progress: PlaybackProgress? = nil,
        control: PlaybackControl? = nil
    ) async -> ReplayReport {
        let source = SessionPlayback(self)
        let player = Player(source, options: playback, sinks: sinks, control: control, progress: progress)
        var report = ReplayReport(playback: await player.run())
        source.finish()
        report.diagnostics = source.diagnostics
        report.counts = source.counts
        return report
    }
}

/// Plays a session: records in time order become messages.
final class SessionPlayback: PlaybackSource {
    let topics: [Topic]
    let span: ClosedRange<Int64>
    let intervalNanoseconds: Int64

    /// Everything wrong with the session that was met.
    private(set) var diagnostics: Diagnostics
    private(set) var counts = ReplayCounts()

    private let setup: ReplaySetup
    /// Sources are values with a state; a loop goes on with those of the pass before it.
    private var sources: [any TopicSource] = []
    private var gravity: GravityCheck
    /// The time of the record presented last.
    private var lastTime: Int64?
    /// The topics that live viewers subscribe to; nil where everything is published.
    private var subscribed: SubscribedTopics.Names?

    init(_ setup: ReplaySetup) {
        self.setup = setup
        gravity = GravityCheck()
        topics = setup.topics
        span = setup.stampSpan
        intervalNanoseconds = max(1, Int64((setup.session.summary.medianIntervalSeconds ?? 0.1) * 1e9))
        diagnostics = setup.diagnostics
    }

    /// One pass over the session.
    func play(from time: Int64, as pass: PlaybackPass, to presenter: any MessagePresenter) async throws {
        let setup = setup
        // Samples just outside of the frames belong to the session, unless the replay starts at another place.
        var first = pass == .seek ? setup.anchor.time(ofStamp: time) : setup.span.lowerBound
        // For live viewers a seek starts at the last frame at or before the time, and need not count damage again.
        let isLiveSeek = pass == .seek && setup.plan.playback.subscribed != nil
        if isLiveSeek, let shown = try lastFrame(upTo: first) { first = shown }
        let walk = try setup.makeWalk(from: first, jumps: isLiveSeek)
        // New sources begin with the latched messages, which subscribers need after a seek.
        if pass != .loop { sources = setup.makeSources() }
        var schedule = setup.makeSchedule(sources)
        subscribed = await setup.plan.playback.subscribed?.current
        // A frame that is left out in every pass is one frame.
        defer { endPass(walk.damage, pass == .loop ? ReplayCounts() : setup.leftOut(walk)) }
        if subscribed == nil { try expectPictures(walk, from: first, schedule) }
        try await forEachOrdered(
            workers: setup.plan.jobs,
            window: setup.plan.jobs * 3,
            next: {
                while let record = try walk.next(isFrameWanted: { schedule.wantsFrame(at: $0) }) {
                    guard var item = schedule.claim(record, subscribed: self.subscribed) else { continue }
                    if case .frame(let frame) = record, setup.preparation.needsImage(item.needs) {
                        item.picture = walk.take(frame).picture
                    }
                    return item
                }
                return nil
            },
            makeWorker: { FramePreparer(setup.session, settings: setup.preparation) },
            transform: { preparer, item in preparer.prepare(item) },
            deliver: { item in try await self.present(item, to: presenter) }
        )
        try await close(to: presenter)
    }

    /// Tells a video which pictures a pass will take where everything is published; records of other streams do not matter.
    private func expectPictures(_ walk: FrameWalk, from first: Timestamp, _ schedule: Schedule) throws {
        try walk.expectPictures { expect in
            var schedule = schedule
            let ahead = try setup.makeWalk(from: first, streams: [.frames])
            while let record = try ahead.next(isFrameWanted: { schedule.wantsFrame(at: $0) }) {
                guard let item = schedule.claim(record), case .frame(let frame) = record else { continue }
                if setup.preparation.needsImage(item.needs) { expect(frame) }
            }
        }
    }

    /// Sends the closing messages, in the reverse order of the sources, from the time of the last record on.
    ///
    /// So the topic that opened the session closes it, when nothing more comes.
    private func close(to presenter: any MessagePresenter) async throws {
        guard var time = lastTime else { return }
        var closing = sources.indices.reversed().filter { sources[$0].hasClosingMessages }[...]
        for index in closing.reversed() { await sources[index].updateForClosing() }
        while !closing.isEmpty {
            try await presenter.present(at: time, isFrame: false) { stamps in
                var batch: [StampedMessage] = []
                while let index = closing.first {
                    if sources[index].closingMessages(stamp: stamps.stamp(time), into: &batch) { break }
                    closing.removeFirst()
                }
                return batch
            }
            time &+= ClosingMoment.intervalNanoseconds
        }
    }

    /// Presents the messages that are due for a record.
    ///
    /// Poses stay in the memory in which `forEachOrdered` holds the item: none is kept here across an `await` (decision 014).
    private func present(_ item: PreparedItem, to presenter: any MessagePresenter) async throws {
        gravity.add(item.record)
        diagnostics.append(item.diagnostics)
        counts.append(item.remarks)
        let time = setup.anchor.stamp(item.record.time)
        lastTime = time
        subscribed = await setup.plan.playback.subscribed?.current
        if let frame = item.mapFrame { await update(with: frame, due: item.dueSources) }
        for index in sources.indices where item.dueSources & (1 << UInt64(index)) != 0 && sources[index].tellsOfPlayback
        {
            sources[index].update(with: await presenter.status())
        }
        try await presenter.present(at: time, isFrame: item.frame != nil) { stamps in
            var batch: [StampedMessage] = []
            for index in sources.indices where item.dueSources & (1 << UInt64(index)) != 0 {
                sources[index].messages(for: item, stamp: stamps.stamp(time), into: &batch)
            }
            return batch
        }
    }

    /// Fuses a key-frame into the map: long work, done before the wait for the record's time.
    private func update(with frame: MapFrame, due: UInt64) async {
        for index in sources.indices where due & (1 << UInt64(index)) != 0 && sources[index].trigger == .keyFrame {
            await sources[index].update(with: frame)
        }
    }

    private func endPass(_ found: Diagnostics, _ counted: ReplayCounts) {
        for index in sources.indices { diagnostics.append(sources[index].takeDiagnostics()) }
        diagnostics.append(found)
        counts.append(counted)
    }

    /// Notes what only the whole walk shows.
    func finish() {
        if let problem = gravity.problem { diagnostics.record(problem) }
    }

    func timeOfFrame(before time: Int64) throws -> Int64? {
        try lastFrame(upTo: setup.anchor.time(ofStamp: time &- 1)).map(setup.anchor.stamp)
    }

    /// The time of the last frame that is published, not after a time; looked for nearby first.
    private func lastFrame(upTo limit: Timestamp) throws -> Timestamp? {
        for seconds: Int64 in [2, 60] {
            let first = max(setup.startTime, limit.advanced(byNanoseconds: -seconds * 1_000_000_000))
            if let found = try lastFrame(in: first...max(limit, first)) { return found }
        }
        return try lastFrame(in: setup.startTime...max(limit, setup.startTime))
    }

    private func lastFrame(in span: ClosedRange<Timestamp>) throws -> Timestamp? {
        let walk = try FrameWalk(setup.session, RecordRequest(span: span, streams: [.frames], jumps: true))
        var found: Timestamp?
        while let record = try walk.next(isFrameWanted: { span.contains($0) }) {
            guard case .frame(let frame) = record, span.contains(frame.time) else { continue }
            guard setup.plan.keepsLimitedTracking || frame.tracking.isNormal else { continue }
            found = frame.time
        }
        return found
    }

    func time(of place: PlaybackPlace) throws -> Int64 {
        setup.anchor.stamp(try setup.recording.time(place))
    }
}

/// The results of a replay of a session.
package struct ReplayReport: Sendable {
    package var playback: PlaybackReport
    /// Everything wrong with the session that was met.
    package var diagnostics = Diagnostics()
    package var counts = ReplayCounts()

    /// True if something of the recording did not reach the output.
    package var lostAnything: Bool { diagnostics.lostCount > 0 || !counts.refusedCalibrations.isEmpty }
}
