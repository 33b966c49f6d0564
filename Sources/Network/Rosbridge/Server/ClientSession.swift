import Messages
import Platform
import Text
import WebSocket

/// One client of a server: executes its operations in order, and answers the refused ones with a status message.
struct ClientSession {
    /// The limits for counting unknown keys: topics, and keys of each topic.
    private static let maximumUnknownTopics = 20
    private static let maximumUnknownKeys = 50
    /// The size in bytes above which operations are decoded one at a time over all clients.
    private static let largeOperation = 1 << 20

    let client: RecorderClient
    let transport: WebSocketTransport
    let server: RosbridgeServer
    let delegate: any RecorderDelegate
    private let isStrict: Bool
    private let limits: ServerLimits

    /// The names that this client has advertised and not unadvertised.
    private(set) var advertised: Set<String> = []
    private var topics: [String: Topic] = [:]
    private var fragments: FragmentTable
    /// Decoded messages that the delegate has not received yet.
    private var messages: [StampedMessage] = []
    /// The marks by which each of them is recognised when it comes again.
    private var marks: [ResendFilter.Mark] = []
    private(set) var unknownFields: [String: UnknownFields] = [:]
    /// The time at which the last message was decoded: what it has for want of a stamp.
    private var lastNow: Int64 = 0
    private(set) var receivedCount = 0
    private(set) var repeatedCount = 0
    private(set) var refusedCount = 0
    /// Operations of which some fragments are missing.
    var unfinishedCount: Int { fragments.unfinishedCount }

    init(_ client: RecorderClient, _ transport: WebSocketTransport, server: RosbridgeServer) {
        self.client = client
        self.transport = transport
        self.server = server
        delegate = server.delegate
        isStrict = server.options.isStrict
        limits = server.options.limits
        fragments = FragmentTable(byteLimit: server.options.maximumMessageSize)
    }

    /// Serves the client until it disconnects; throws the delegate's errors, and a ``RosbridgeError`` if the client was
    /// lost.
    mutating func run() async throws {
        for try await batch in transport.batches {
            for message in batch { try await handle(message.payload) }
            try await handOn()
            // More is read only now, so that a slow recorder makes its clients wait.
            transport.receiveMore()
        }
    }

    /// Executes the operation in a text or binary frame, or tells the client why it was refused.
    private mutating func handle(_ text: [UInt8], isJoined: Bool = false) async throws {
        let envelope: ClientOperation.Envelope
        do throws(Refusal) {
            envelope = try text.withUnsafeBufferPointer { (bytes) throws(Refusal) in
                try ClientOperation.parse(UnsafeRawBufferPointer(bytes))
            }
        } catch {
            return try await refuse(error, id: nil)
        }
        do {
            if let joined = try await perform(envelope, text, isJoined) { try await handle(joined, isJoined: true) }
        } catch let refusal as Refusal {
            try await refuse(refusal, id: envelope.id)
        }
    }

    /// Returns the joined operation if this was its last fragment.
    private mutating func perform(
        _ envelope: ClientOperation.Envelope,
        _ text: [UInt8],
        _ isJoined: Bool
    ) async throws -> [UInt8]? {
        switch envelope.operation {
        case .publish(let name, let offset):
            try await publish(text, at: offset, topicName: name)
        case .fragment(let id, let number, let total, let data):
            guard !isJoined else { throw Refusal("fragment: expected another operation inside, found a fragment") }
            defer { transport.keep(fragments.byteCount) }
            return try fragments.add(id: id, number: number, total: total, data: data)
        case .advertise(let name, let type, let isLatched, let queueSize):
            try await advertise(name, type: type, isLatched: isLatched, queueSize: queueSize)
        case .unadvertise(let name):
            if let name = name.map(TopicRegistry.absolute), advertised.remove(name) != nil {
                await server.unadvertise(name)
            }
        case .callService(let service, let topic):
            try await answer(service, topic: topic, id: envelope.id)
        case .ignored:
            break
        case .unsupported(let op):
            throw Refusal("operation: expected one of a publisher, found \"\(op.prefix(40))\"")
        }
        return nil
    }

    private mutating func advertise(_ name: String, type: String, isLatched: Bool, queueSize: Int) async throws {
        let absolute = TopicRegistry.absolute(name)
        guard advertised.count < limits.topicsOfClient || advertised.contains(absolute) else {
            let limit = limits.topicsOfClient
            throw Refusal(topic: absolute, "advertise: expected at most \(limit) topics of a client, found more")
        }
        let topic = try await server.advertise(name, type: type, isLatched: isLatched, queueSize: queueSize)
        await delegate.advertised(topic)
        // Counted once per client, however often it advertises.
        if !advertised.insert(topic.name).inserted { await server.unadvertise(topic.name) }
    }

