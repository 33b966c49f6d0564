package import Messages
import NIOCore
import NIOPosix
import Platform
package import Rosbridge

/// What all topics of a load have in common.
package struct LoadOptions: Sendable {
    package var transport = TransportOptions()
    package var duration = Duration.seconds(30)
    /// The time limit for an answer.
    package var answerTimeout = Duration.seconds(10)
    /// The largest frame; a larger message goes out in fragments.
    package var maximumMessageSize = 10_000_000

    /// The defaults, changed by `set`.
    package init(_ set: (inout Self) -> Void = { _ in }) { set(&self) }
}

/// One topic of a load: its messages and their rate.
package struct LoadStream: Sendable {
    /// The rate of messages that are sent as fast as the server confirms them.
    package static let unpacedHertz = 1e6

    package var name: String
    package var topic: Topic
    package var rateHertz: Double
    /// The size of a message's `data`, before base64.
    package var payloadBytes: Int
    /// Makes a message with a stamp in nanoseconds since 1970.
    package var message: @Sendable (Int64) -> any Message

    package init(
        name: String,
        topic: Topic,
        rateHertz: Double,
        payloadBytes: Int,
        message: @escaping @Sendable (Int64) -> any Message
    ) {
        self.name = name
        self.topic = topic
        self.rateHertz = rateHertz
        self.payloadBytes = payloadBytes
        self.message = message
    }

    package var isPaced: Bool { rateHertz < Self.unpacedHertz }

    /// The number of messages due within a duration, the first at its start.
    package func dueCount(seconds: Double) -> Int {
        max(1, Int((seconds * rateHertz - 1e-9).rounded(.up)))
    }
}

/// The result of a load of several topics.
package struct ProfileLoadReport: Sendable {
    package struct Stream: Sendable {
        package var name: String
        package var targetHertz: Double
        package var due: Int
        package var sent: LoadLedger.Counts
        package var confirmed: LoadLedger.Counts
        /// The time from before the first byte of a message to the answer of the barrier after it.
        package var latency = RoundTrips()
        /// Confirmed messages per second, over the run or over the time that so many messages stand for, whichever is
        /// longer.
        package var observedHertz: Double = 0
        /// Bytes of JSON confirmed per second.
        package var jsonBytesPerSecond: Double = 0
    }

    package var server: String
    package var streams: [Stream]
    /// Of pings and barriers before anything is sent: the first measure the network, the second the server.
    package var idlePing = RoundTrips()
    package var idleBarrier = RoundTrips()
    /// From the first message to the last answer.
    package var elapsedSeconds: Double = 0
    /// The largest delay between a due time and the sending.
    package var worstLatenessSeconds: Double = 0
    package var warnings: [String] = []
    package var isInterrupted = false
    package var failure: RosbridgeError?

    package var confirmedMessages: Int { streams.reduce(0) { $0 + $1.confirmed.messages } }
    /// Bytes of JSON confirmed per second, over all topics.
    package var jsonBytesPerSecond: Double {
        elapsedSeconds > 0 ? Double(streams.reduce(0) { $0 + $1.confirmed.jsonBytes }) / elapsedSeconds : 0
    }
}

