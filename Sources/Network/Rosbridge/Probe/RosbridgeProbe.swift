import Messages
import NIOCore
import NIOPosix
package import Platform

/// Measures a rosbridge server: the time to connect, its response times, and its sustained throughput.
///
///     let probe = RosbridgeProbe(url, options: ProbeOptions { $0.payloads = [1_048_576] })
///     let report = await probe.run { progress in ... }
///
/// Only barriers tell what a server has handled: a sent message or an answered ping proves that the socket works, not
/// that the server keeps up. After a cancellation the report holds what was measured until then.
package actor RosbridgeProbe {
    package nonisolated let url: RosbridgeURL
    private let options: ProbeOptions
    nonisolated let eventLoop: any EventLoop
    private let topic: Topic
    private var report: ProbeReport
    private var addresses: [SocketAddress] = []
    private var progress: ProgressHandler = { _ in }
    private var stageCount = 0

    package init(_ url: RosbridgeURL, options: ProbeOptions) {
        self.url = url
        self.options = options
        eventLoop = MultiThreadedEventLoopGroup.singleton.next()
        topic = Topic(name: options.topic, type: PointCloud2.self, delivery: .latest)
        report = ProbeReport(server: url.description)
    }

    package nonisolated var unownedExecutor: UnownedSerialExecutor { eventLoop.executor.asUnownedSerialExecutor() }

    /// Measures everything.
    ///
    /// - Parameter progress: is told each stage as it begins.
    package func run(progress: @escaping ProgressHandler = { _ in }) async -> ProbeReport {
        self.progress = progress
        do {
            try await measureConnecting()
            try await measureAnswers(options.payloads)
        } catch is CancellationError {
            report.isInterrupted = true
        } catch {
            report.failure = error as? RosbridgeError ?? RosbridgeError(url.description, .lost, "\(error)")
        }
        if Task.isCancelled { report.isInterrupted = true }
        if report.failure == nil, report.ping.isEmpty, report.barrier.isEmpty, report.unansweredBarriers > 0 {
            report.failure = RosbridgeError(
                url.description,
                .timeout,
                "expected an answer to a ping or a barrier within \(options.answerTimeout), found silence"
            )
        }
        return report
    }

    private func begin(_ stage: String) {
        progress(WorkProgress(stage, stageCount, of: 3 + 2 * options.payloads.count, .steps))
        stageCount += 1
    }

    // MARK: - Connecting

    /// All connections but the last are closed at once.
    private func measureConnecting() async throws {
        begin("connecting")
        if url.isAddress { addresses = try await NameLookup.addresses(of: url).addresses }
        for _ in 0..<max(0, options.connections - 1) {
            let session = try await connect()
            await session.close()
            try Task.checkCancellation()
        }
    }

    private func connect() async throws -> ProbeSession {
        if !url.isAddress {
            let found = try await NameLookup.addresses(of: url)
            report.resolution.add(nanoseconds: found.nanoseconds)
            addresses = found.addresses
        }
        let connector = ProbeConnector(url: url, options: options.transport, eventLoop: eventLoop)
        let (transport, opening, steps, address) = try await connector.connect(toFirstOf: addresses)
        addresses = [address]
        report.address = address.ipAddress.map { "\(address.protocol == .inet6 ? "[\($0)]" : $0):\(url.port)" }
        report.isCompressed = opening.compression != nil
        report.connect.add(nanoseconds: steps.connect)
        if let tls = steps.tls { report.tls.add(nanoseconds: tls) }
        report.handshake.add(nanoseconds: steps.handshake)
        let session = ProbeSession(
            transport,
            on: eventLoop,
            server: url.description,
            maximumMessageSize: options.maximumMessageSize
        )
        await session.start()
        return session
    }

    // MARK: - Answers

    private func measureAnswers(_ payloads: [Int]) async throws {
        var session = try await connect()
        do {
            try await measureIdle(session)
            for payload in payloads {
                let mayGoOn = try await measure(payload, on: &session)
                if !mayGoOn { break }
            }
        } catch {
            await leave(session, isOrderly: error is CancellationError)
            throw error
        }
        await leave(session, isOrderly: true)
    }

    private func measureIdle(_ session: ProbeSession) async throws {
        begin("pinging")
        for _ in 0..<options.roundTrips {
            guard let time = try await session.ping(within: options.answerTimeout) else {
                report.unansweredPings += 1
                break
            }
            report.ping.add(nanoseconds: time)
        }
        begin("waiting for barriers")
        try await session.advertise(topic)
        // The first answer also includes the time for the advertisement.
        guard try await measureBarrier(session) != nil else { return }
        for _ in 0..<options.roundTrips {
            guard let time = try await measureBarrier(session) else { return }
            report.barrier.add(nanoseconds: time)
        }
    }

    private func measureBarrier(_ session: ProbeSession) async throws -> Int64? {
        let barrier = try await session.sendBarrier()
        guard let answer = try await session.answer(to: barrier, within: options.answerTimeout) else {
            report.unansweredBarriers += 1
            return nil
        }
        return answer - barrier.sentNanoseconds
    }

    // MARK: - Payloads

    /// Measures one message size; returns false once a barrier stays unanswered, as nothing more can be confirmed then.
    private func measure(_ payload: Int, on session: inout ProbeSession) async throws -> Bool {
        report.payloads.append(PayloadReport(payloadBytes: payload))
        let index = report.payloads.count - 1
        guard report.unansweredBarriers == 0 else {
            report.payloads[index].problem = "not confirmed: the server does not answer barriers"
            return true
        }
        do {
            try await load(session, payload, index)
        } catch let error as RosbridgeError where error.closeCode == 1009 {
            report.payloads[index].problem = "\(error)"
            report.failure = explained(error, report.payloads[index])
            await leave(session, isOrderly: false)
            // Other sizes may succeed.
            session = try await connect()
            try await session.advertise(topic)
        } catch let error as RosbridgeError {
            report.payloads[index].problem = "\(error)"
            throw explained(error, report.payloads[index])
        }
        return report.unansweredBarriers == 0
    }

    private func load(_ session: ProbeSession, _ payload: Int, _ index: Int) async throws {
        var cloud = ProbePayload.cloud(byteCount: payload, stampNanoseconds: 0)
        let topic = topic
        report.payloads[index].jsonBytes = try ProbeSession.json(cloud, on: topic, server: url.description).count
        func publish() async throws -> Int {
            cloud.header = Header(stampNanoseconds: WallClock.nowNanoseconds(), frameID: cloud.header.frameID)
            return try await session.publish(cloud, on: topic)
        }
        begin("waiting behind \(payload) bytes")
        try await measureBehind(session, index, publish)
        guard report.unansweredBarriers == 0 else { return }
        begin("sending messages of \(payload) bytes")
        let load = SustainedLoad(
            duration: options.duration,
            answerTimeout: options.answerTimeout,
            idleBarrierSeconds: report.barrier.medianSeconds ?? 0
        )
        let outcome = await load.run(on: session, publish: publish)
        report.payloads[index].sustained = outcome.rate
        report.payloads[index].sentMessages = outcome.ledger.sent[0].messages
        report.payloads[index].confirmedMessages = outcome.ledger.confirmedMessages
        if let problem = outcome.problem {
            report.payloads[index].problem = "not confirmed: \(problem)"
            report.unansweredBarriers += 1
        }
        if let failure = outcome.failure { throw failure }
    }

    private func measureBehind(
        _ session: ProbeSession,
        _ index: Int,
        _ publish: () async throws -> Int
    ) async throws {
        let end = MonotonicClock.nowNanoseconds() + options.duration.nanoseconds
        repeat {
            let start = MonotonicClock.nowNanoseconds()
            report.payloads[index].jsonBytes = try await publish()
            let barrier = try await session.sendBarrier()
            guard let answer = try await session.answer(to: barrier, within: options.answerTimeout) else {
                report.unansweredBarriers += 1
                report.payloads[index].problem =
                    "not confirmed: expected an answer to a barrier within \(options.answerTimeout), found none"
                return
            }
            report.payloads[index].barrierBehind.add(nanoseconds: answer - start)
        } while report.payloads[index].barrierBehind.count < options.roundTrips
            && MonotonicClock.nowNanoseconds() < end
    }

    /// Advice for a failure that the message size may have caused.
    private func explained(_ error: RosbridgeError, _ payload: PayloadReport) -> RosbridgeError {
        let frame = min(payload.jsonBytes, options.maximumMessageSize)
        var error = error
        if error.closeCode == 1009 {
            error.advice =
                "the server takes no frame of \(frame) bytes: raise its max_message_size, or lower --max-message-size"
        } else if error.advice == nil, frame > 1_000_000 {
            error.advice =
                "if it was for the size of the frame (\(frame) bytes): raise its max_message_size, or lower "
                + "--max-message-size"
        }
        return error
    }

    private func leave(_ session: ProbeSession, isOrderly: Bool) async {
        report.warnings += await session.remarks
        await session.leave([topic], isOrderly: isOrderly)
    }
}