    private mutating func publish(_ text: [UInt8], at offset: Int?, topicName: String) async throws {
        let name = TopicRegistry.absolute(topicName)
        var found = topics[name]
        if found == nil { found = await server.use(name) }
        guard let topic = found else {
            throw Refusal(topic: name, "publish: expected a topic that was advertised, found one that was not")
        }
        topics[name] = topic
        guard text.count > Self.largeOperation else { return try await take(text, at: offset, topic: topic) }
        await server.largeMessages.enter()
        do {
            try await take(text, at: offset, topic: topic)
            try await handOn()
        } catch {
            await server.largeMessages.leave()
            throw error
        }
        await server.largeMessages.leave()
    }

    private mutating func take(_ text: [UInt8], at offset: Int?, topic: Topic) async throws {
        let message = try decode(text, at: offset, topic: topic)
        if topic.isLatched { try await server.keep(message, byteCount: text.count) }
        messages.append(message)
        var hasher = Hasher()
        text.withUnsafeBytes { hasher.combine(bytes: $0) }
        let hasStamp = message.message.headerStampNanoseconds.map { $0 != 0 && $0 != lastNow } ?? false
        let isUnique = hasStamp || topic.isLatched || message.message is TFMessage
        marks.append(ResendFilter.Mark(digest: hasher.finalize(), isUnique: isUnique))
    }

    /// Decodes the message of a publish as its topic's type; its time is that of its header, or else now.
    ///
    /// A header without a stamp has that of now, as with rosbridge_server.
    private mutating func decode(_ text: [UInt8], at offset: Int?, topic: Topic) throws(Refusal) -> StampedMessage {
        let limit = unknownFields.count < Self.maximumUnknownTopics ? Self.maximumUnknownKeys : 0
        var unknown = unknownFields[topic.name] ?? UnknownFields(isStrict: isStrict, limit: limit)
        lastNow = WallClock.nowNanoseconds()
        unknown.now = Time(nanosecondsSinceEpoch: lastNow)
        // Without an object every field has its default, as with rosbridge_server.
        let source = offset == nil ? Array("{}".utf8) : text
        let message: any AnyMessage
        do throws(JSONMismatch) {
            message = try source.withUnsafeBufferPointer { (bytes) throws(JSONMismatch) in
                var scanner = JSONScanner(UnsafeRawBufferPointer(bytes), allowsNonFinite: true)
                    .scanner(at: offset ?? 0)
                return try topic.type.payload(json: &scanner, unknown: &unknown)
            }
        } catch {
            throw Refusal(topic: topic.name, "publish: \(error)")
        }
        if !unknown.isEmpty { unknownFields[topic.name] = unknown }
        let stamp = message.headerStampNanoseconds ?? 0
        guard stamp >= 0 else {
            // Bags have no times before 1970.
            throw Refusal(topic: topic.name, "publish: header.stamp: expected a time after 1970, found \(stamp) ns")
        }
        let time = stamp != 0 ? stamp : lastNow
        return StampedMessage(topic: topic, timeNanoseconds: time, message: message)
    }

    private mutating func answer(_ service: String, topic: String?, id: JSONValue?) async throws {
        // The answer confirms that everything before the call is recorded.
        try await handOn()
        let isAboutTopics = service.hasSuffix("/topics")
        let answer = ServiceAnswer(
            topics: isAboutTopics ? await server.knownTopics : [],
            isRecorded: delegate.records
        )
        await reply(
            ServerOperation.serviceResponse(to: service, id: id, values: answer.values(of: service, topic: topic))
        )
    }

    /// Gives the delegate the messages decoded so far.
    private mutating func handOn() async throws {
        guard !messages.isEmpty else { return }
        let isRepeated = await server.repeated(marks, from: client)
        let taken = zip(messages, isRepeated).filter { !$1 }.map(\.0)
        repeatedCount += messages.count - taken.count
        (messages, marks) = ([], [])
        guard !taken.isEmpty else { return }
        let refusals = try await delegate.received(taken, from: client)
        receivedCount += taken.count - refusals.count
        for refusal in refusals { await tell(refusal, id: nil) }
    }

    private func reply(_ text: [UInt8]) async {
        // A client that has left needs no answer; that it left is reported where its frames end.
        try? await transport.send(text: text)
    }

    private mutating func refuse(_ refusal: Refusal, id: JSONValue?) async throws {
        try await handOn()
        await tell(refusal, id: id)
    }

    private mutating func tell(_ refusal: Refusal, id: JSONValue?) async {
        refusedCount += 1
        await delegate.refused(refusal, from: client)
        guard refusedCount <= limits.answeredRefusals else { return }
        let isLast = refusedCount == limits.answeredRefusals
        await reply(ServerOperation.status("\(refusal)\(isLast ? " (further ones are only counted)" : "")", id: id))
    }
}
