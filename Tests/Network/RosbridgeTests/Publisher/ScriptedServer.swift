import NIOCore
import NIOPosix
import Synchronization
import WebSocket

/// A WebSocket server that misbehaves as told, one behaviour per connection; the last one is for all further ones.
final class ScriptedServer: Sendable {
    enum Behaviour: Sendable {
        /// Answers barriers.
        case proper
        /// Takes everything and answers nothing but pings.
        case withoutBarriers
        /// Answers the handshake with these bytes.
        case answers(String)
        /// Says nothing at all.
        case silent
        /// Sends a close frame after some messages.
        case closes(afterMessages: Int, UInt16, String)
        /// Ends TCP after some messages, without a close frame; answers barriers until then.
        case drops(afterMessages: Int)
        /// Reads nothing more after some messages.
        case stopsReading(afterMessages: Int)
        /// Opens the connection, and then answers nothing, not even pings.
        case deaf
        /// Answers barriers, and knows subscribers of these topics after so many questions about them.
        case records([String: Int])
        /// Answers barriers, and closes with 1009 when a frame is larger.
        case takesAtMost(bytes: Int)
        /// Answers so many calls, and no further ones, but pings all the time.
        case stopsAnswering(afterCalls: Int)
        /// Answers barriers, and sends these texts after the first message.
        case says([String])
        /// Ends TCP as soon as so many calls are answered.
        case diesAfter(answers: Int)
        /// Answers barriers, and lists these topics with their types, of which each answer knows one more.
        case lists([(topic: String, type: String)])
        /// Answers barriers, and no other calls.
        case answersBarriersOnly
    }

    struct Received: Sendable, Equatable {
        var connection: Int
        var text: String
    }

    /// What happened so far.
    final class Counts: Sendable {
        let connections = Atomic<Int>(0)
        /// Messages of any kind.
        let messages = Atomic<Int>(0)
    }

    let port: Int
    let counts: Counts
    private let channel: any Channel
    private let received: AsyncStream<Received>
    private let continuation: AsyncStream<Received>.Continuation

    init(port: Int = 0, _ script: Behaviour...) async throws {
        let (stream, continuation) = AsyncStream<Received>.makeStream()
        let counts = Counts()
        let next = NIOLoopBoundBox<Int>.makeBoxSendingValue(0, eventLoop: MultiThreadedEventLoopGroup.singleton.next())
        channel = try await ServerBootstrap(group: next.eventLoop)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let number = next.value
                    next.value += 1
                    counts.connections.add(1, ordering: .relaxed)
                    let behaviour = script[min(number, script.count - 1)]
                    let handler = ScriptedHandler(behaviour, number, counts, continuation)
                    try channel.pipeline.syncOperations.addHandler(handler)
                }
            }
            .bind(host: "127.0.0.1", port: port).get()
        self.counts = counts
        self.port = channel.localAddress?.port ?? 0
        received = stream
        self.continuation = continuation
    }

    /// Stops, and returns what was received.
    func stop() async throws -> [Received] {
        try await channel.close()
        continuation.finish()
        var all: [Received] = []
        for await text in received { all.append(text) }
        return all
    }
}

