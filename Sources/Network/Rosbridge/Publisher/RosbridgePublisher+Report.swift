package import Messages
import Platform

extension RosbridgePublisher {
    /// The outcome of the messages so far.
    package func report() async -> SinkReport {
        var counts = ledger.countByTopic
        func change(_ name: String, _ body: (inout SinkReport.TopicCount) -> Void) {
            body(&counts[name, default: SinkReport.TopicCount(name: name)])
        }
        let waiting = await queue.queue
        for (name, count) in waiting.droppedByTopic { change(name) { $0.dropped += count } }
        for (name, count) in waiting.abandonedByTopic {
            change(name) {
                $0.written += count
                $0.unconfirmed += count
            }
        }
        for (name, count) in waiting.countByTopic { change(name) { $0.unsent += count } }
        for (name, count) in notTaken { change(name) { $0.unsent += count } }
        // Messages that were sent before may have arrived: they count as unconfirmed, not as unsent.
        for (name, count) in waiting.sentBeforeByTopic {
            change(name) {
                $0.unsent -= count
                $0.written += count
                $0.unconfirmed += count
            }
        }
        if let underWay {
            change(underWay.message.topic.name) {
                if underWay.wasSent {
                    $0.written += 1
                    $0.unconfirmed += 1
                } else {
                    $0.unsent += 1
                }
            }
        }
        for topic in topics { change(topic.name) { _ in } }
        for topic in takenTopics.refused { change(topic.name) { $0.refused = $0.written - $0.unconfirmed } }
        return SinkReport(
            topics: counts.values.sorted { $0.name < $1.name },
            connection: SinkReport.Connection(
                interruptions: interruptions.count,
                disconnectedSeconds: interruptions.seconds(nowNanoseconds: MonotonicClock.nowNanoseconds()),
                resent: ledger.resentMessages,
                resentAfterConfirmation: ledger.resentAfterConfirmation,
                waitedSeconds: options.onFull == .drop ? Double(await queue.waitedNanoseconds) / 1e9 : 0
            ),
            warnings: warnings + takenTopics.warnings
        )
    }

    package func progress() async -> SinkStatus.Bridge {
        let report = await report()
        let waiting = await queue.queue
        // What is taken back after a lost connection, and sent again, was sent all the same: what is shown never falls.
        mostSent = max(mostSent, ledger.sentMessages)
        mostConfirmed = max(mostConfirmed, report.topics.reduce(0) { $0 + $1.confirmed })
        return SinkStatus.Bridge(url: "\(url)") {
            $0.isConnected = transport != nil && current.readyNanoseconds != nil
            $0.interruptions = interruptions.count
            $0.reconnections = interruptions.reconnections
            $0.disconnectedSeconds = report.connection?.disconnectedSeconds ?? 0
            $0.sentMessages = mostSent
            $0.sentBytes = ledger.sentBytes
            $0.confirmedMessages = mostConfirmed
            $0.queuedMessages = waiting.count + (underWay == nil ? 0 : 1)
            $0.queuedBytes = waiting.byteCount
            $0.queueLimitBytes = options.queueBytes
            $0.droppedMessages = report.topics.reduce(0) { $0 + $1.dropped }
            $0.resentMessages = ledger.resentMessages
            $0.refusedMessages = report.topics.reduce(0) { $0 + $1.refused }
            $0.topics = report.topics
            $0.lastWarning = report.warnings.last
        }
    }

    package func status() async -> SinkStatus? { .bridge(await progress()) }

    func warn(_ text: String) {
        if warnings.count < 100 { warnings.append(text) }
    }

    private static let toldInterruptions = 10

    func noteLost(_ error: RosbridgeError) {
        if interruptions.count <= Self.toldInterruptions {
            warn("\(error); connecting again")
            let patience = options.reconnectTimeout.map { " for \($0.text)" } ?? ""
            options.notice?("connection lost (\(error.cause)); trying again\(patience)")
        } else if interruptions.count == Self.toldInterruptions + 1 {
            let text =
                "the connection was lost more than \(Self.toldInterruptions) times: only the first ones are listed"
            warn(text)
            options.warning?(text)
        }
    }

    func noteReturn(afterSeconds seconds: Double) {
        guard interruptions.count <= Self.toldInterruptions else { return }
        options.notice?("connected again after \((seconds * 10).rounded() / 10) s")
    }
}
