import Glibc
package import Messages
import Platform

/// Publishes messages to ROS 2 over DDS, as a node that keeps each message until every reader has acknowledged it.
///
/// A reader that is behind slows the writer down. An acknowledgement says that a message lies in the cache of a reader, not that it
/// was recorded. A topic whose only reader is lost stops the replay until there is another, or patience ends.
///
/// It writes on the thread of the task that calls it, so that a small message costs no change of threads.
package actor DDSSink: MessageSink {
    private let options: DDSOptions
    private let library: CycloneLibrary
    private var participant: DDSParticipant?
    private var lanes: [DDSLane] = []
    private var places: [String: Int] = [:]
    private var buffer: [UInt8] = []
    private var warnings: [String] = []
    private var waitedNanoseconds: Int64 = 0
    private var nextLookNanoseconds: Int64 = 0
    private var others = DDSOthers()
    private var isAnnounced = false
    private var isHurried = false
    private var mostReaders = 0
    private var interruptions = 0
    private var desertedNanoseconds: Int64 = 0

    package init(_ library: CycloneLibrary, options: DDSOptions) { (self.library, self.options) = (library, options) }

    package func open(_ topics: [Topic]) async throws {
        let participant = try DDSParticipant(library, options.environment, processID: getpid())
        self.participant = participant
        for topic in topics.sorted(by: { $0.name < $1.name }) {
            let writer = try participant.makeWriter(topic, lateDepth: options.lateDepth(of: topic))
            places[topic.name] = lanes.count
            lanes.append(DDSLane(topic, writer, keepsAll: options.keepsForLateJoiners))
        }
        try await awaitReaders(participant)
        tellReaders(participant)
    }

    package func write(_ message: StampedMessage) async throws {
        guard let participant, let place = places[message.topic.name] else { return }
        buffer.removeAll(keepingCapacity: true)
        message.message.appendCDR(to: &buffer)
        if options.keepsForLateJoiners, lanes.reduce(buffer.count, { $0 + $1.bytes }) > options.maximumBytes {
            throw DDSError.memoryFull(bytes: options.maximumBytes)
        }
        let hasChanged = participant.count(lanes[place].writer).changes != lanes[place].changes
        if hasChanged || MonotonicClock.nowNanoseconds() >= nextLookNanoseconds { try await look() }
        let start = MonotonicClock.nowNanoseconds()
        if lanes[place].writer.keepsForLate, start >= lanes[place].nextQuestionNanoseconds {
            // Readers acknowledge some times a second: what they have by then is known before there is more.
            lanes[place].nextQuestionNanoseconds = start + 5_000_000
            try askAcknowledged(place, participant)
        }
        while try !participant.write(buffer, to: lanes[place].writer) {
            // A reader is behind; others have their turn.
            await Task.yield()
            try await look()
            if isHurried { throw CancellationError() }
            try Task.checkCancellation()
        }
        let waited = MonotonicClock.nowNanoseconds() - start
        if waited > 10_000_000 {
            waitedNanoseconds += waited
            // It may have gone on because a reader is lost: what follows waits for another one.
            nextLookNanoseconds = 0
        }
        lanes[place].noteWritten(buffer.count)
    }

    package func finish() async throws -> SinkReport {
        guard let participant else { return await report() }
        defer {
            participant.close()
            self.participant = nil
        }
        try await drain(participant)
        if options.stay > .zero { try await stay(participant) }
        let missing = lanes.filter { $0.unconfirmed > 0 }
        if !missing.isEmpty {
            throw DDSError.unacknowledged(
                count: missing.reduce(0) { $0 + $1.unconfirmed },
                topics: missing.map { "\($0.topic.name) (\($0.unconfirmed))" }
            )
        }
        return await report()
    }

    private func stay(_ participant: DDSParticipant) async throws {
        options.notice("latched topics stay for \(options.stay.text)")
        let end = ContinuousClock.now + options.stay
        while ContinuousClock.now < end, !isHurried, !Task.isCancelled {
            try? await Task.sleep(for: .milliseconds(50))
            try survey(participant)
        }
        try await drain(participant)
    }

    package func hurry() async {
        isHurried = true
    }

    package func report() async -> SinkReport {
        let topics = lanes.map { lane in
            var count = SinkReport.TopicCount(name: lane.topic.name, written: lane.written, bytes: lane.bytes)
            (count.unconfirmed, count.refused) = (lane.unconfirmed, lane.unread)
            return count
        }
        var connection = SinkReport.Connection(
            isConfirming: true,
            interruptions: interruptions,
            disconnectedSeconds: Double(desertedNanoseconds) / 1e9,
            waitedSeconds: Double(waitedNanoseconds) / 1e9
        )
        connection.receivers = mostReaders
        return SinkReport(topics: topics, connection: connection, warnings: warnings)
    }

    package func status() async -> SinkStatus? {
        let report = await report()
        return .bridge(
            SinkStatus.Bridge(url: "domain \(options.environment.domain)") {
                $0.isConnected = lanes.contains { !$0.readers.isEmpty }
                $0.sentMessages = report.topics.reduce(0) { $0 + $1.written }
                $0.sentBytes = report.topics.reduce(0) { $0 + $1.bytes }
                $0.confirmedMessages = report.topics.reduce(0) { $0 + $1.confirmed }
                $0.refusedMessages = report.topics.reduce(0) { $0 + $1.refused }
                $0.topics = report.topics
                $0.interruptions = interruptions
                $0.lastWarning = warnings.last
            }
        )
    }

    /// Looks who else is there and reads, says what is wrong with them, and which node this is once it is known how.
    private func survey(_ participant: DDSParticipant) throws(DDSError) {
        for text in others.look(participant, participant.newPublications(), lanes) { warn(text) }
        try count(participant)
        guard !isAnnounced, let size = options.environment.gidBytes ?? others.gidBytes else { return }
        try participant.announce(node: options.node, writers: lanes.map(\.writer), gidBytes: size)
        isAnnounced = true
    }

    /// Looks who reads, and what was acknowledged: some times a second, and while a write waits.
    private func look() async throws {
        guard let participant else { return }
        nextLookNanoseconds = MonotonicClock.nowNanoseconds() + 200_000_000
        try survey(participant)
        if lanes.contains(where: \.isDeserted) { try await awaitAnother(participant) }
    }

    /// Counts readers, and what they have acknowledged.
    private func count(_ participant: DDSParticipant) throws(DDSError) {
        var left: [String] = []
        for index in lanes.indices {
            // In this order: a reader that leaves is gone from the list before what it had not acknowledged is let go of.
            let count = participant.count(lanes[index].writer)
            if lanes[index].take(participant.readerHandles(lanes[index].writer), count) {
                left.append(lanes[index].topic.name)
            }
            if lanes[index].writer.keepsForLate { try askAcknowledged(index, participant) }
        }
        mostReaders = max(mostReaders, lanes.map(\.readers.count).max() ?? 0)
        if !left.isEmpty { warn("a reader of \(left.joined(separator: ", ")) was lost") }
    }

    /// Asks whether all was acknowledged by the readers that are known: where one is gone nothing is waited for.
    private func askAcknowledged(_ index: Int, _ participant: DDSParticipant) throws(DDSError) {
        let lane = lanes[index]
        guard lane.isWaiting, try participant.isAcknowledged(lane.writer),
            participant.readerCount(lane.writer) == lane.readers.count
        else { return }
        lanes[index].settleAll()
    }

    /// Waits for another reader in place of one that was lost.
    private func awaitAnother(_ participant: DDSParticipant) async throws {
        let missing = lanes.filter(\.isDeserted).map(\.topic.name)
        interruptions += 1
        options.notice(
            "nobody reads \(missing.joined(separator: ", ")) any more: waiting up to \(options.patience.text)"
        )
        let start = MonotonicClock.nowNanoseconds()
        defer { desertedNanoseconds += MonotonicClock.nowNanoseconds() - start }
        let deadline = ContinuousClock.now + options.patience
        while lanes.contains(where: \.isDeserted), ContinuousClock.now < deadline, !isHurried {
            try await Task.sleep(for: .milliseconds(50))
            try survey(participant)
        }
        // What is sent to nobody is counted; it is not waited for again.
        let alone = lanes.indices.filter { lanes[$0].isDeserted }
        for index in alone { lanes[index].isAbandoned = true }
        if !alone.isEmpty {
            warn("goes on without a reader: \(alone.map { lanes[$0].topic.name }.joined(separator: ", "))")
        }
    }

    /// Waits for those who shall read from the first message on.
    private func awaitReaders(_ participant: DDSParticipant) async throws {
        let deadline = ContinuousClock.now + options.patience
        while true {
            try survey(participant)
            let missing = missingReaders()
            if missing.isEmpty { return }
            guard ContinuousClock.now < deadline, !isHurried else {
                let isKnown = lanes.contains { !$0.readers.isEmpty }
                guard options.awaited == .some, isKnown else {
                    throw DDSError.noReader(topics: missing, seconds: options.patience / .seconds(1))
                }
                return warn("no reader of \(missing.joined(separator: " and ")) within \(options.patience.text)")
            }
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    private func missingReaders() -> [String] {
        let unread = lanes.filter { $0.readers.isEmpty }.map(\.topic.name)
        switch options.awaited {
        case .nobody: return []
        case .all: return unread
        case .topics(let names): return unread.filter { names.contains($0) } + names.filter { places[$0] == nil }
        case .some:
            let others = lanes.filter { $0.topic.name != "/tf" }
            let hasOther = others.isEmpty || others.contains { !$0.readers.isEmpty }
            return (unread.contains("/tf") ? ["/tf"] : []) + (hasOther ? [] : ["another topic"])
        }
    }

    /// Tells before the first message which readers will lose some, or take something else for them.
    private func tellReaders(_ participant: DDSParticipant) {
        var short: [String] = []
        var isOpen = false
        for lane in lanes where !lane.readers.isEmpty {
            for reader in participant.readers(lane.writer) {
                if let depth = reader.depth { short.append("\(lane.topic.name) (\(depth))") }
                isOpen = isOpen || !reader.saysDepth
                let own = lane.topic.type.typeHash
                if let hash = reader.typeHash, !own.isEmpty, hash != own {
                    warn("a reader of \(lane.topic.name) has another \(lane.topic.typeName): \(hash), not \(own)")
                }
            }
        }
        let silent = lanes.filter { $0.readers.isEmpty }.map(\.topic.name)
        if !silent.isEmpty { options.notice("without a reader: \(silent.joined(separator: ", "))") }
        guard options.isUnpaced else { return }
        let remedy = "a recorder keeps all with the line that --dry-run prints"
        if !short.isEmpty {
            let topics = short.joined(separator: ", ")
            warn("readers keep only the last messages of \(topics) and can lose what they acknowledge; \(remedy)")
        } else if isOpen {
            options.notice("readers of other vendors do not say how many messages they keep; \(remedy)")
        }
    }

    /// Waits until all is acknowledged by those who are still there.
    private func drain(_ participant: DDSParticipant) async throws {
        var deadline = ContinuousClock.now + options.patience + .seconds(30)
        while ContinuousClock.now < deadline {
            try count(participant)
            if !lanes.contains(where: \.isWaiting) || Task.isCancelled { return }
            if isHurried { deadline = min(deadline, ContinuousClock.now + .hurry) }
            try? await Task.sleep(for: .milliseconds(5))
        }
    }

    private func warn(_ text: String) {
        options.warning(text)
        if warnings.count < 100 { warnings.append(text) }
    }
}