private final class ScriptedHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let behaviour: ScriptedServer.Behaviour
    private let number: Int
    private let counts: ScriptedServer.Counts
    private let received: AsyncStream<ScriptedServer.Received>.Continuation
    private var connection = Connection()
    private var messageCount = 0
    private var callCount = 0
    private var questions: [String: Int] = [:]
    private var isOver = false

    init(
        _ behaviour: ScriptedServer.Behaviour,
        _ number: Int,
        _ counts: ScriptedServer.Counts,
        _ received: AsyncStream<ScriptedServer.Received>.Continuation
    ) {
        self.behaviour = behaviour
        self.number = number
        self.counts = counts
        self.received = received
    }

    func channelActive(context: ChannelHandlerContext) {
        if case .answers(let text) = behaviour {
            context.writeAndFlush(wrapOutboundOut(ByteBuffer(string: text)), promise: nil)
        }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch behaviour {
        case .answers, .silent: return
        case .deaf where connection.isOpen: return
        default: connection.receive(Array(unwrapInboundIn(data).readableBytesView))
        }
        for event in connection.takeEvents() {
            if case .message(let message) = event { handle(String(decoding: message.payload, as: UTF8.self), context) }
        }
        flush(context)
        if isOver || connection.mustClose { context.close(promise: nil) }
    }

    private func handle(_ text: String, _ context: ChannelHandlerContext) {
        guard !isOver else { return }
        received.yield(.init(connection: number, text: text))
        counts.messages.add(1, ordering: .relaxed)
        if text.hasPrefix(#"{"op":"publish""#) || text.hasPrefix(#"{"op":"fragment""#) { messageCount += 1 }
        switch behaviour {
        case .closes(let count, let code, let reason) where messageCount >= count:
            connection.close(CloseCode(rawValue: code), reason: reason)
        case .drops(let count) where messageCount >= count:
            context.close(promise: nil)
        case .stopsReading(let count) where messageCount >= count:
            context.channel.setOption(.autoRead, value: false).whenFailure { _ in }
        case .withoutBarriers: return
        case .takesAtMost(let limit) where text.utf8.count > limit:
            connection.close(CloseCode(rawValue: 1009), reason: "message too big")
        case .stopsAnswering(let count):
            callCount += text.hasPrefix(#"{"op":"call_service""#) ? 1 : 0
            if callCount <= count { answer(text) }
        case .diesAfter(let count):
            answer(text)
            callCount += text.hasPrefix(#"{"op":"call_service""#) ? 1 : 0
            isOver = callCount >= count
        case .lists(let topics) where text.contains("/rosapi/topics"):
            callCount += 1
            answer(text, topics.prefix(callCount))
        case .answersBarriersOnly where !text.contains("/rosapi/get_time"): return
        case .records(let patience) where text.contains("/rosapi/subscribers"): answer(text, patience)
        case .says(let texts) where messageCount == 1 && text.hasPrefix(#"{"op":"publish""#):
            for text in texts { connection.send(.text(text)) }
            answer(text)
        default: answer(text)
        }
    }

    /// Answers who subscribes to the topic of the call.
    private func answer(_ text: String, _ patience: [String: Int]) {
        let topic = String(text.drop { $0 != "{" }.dropFirst().drop { $0 != "{" }.dropFirst(10).prefix { $0 != "\"" })
        let id = text.dropFirst(#"{"op":"call_service","id":""#.count).prefix { $0 != "\"" }
        questions[topic, default: 0] += 1
        let isRecorded = patience[topic].map { questions[topic, default: 0] > $0 } ?? false
        let values = isRecorded ? #"{"subscribers":["/recorder"]}"# : #"{"subscribers":[]}"#
        connection.send(.text(#"{"op":"service_response","id":"\#(id)","values":\#(values),"result":true}"#))
    }

    /// Answers which topics there are.
    private func answer(_ text: String, _ topics: some Collection<(topic: String, type: String)>) {
        let id = text.dropFirst(#"{"op":"call_service","id":""#.count).prefix { $0 != "\"" }
        let names = topics.map { "\"\($0.topic)\"" }.joined(separator: ",")
        let types = topics.map { "\"\($0.type)\"" }.joined(separator: ",")
        let values = #"{"topics":[\#(names)],"types":[\#(types)]}"#
        connection.send(.text(#"{"op":"service_response","id":"\#(id)","values":\#(values),"result":true}"#))
    }

    private func answer(_ text: String) {
        guard text.hasPrefix(#"{"op":"call_service","id":""#) else { return }
        let id = text.dropFirst(#"{"op":"call_service","id":""#.count).prefix { $0 != "\"" }
        connection.send(.text(#"{"op":"service_response","id":"\#(id)","values":"none","result":false}"#))
    }

    private func flush(_ context: ChannelHandlerContext) {
        let bytes = connection.takeOutput()
        if !bytes.isEmpty { context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: bytes)), promise: nil) }
    }
}