/// Sends several topics together, each at its rate, and uses barriers to count what the server has handled.
package actor ProfileLoad {
    /// Seconds between barriers.
    private static let barrierSpacing: Int64 = 150_000_000
    /// The unconfirmed bytes of JSON, and the age of an unanswered barrier, at which sending waits for the server.
    private static let windowBytes = 16_000_000
    private static let windowNanoseconds: Int64 = 2_000_000_000
    /// How often an idle server is asked.
    private static let idleRoundTrips = 10

    package nonisolated let url: RosbridgeURL
    private let options: LoadOptions
    private let streams: [LoadStream]
    nonisolated let eventLoop: any EventLoop
    private var report: ProfileLoadReport
    private var ledger: LoadLedger
    /// The number of barriers sent after a message of each stream.
    private var barriersBehind: [Int]
    private var start: Int64 = 0
    private var lastBarrierNanoseconds: Int64 = 0
    /// The stream of the message before each barrier, and the time at which sending it began.
    private var marked: [String: (stream: Int, begunNanoseconds: Int64)] = [:]

    package init(_ url: RosbridgeURL, streams: [LoadStream], options: LoadOptions) {
        self.url = url
        self.streams = streams
        self.options = options
        eventLoop = MultiThreadedEventLoopGroup.singleton.next()
        ledger = LoadLedger(streamCount: streams.count)
        barriersBehind = [Int](repeating: 0, count: streams.count)
        let seconds = Double(options.duration.nanoseconds) / 1e9
        report = ProfileLoadReport(
            server: url.description,
            streams: streams.map { stream in
                ProfileLoadReport.Stream(
                    name: stream.name,
                    targetHertz: stream.rateHertz,
                    due: stream.dueCount(seconds: seconds),
                    sent: LoadLedger.Counts(),
                    confirmed: LoadLedger.Counts()
                )
            }
        )
    }

    package nonisolated var unownedExecutor: UnownedSerialExecutor { eventLoop.executor.asUnownedSerialExecutor() }

    /// Runs the load; an error that ends it early is part of the report.
    package func run() async -> ProfileLoadReport {
        do {
            let transport = try await WebSocketTransport.connect(to: url, options: options.transport, on: eventLoop)
            let session = LoadSession(
                transport,
                on: eventLoop,
                server: url.description,
                maximumMessageSize: options.maximumMessageSize
            )
            await session.start()
            do {
                try await load(session)
            } catch {
                note(error)
            }
            await session.leave(streams.map(\.topic), isOrderly: report.failure == nil)
            for remark in await session.remarks where !report.warnings.contains(remark) {
                report.warnings.append(remark)
            }
        } catch {
            note(error)
        }
        finishReport()
        return report
    }

    private func note(_ error: any Error) {
        if error is CancellationError || Task.isCancelled {
            report.isInterrupted = true
        } else {
            report.failure = error as? RosbridgeError ?? RosbridgeError(url.description, .lost, "\(error)")
        }
    }

    private func load(_ session: LoadSession) async throws {
        for stream in streams { try await session.advertise(stream.topic) }
        // The first answer includes the time for the advertisements.
        _ = try await roundTrip(session)
        for _ in 0..<Self.idleRoundTrips {
            try await session.ping(within: options.answerTimeout).map { report.idlePing.add(nanoseconds: $0) }
            report.idleBarrier.add(nanoseconds: try await roundTrip(session))
        }
        start = MonotonicClock.nowNanoseconds()
        lastBarrierNanoseconds = start
        var schedule = LoadSchedule(streams.map { ($0.rateHertz, $0.dueCount(seconds: durationSeconds)) })
        while let next = schedule.next() {
            try await sleep(until: start + next.nanoseconds)
            let begun = MonotonicClock.nowNanoseconds()
            guard begun - start < options.duration.nanoseconds else { break }
            let stream = streams[next.stream]
            if stream.isPaced {
                let lateness = Double(begun - start - next.nanoseconds) / 1e9
                report.worstLatenessSeconds = max(report.worstLatenessSeconds, lateness)
            }
            let bytes = try await session.publish(stream.message(WallClock.nowNanoseconds()), on: stream.topic)
            ledger.noteSent(stream: next.stream, jsonBytes: bytes)
            if isBarrierDue(after: next.stream) { try await sendBarrier(session, next.stream, begun) }
            try await takeAnswers(session)
        }
        if ledger.bytesSinceBarrier > 0 { try await sendBarrier(session, nil, 0) }
        while ledger.outstandingBarriers > 0 { try await awaitNext(session) }
    }

    private var durationSeconds: Double { Double(options.duration.nanoseconds) / 1e9 }

    private func sleep(until nanoseconds: Int64) async throws {
        let pause = nanoseconds - MonotonicClock.nowNanoseconds()
        if pause > 0 { try await Task.sleep(for: .nanoseconds(pause)) } else { try Task.checkCancellation() }
    }

    // MARK: - Barriers

    /// Whether a barrier follows a message of this stream: every stream gets latencies of its own, a rare one for each
    /// message.
    private func isBarrierDue(after stream: Int) -> Bool {
        if isRare(stream) || ledger.bytesSinceBarrier >= Self.windowBytes / 2 { return true }
        let pause = MonotonicClock.nowNanoseconds() - lastBarrierNanoseconds
        let fewest = streams.indices.filter { !isRare($0) }.map { barriersBehind[$0] }.min() ?? 0
        return pause >= Self.barrierSpacing * 3 || (pause >= Self.barrierSpacing && barriersBehind[stream] <= fewest)
    }

    private func isRare(_ stream: Int) -> Bool { streams[stream].rateHertz <= 1 }

    private func sendBarrier(_ session: LoadSession, _ stream: Int?, _ begun: Int64) async throws {
        let barrier = try await session.sendBarrier()
        ledger.note(barrier)
        lastBarrierNanoseconds = barrier.sentNanoseconds
        guard let stream else { return }
        marked[barrier.id] = (stream, begun)
        barriersBehind[stream] += 1
    }

    /// The time that a barrier takes.
    private func roundTrip(_ session: LoadSession) async throws -> Int64 {
        let barrier = try await session.sendBarrier()
        guard let answer = try await session.answer(to: barrier, within: options.answerTimeout) else { throw noAnswer }
        return answer - barrier.sentNanoseconds
    }

    private func takeAnswers(_ session: LoadSession) async throws {
        while let barrier = ledger.barrier, let answer = await session.takeAnswer(to: barrier) {
            confirm(barrier, answer)
        }
        while let barrier = ledger.barrier {
            let age = MonotonicClock.nowNanoseconds() - barrier.sentNanoseconds
            guard ledger.unconfirmedBytes >= Self.windowBytes || age >= Self.windowNanoseconds else { return }
            try await awaitNext(session)
        }
    }

    private func awaitNext(_ session: LoadSession) async throws {
        guard let barrier = ledger.barrier else { return }
        guard let answer = try await session.answer(to: barrier, within: options.answerTimeout) else { throw noAnswer }
        confirm(barrier, answer)
    }

    private func confirm(_ barrier: LoadSession.Barrier, _ answer: Int64) {
        ledger.confirmNext()
        if let (stream, begun) = marked.removeValue(forKey: barrier.id) {
            report.streams[stream].latency.add(nanoseconds: answer - begun)
        }
        report.elapsedSeconds = Double(answer - start) / 1e9
    }

    private var noAnswer: RosbridgeError {
        RosbridgeError(
            url.description,
            .timeout,
            "expected an answer to a barrier within \(options.answerTimeout), found none",
            advice: "without answers to /rosapi/get_time nothing that is sent can be confirmed"
        )
    }

    private func finishReport() {
        for index in streams.indices {
            let confirmed = ledger.confirmed[index]
            report.streams[index].sent = ledger.sent[index]
            report.streams[index].confirmed = confirmed
            // A message stands for the time until the next one: so one message a minute gives the right rate after 30
            // s, too.
            let due = Double(ledger.sent[index].messages) / streams[index].rateHertz
            let seconds = max(report.elapsedSeconds, due)
            guard seconds > 0 else { continue }
            report.streams[index].observedHertz = Double(confirmed.messages) / seconds
            report.streams[index].jsonBytesPerSecond = Double(confirmed.jsonBytes) / seconds
        }
    }
}
