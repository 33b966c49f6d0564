import JSONText
import ROS
import WebSocket

/// One client of a server: carries out its operations one after the other, and tells it what was refused.
struct ClientSession {
    let client: RecorderClient
    let transport: WebSocketTransport
    let server: RosbridgeServer
    let delegate: any RecorderDelegate
    let isStrict: Bool

    private var topics: [String: Topic] = [:]
    private var fragments: FragmentTable
    private var unknownFields: [String: UnknownFields] = [:]
    private(set) var receivedCount = 0
    private(set) var refusedCount = 0

    init(
        _ client: RecorderClient,
        _ transport: WebSocketTransport,
        server: RosbridgeServer,
        delegate: any RecorderDelegate,
        options: ServerOptions
    ) {
        self.client = client
        self.transport = transport
        self.server = server
        self.delegate = delegate
        isStrict = options.isStrict
        fragments = FragmentTable(byteLimit: options.maximumMessageSize)
    }

    /// Keys that were dropped, by topic.
    var unknownFieldCounts: [(topic: String, path: String, count: Int)] {
        unknownFields.flatMap { topic, fields in fields.counts.map { (topic, $0.path, $0.count) } }
    }

    /// Works until the client leaves; throws what the delegate throws, and a ``RosbridgeError`` if the client was lost.
    mutating func run() async throws {
        for try await batch in transport.batches {
            for message in batch { try await handle(message.payload) }
            // Only now is more read: a recorder that is slow makes its clients wait.
            transport.receiveMore()
        }
    }

    /// Carries out the operation in a frame, or tells the client why not; text and binary frames are the same.
    private mutating func handle(_ text: [UInt8], isJoined: Bool = false) async throws {
        let envelope: ClientOperation.Envelope
        do throws(Refusal) {
            envelope = try text.withUnsafeBufferPointer { (bytes) throws(Refusal) in
                try ClientOperation.parse(UnsafeRawBufferPointer(bytes))
            }
        } catch {
            return await refuse(error, id: nil)
        }
        do {
            if let joined = try await perform(envelope, text, isJoined) { try await handle(joined, isJoined: true) }
        } catch let refusal as Refusal {
            await refuse(refusal, id: envelope.id)
        }
    }

    /// Returns the text of another operation if this was the last fragment of it.
    private mutating func perform(
        _ envelope: ClientOperation.Envelope,
        _ text: [UInt8],
        _ isJoined: Bool
    ) async throws -> [UInt8]? {
        switch envelope.operation {
        case .publish(let name, let offset):
            let message = try await decode(text, at: offset, topicName: name)
            try await delegate.received(message, from: client)
            receivedCount += 1
        case .fragment(let id, let number, let total, let data):
            guard !isJoined else { throw Refusal("fragment: expected another operation inside, found a fragment") }
            return try fragments.add(id: id, number: number, total: total, data: data)
        case .advertise(let name, let type, let isLatched, let queueSize):
            let topic = try await server.advertise(name, type: type, isLatched: isLatched, queueSize: queueSize)
            topics[topic.name] = topic
        case .unadvertise(let name):
            if let name { topics[TopicRegistry.absolute(name)] = nil }
        case .callService(let service, let topic):
            let answer = ServiceAnswer(topics: await server.knownTopics, isRecorded: delegate.records)
            let values = answer.values(of: service, topic: topic)
            await reply(ServerOperation.serviceResponse(to: service, id: envelope.id, values: values))
        case .ignored:
            break
        case .unsupported(let op):
            throw Refusal("operation: expected one of a publisher, found \"\(op.prefix(40))\"")
        }
        return nil
    }

    /// Reads the message of a publish as its topic's type; its time is that of its header, or now.
    private mutating func decode(_ text: [UInt8], at offset: Int?, topicName: String) async throws -> StampedMessage {
        let name = TopicRegistry.absolute(topicName)
        var found = topics[name]
        if found == nil { found = await server.topic(named: name) }
        guard let topic = found else {
            throw Refusal(topic: name, "publish: expected a topic that was advertised, found one that was not")
        }
        topics[name] = topic
        var message: any Message = topic.type.init()
        if let offset {
            var unknown = unknownFields[name] ?? UnknownFields(isStrict: isStrict)
            do throws(JSONMismatch) {
                message = try text.withUnsafeBufferPointer { (bytes) throws(JSONMismatch) in
                    var scanner = JSONScanner(UnsafeRawBufferPointer(bytes), allowsNonFinite: true)
                        .scanner(at: offset)
                    return try topic.type.decoding(json: &scanner, unknown: &unknown)
                }
            } catch {
                throw Refusal(topic: name, "publish: \(error)")
            }
            if !unknown.isEmpty { unknownFields[name] = unknown }
        }
        let stamp = message.headerStampNanoseconds ?? 0
        let time = stamp != 0 ? stamp : WallClock.nowNanoseconds()
        return StampedMessage(topic: topic, timeNanoseconds: time, message: message)
    }

    private func reply(_ text: [UInt8]) async {
        // A client that has gone needs no answer; that it has gone is reported where its frames end.
        try? await transport.send(text: text)
    }

    private mutating func refuse(_ refusal: Refusal, id: JSONValue?) async {
        refusedCount += 1
        await delegate.refused(refusal, from: client)
        await reply(ServerOperation.status("\(refusal)", id: id))
    }
}
