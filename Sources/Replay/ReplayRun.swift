import Capture
package import ROS
import Sessions

/// The composition: session → frames → processing → messages → sinks.
package struct ReplayRun: Sendable {
    private let setup: ReplaySetup
    private let progress: ReplayProgress?

    package init(_ setup: ReplaySetup, progress: ReplayProgress? = nil) {
        self.setup = setup
        self.progress = progress
    }

    /// Publishes the session into the sinks.
    ///
    /// A cancelled task ends the replay in order: what was prepared is dropped, every sink is finished.
    ///
    /// - Throws: the first error of a sink or of reading; the sinks are finished before it is passed on.
    @concurrent
    package func run(into sinks: [any MessageSink]) async throws -> ReplayReport {
        let deliverer = Deliverer(setup: setup, sinks: sinks, progress: progress)
        await progress?.begin(totalSeconds: setup.totalSeconds)
        var failure: (any Error)?
        do {
            for sink in sinks { try await sink.open(setup.topics) }
            var loop = 0
            while setup.plan.loops.map({ loop < $0 }) ?? true {
                try await playOnce(loop, deliverer)
                // A session of which nothing is published would be played for ever at once.
                guard deliverer.deliveredAnything else { break }
                loop += 1
            }
        } catch is CancellationError {
            deliverer.wasInterrupted = true
        } catch {
            failure = error
        }
        return try await deliverer.finish(failure)
    }

    /// One pass over the session.
    private func playOnce(_ loop: Int, _ deliverer: Deliverer) async throws {
        let setup = setup
        let cursor = try setup.makeCursor()
        var sources = loop == 0 ? setup.makeSources() : deliverer.sources
        var schedule = setup.makeSchedule(sources)
        deliverer.beginPass(loop)
        try await forEachOrdered(
            workers: setup.plan.jobs,
            window: setup.plan.jobs * 3
        ) {
            while let record = try cursor.next(isFrameWanted: { schedule.wantsFrame(at: $0) }) {
                if let item = schedule.claim(record) { return item }
            }
            return nil
        } makeWorker: {
            FramePreparer(loader: setup.session.makeLoader(), settings: setup.preparation)
        } transform: { preparer, item in
            preparer.prepare(item)
        } deliver: { item in
            try await deliverer.deliver(item, &sources)
        }
        deliverer.endPass(sources, cursor.diagnostics, schedule.counts)
    }
}
