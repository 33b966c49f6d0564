import Messages
import Platform

/// Sending over one connection.
extension RosbridgePublisher {
    func sendEverything(over transport: WebSocketTransport) async throws {
        try await advertise(over: transport)
        if !isReady, options.waitForRecorder != nil { try await awaitSubscribers(over: transport) }
        let settled = ContinuousClock.now + options.settle
        if !isReady { try await checkTopics(over: transport) }
        if settled > .now { try await Task.sleep(until: settled) }
        try await becomeReady(over: transport)
        while let item = try await nextItem() {
            try await send(item, over: transport)
            try await keepWindow(over: transport)
        }
        try Task.checkCancellation()
        try await confirmEverything(over: transport)
        if !takenTopics.isCertain { try await checkTopics(over: transport) }
        for topic in topics { try await transport.send(text: Operation.unadvertise(topic: topic.name).json) }
        await transport.close()
    }

    /// Advertises the topics in order, and waits until the server has handled the advertisements.
    private func advertise(over transport: WebSocketTransport) async throws {
        for topic in topics { try await transport.send(text: Operation.advertise(topic).json) }
        if ledger.isConfirming { try await confirmAdvertisements(over: transport) }
    }

    /// Begins with messages: on a later connection first the latched ones, which the server may have lost.
    private func becomeReady(over transport: WebSocketTransport) async throws {
        let isFirst = !isReady
        let now = MonotonicClock.nowNanoseconds()
        isReady = true
        recovery.noteReady()
        if let seconds = interruptions.end(atNanoseconds: now) { noteReturn(afterSeconds: seconds) }
        current.readyNanoseconds = now
        wake()
        guard !isFirst else { return }
        await queue.dropStale()
        let waiting = await queue.queue.sentBeforeByTopic
        for topic in topics {
            guard let item = latched[topic.name], waiting[topic.name, default: 0] == 0 else { continue }
            _ = try await transmit(item, over: transport)
        }
    }

    private func nextItem() async throws -> OutgoingQueue.Item? {
        guard let item = await queue.take() else {
            try Task.checkCancellation()
            return nil
        }
        // Kept here until it is sent: if the connection breaks now, it is put back.
        underWay = item
        return item
    }

    private func send(_ item: OutgoingQueue.Item, over transport: WebSocketTransport) async throws {
        let thinning = try await transmit(item, over: transport)
        if item.message.topic.isLatched { latched[item.message.topic.name] = item }
        ledger.noteSent(item, bytes: encoded.count, thinning: thinning)
        underWay = nil
    }

    /// Encodes a message and sends it whole, thinned or in fragments; returns how it was thinned.
    private func transmit(
        _ item: OutgoingQueue.Item,
        over transport: WebSocketTransport
    ) async throws -> CloudThinning? {
        let topic = item.message.topic
        swap(&encoded, &lastEncoded)
        var thinning: CloudThinning?
        do {
            thinning = try encode(item.message)
        } catch {
            throw RosbridgeError(url.description, .message, "\(topic.name): \(error)")
        }
        current.lastMessage = "a message of \(topic.name) of \(encoded.count) bytes"
        if encoded.count <= recovery.frameLimit {
            current.largestFrame = max(current.largestFrame, encoded.count)
            try await transport.send(text: encoded)
        } else {
            try await sendFragments(of: topic, over: transport)
        }
        return thinning
    }

    private func encode(_ message: StampedMessage) throws(JSONEncodingError) -> CloudThinning? {
        let (name, isLatched) = (message.topic.name, message.topic.isLatched)
        encoded.removeAll(keepingCapacity: true)
        try RosbridgeEnvelope.appendPublish(topic: name, isLatched: isLatched, message: message.message, to: &encoded)
        guard options.fitsClouds, encoded.count > recovery.frameLimit,
            let cloud = message.message.compiled(as: PointCloud2.self)
        else {
            return nil
        }
        var envelope: [UInt8] = []
        RosbridgeEnvelope.appendPublish(topic: name, isLatched: isLatched, to: &envelope) { _ in }
        guard let thinning = CloudThinning(cloud, byteLimit: recovery.frameLimit - envelope.count) else { return nil }
        encoded.removeAll(keepingCapacity: true)
        let thinned = thinning.apply(to: cloud)
        try RosbridgeEnvelope.appendPublish(topic: name, isLatched: isLatched, message: thinned, to: &encoded)
        return thinning
    }

    private func sendFragments(of topic: Topic, over transport: WebSocketTransport) async throws {
        guard options.allowsFragments else {
            throw RosbridgeError(
                url.description,
                .message,
                "\(topic.name): expected at most \(recovery.frameLimit) bytes, found \(encoded.count)",
                advice: "raise --max-message-size if the server allows it, or leave out --no-fragments"
            )
        }
        let fragmenter = Fragmenter(maximumFrameLength: recovery.frameLimit)
        for frame in fragmenter.fragments(of: encoded, id: Fragmenter.makeID(using: &randomness)) {
            current.largestFrame = max(current.largestFrame, frame.count)
            try await transport.send(text: frame)
        }
    }
}
