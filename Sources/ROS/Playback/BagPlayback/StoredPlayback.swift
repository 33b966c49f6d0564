import Bags
package import Messages

/// The composition: bag → rows → messages → player → sinks.
package struct BagPlaybackRun: Sendable {
    private let setup: BagPlaybackSetup
    private let progress: PlaybackProgress?
    private let control: PlaybackControl?

    package init(_ setup: BagPlaybackSetup, progress: PlaybackProgress? = nil, control: PlaybackControl? = nil) {
        self.setup = setup
        self.progress = progress
        self.control = control
    }

    /// Publishes the bag into the sinks.
    ///
    /// A cancelled task ends the replay in order: what was read is dropped, every sink is finished. So does the first
    /// error of a sink or of reading, which the report carries.
    @concurrent
    package func run(into sinks: [any MessageSink]) async -> BagPlaybackReport {
        let source = StoredPlayback(setup)
        let player = Player(source, options: setup.playback, sinks: sinks, control: control, progress: progress)
        var report = BagPlaybackReport(playback: await player.run())
        source.tally.complete(&report)
        return report
    }
}

/// A bag as something that can be played: its rows, made into messages, moment by moment.
final class StoredPlayback: PlaybackSource {
    /// How many batches of about a mebibyte, or of one message, wait to be played.
    private static let batchesAhead = 3

    let topics: [Topic]
    let span: ClosedRange<Int64>
    let intervalNanoseconds: Int64

    private(set) var tally: PlaybackTally
    private let setup: BagPlaybackSetup
    private let reader: TimestampGroupReader
    /// Static transforms by published topic; a loop goes on with those of the pass before it.
    private var transforms: [Int: StaticTransforms] = [:]

    init(_ setup: BagPlaybackSetup) {
        self.setup = setup
        reader = TimestampGroupReader(setup)
        tally = PlaybackTally(setup)
        topics = setup.topics
        span = setup.span
        intervalNanoseconds = setup.intervalNanoseconds
    }

    /// One pass over the bag: a task of its own reads and decodes ahead of the pacing.
    func play(from time: Int64, as pass: PlaybackPass, to presenter: any MessagePresenter) async throws {
        if pass != .loop { transforms = [:] }
        tally.passes.begun += 1
        let ahead = TimestampGroupReader.Ahead(limit: Self.batchesAhead)
        let reader = reader
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                do {
                    try await reader.read(from: time, into: ahead)
                    ahead.finish()
                } catch {
                    ahead.finish(throwing: error)
                }
            }
            do {
                try await present(ahead, to: presenter)
                tally.passes.ended += 1
            } catch {
                group.cancelAll()
                throw error
            }
        }
    }

    private func present(_ ahead: TimestampGroupReader.Ahead, to presenter: any MessagePresenter) async throws {
        var carried: [DecodedRow] = []
        for try await batch in ahead.batches {
            ahead.noteTaken()
            carried += batch.carried
            tally.note(missing: batch.missingCount, batch.problems)
            tally.note(broken: batch.brokenCarried)
            for moment in batch.moments {
                tally.note(moment)
                guard !moment.rows.isEmpty else { continue }
                let rows = carried + moment.rows
                carried = []
                try await presenter.present(at: moment.timeNanoseconds, isFrame: moment.isComplete) { stamps in
                    rows.map { message(of: $0, at: moment.timeNanoseconds, stamps) }
                }
            }
        }
        // A stream ends without an error where its reader is cancelled.
        try Task.checkCancellation()
    }

    private func message(of row: DecodedRow, at time: Int64, _ stamps: PlaybackStamps) -> StampedMessage {
        let published = setup.published[row.bagTopic]
        let topic = published?.topic ?? 0
        var message = row.message
        if published?.isStaticTree == true { message = transforms[topic, default: StaticTransforms()].add(message) }
        return StampedMessage(
            topic: topics[topic],
            timeNanoseconds: stamps.stamp(time),
            message: stamps.isIdentity
                // A stamp of zero says that there is none.
                ? message : message.mappingHeaderStamps { $0 == 0 ? 0 : stamps.stamp($0) }
        )
    }

    func timeOfFrame(before time: Int64) throws -> Int64? {
        let decoder = PublishedRowDecoder(setup.published)
        var length: Int64 = 250_000_000
        var last = time &- 1
        while last >= span.lowerBound {
            let first = max(span.lowerBound, last &- length)
            let query = BagQuery(topics: setup.sourceNames, first: first, last: last)
            let cursor = try setup.reader.rowsPassingDamage(query)
            var found: Int64?
            while let row = try cursor.next() {
                // Where all of a moment is broken nothing is shown.
                if row.timeNanoseconds != found, ((try? decoder.decode(row)) ?? nil) != nil {
                    found = row.timeNanoseconds
                }
            }
            if let found { return found }
            guard first > span.lowerBound else { return nil }
            last = first &- 1
            length = min(length * 4, 1_000_000_000_000_000)
        }
        return nil
    }

    func time(of place: PlaybackPlace) throws -> Int64 {
        let places = SpanOfBag(
            reader: setup.reader,
            topics: setup.sourceNames,
            first: setup.firstTime,
            last: span.upperBound
        )
        do {
            return try places.time(place)
        } catch BagPlaybackError.noSuchFrame {
            // A seek beyond the end leads to the end.
            return span.upperBound
        }
    }
}
