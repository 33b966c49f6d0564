import Capture
import ROS
import Sessions

/// The last, sequential stage: waits for an item's time, makes its messages, and hands them to the sinks in order.
final class Deliverer {
    private let setup: ReplaySetup
    private let sinks: [any MessageSink]
    private let progress: ReplayProgress?
    private var pacer: Pacer<ContinuousClock>
    private var statistics: [String: TopicStatistics] = [:]
    private var report = ReplayReport()
    /// What is added to each stamp, so that a loop goes on where the last one ended.
    private var loopShift: Int64 = 0
    private var firstTime: Timestamp?
    private var lastTime: Timestamp?
    private var nextClockTick: Int64?
    private var gravity = GravityCheck()
    private(set) var sources: [any TopicSource] = []
    /// Whether the pass under way has delivered anything.
    var deliveredAnything: Bool { firstTime != nil }
    var wasInterrupted = false

    init(setup: ReplaySetup, sinks: [any MessageSink], progress: ReplayProgress?) {
        self.setup = setup
        self.sinks = sinks
        self.progress = progress
        pacer = Pacer(rate: setup.plan.rate, clock: ContinuousClock())
        report.diagnostics = setup.session.diagnostics
        for topic in setup.topics {
            statistics[topic.name] = TopicStatistics(name: topic.name, typeName: topic.typeName)
        }
    }

    func beginPass(_ loop: Int) {
        guard loop > 0, let firstTime, let lastTime else { return }
        let interval = Int64((setup.session.summary.medianIntervalSeconds ?? 0.1) * 1e9)
        loopShift &+= lastTime.nanoseconds &- firstTime.nanoseconds &+ max(interval, 1)
        self.firstTime = nil
    }

    func endPass(_ sources: [any TopicSource], _ diagnostics: Diagnostics, _ counts: ReplayCounts) {
        self.sources = sources
        for index in self.sources.indices { report.diagnostics.append(self.sources[index].takeDiagnostics()) }
        report.diagnostics.append(diagnostics)
        report.counts.append(counts)
    }

    func deliver(_ item: PreparedItem, _ sources: inout [any TopicSource]) async throws {
        let time = item.record.time
        if firstTime == nil { firstTime = time }
        lastTime = time
        gravity.add(item.record)
        report.diagnostics.append(item.diagnostics)
        report.counts.append(item.remarks)
        let captured = setup.anchor.stamp(time) &+ loopShift
        try await deliverClock(until: captured)
        try await pacer.wait(until: captured)
        let stamp = setup.plan.stamp == .now ? setup.plan.nowNanoseconds() : captured
        var batch: [StampedMessage] = []
        for index in sources.indices where item.claims & (1 << UInt64(index)) != 0 {
            sources[index].messages(for: item, stamp: stamp, into: &batch)
        }
        let bytes = try await write(batch)
        let first = setup.anchor.stamp(setup.startTime)
        report.capturedSeconds = Double(captured &- first) / 1e9
        await progress?.advance(
            capturedSeconds: report.capturedSeconds,
            messages: batch.count,
            bytes: bytes
        )
    }

    /// Ends every sink, also after a failure, and never cut short by a cancelled task.
    func finish(_ failure: (any Error)?) async throws -> ReplayReport {
        report.topics = statistics.values.sorted { $0.name < $1.name }
        report.wasInterrupted = wasInterrupted
        if let problem = gravity.problem { report.diagnostics.record(problem) }
        report.worstLatenessSeconds = pacer.worstLateness / .seconds(1)
        let sinks = sinks
        let results = await Task {
            var results: [Result<SinkReport, any Error>] = []
            for sink in sinks {
                do {
                    results.append(.success(try await sink.finish()))
                } catch {
                    results.append(.failure(error))
                }
            }
            return results
        }.value
        if let failure { throw failure }
        for result in results { report.sinks.append(try result.get()) }
        return report
    }

    private func deliverClock(until captured: Int64) async throws {
        guard let topic = setup.clockTopic, let hertz = setup.plan.clockHertz, hertz > 0 else { return }
        let period = Int64(1e9 / hertz)
        var tick = nextClockTick ?? captured
        while tick <= captured {
            try await pacer.wait(until: tick)
            var message = ClockMessage()
            message.clock = Time(nanosecondsSinceEpoch: tick)
            _ = try await write([StampedMessage(topic: topic, timeNanoseconds: tick, message: message)])
            // Over a gap of the recording the clock does not tick for hours at once.
            tick = captured - tick > 10_000_000_000 ? captured : tick + period
        }
        nextClockTick = tick
    }

    /// Counts the messages and hands them on; returns their size as CDR.
    private func write(_ batch: [StampedMessage]) async throws -> Int {
        var sum = 0
        for message in batch {
            let bytes = message.message.encodedCDRSize
            sum += bytes
            statistics[message.topic.name]?.add(timeNanoseconds: message.timeNanoseconds, bytes: bytes)
            for sink in sinks { try await sink.write(message) }
        }
        return sum
    }
}

extension ReplaySetup {
    /// The first time that can be published.
    var startTime: Timestamp { max(span.lowerBound, session.summary.firstTime) }

    /// How much of the session is to be published.
    package var totalSeconds: Double {
        min(span.upperBound, session.summary.lastTime).seconds(since: startTime)
    }
}
