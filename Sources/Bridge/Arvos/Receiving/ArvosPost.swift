import NIOCore
import NIOHTTP1
import Rosbridge
import Text
import WebSocket

/// Takes messages of Arvos by HTTP: `POST /api/telemetry` with JSON, `POST /api/binary` with a frame, and the same
/// under `/api/mcap`; `GET /api/health` answers.
enum ArvosPost {
    /// The body of a request.
    enum Content: Sendable {
        case telemetry([UInt8])
        case frame([UInt8])
    }

    /// Takes what a device posts, and says what is wrong with it; nil for what was taken.
    typealias Take = @Sendable (Content, _ address: String) async -> String?

    /// Listens with the limits and the admission of every other server; a body above the largest message is refused
    /// before it is read.
    static func listen(_ options: ServerOptions, take: @escaping Take) async throws -> Listener {
        try await Listener(options) { channel, gate in
            let pipeline = channel.pipeline.syncOperations
            try pipeline.addHandler(IdleStateHandler(allTimeout: .seconds(60)))
            try pipeline.configureHTTPServerPipeline(withErrorHandling: true)
            try pipeline.addHandler(ArvosPostHandler(options, gate, take))
        }
    }
}

/// Answers the requests of a connection, one after the other.
private final class ArvosPostHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private struct Answer: Sendable {
        var status: HTTPResponseStatus
        var problem: String?
    }

    private let options: ServerOptions
    private let gate: ConnectionLimiter
    private let take: ArvosPost.Take
    private var address = "unknown"
    private var head: HTTPRequestHead?
    private var refusal: HandshakeRefusal?
    private var body: [UInt8] = []
    private var isTooLarge = false
    /// Ends a connection that does not come to a request, or to the end of one.
    private var deadline: Scheduled<Void>?
    private var bodyBegan = NIODeadline.uptimeNanoseconds(0)
    /// The bytes of the body that came, taken or not.
    private var receivedBytes = 0
    /// When the last answer was given; nil while a request is under way.
    private var idleSince: NIODeadline?

    private static let slowestBytesPerSecond = 1024

    private var bodyLimit: Int { options.maximumMessageSize }

    init(_ options: ServerOptions, _ gate: ConnectionLimiter, _ take: @escaping ArvosPost.Take) {
        self.options = options
        self.gate = gate
        self.take = take
    }

    func handlerAdded(context: ChannelHandlerContext) {
        // Known as long as the connection is open.
        if let known = context.channel.remoteAddress?.ipAddress { address = known }
        let limit = TimeAmount(options.handshakeTimeout)
        deadline = context.eventLoop.assumeIsolated().scheduleTask(in: limit) { context.close(promise: nil) }
    }

    func channelInactive(context: ChannelHandlerContext) {
        deadline?.cancel()
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            deadline?.cancel()
            (bodyBegan, receivedBytes, idleSince) = (.now(), 0, nil)
            watchBody(context, after: TimeAmount(options.handshakeTimeout))
            self.head = head
            body = []
            isTooLarge = head.headers.first(name: "content-length").flatMap { Int($0) }.map { $0 > bodyLimit } ?? false
            let fields = head.headers.map { HTTPField($0.name, $0.value) }
            refusal = gate.admit(context.channel, target: head.uri, fields: fields)
        case .body(let buffer):
            receivedBytes += buffer.readableBytes
            guard body.count + buffer.readableBytes <= bodyLimit else { return isTooLarge = true }
            guard !isTooLarge, refusal == nil else { return }
            body += buffer.readableBytesView
            gate.note(context.channel, heldBytes: body.count)
        case .end:
            deadline?.cancel()
            guard let head else { return }
            if let refusal { refuse(refusal, context) } else { answer(head, context) }
            (self.head, body) = (nil, [])
            gate.note(context.channel, heldBytes: 0)
        }
    }

    /// Ends a connection whose body comes more slowly than any network is, once it has had the time of a handshake.
    private func watchBody(_ context: ChannelHandlerContext, after delay: TimeAmount) {
        deadline = context.eventLoop.assumeIsolated().scheduleTask(in: delay) { [self] in
            let seconds = (NIODeadline.now() - bodyBegan).nanoseconds / 1_000_000_000
            guard receivedBytes >= Int(seconds) * Self.slowestBytesPerSecond else { return context.close(promise: nil) }
            watchBody(context, after: .seconds(1))
        }
    }

    private func refuse(_ refusal: HandshakeRefusal, _ context: ChannelHandlerContext) {
        let status = HTTPResponseStatus(statusCode: refusal.status, reasonPhrase: refusal.reason)
        var fields = HTTPHeaders()
        if let challenge = refusal.challenge { fields.add(name: "WWW-Authenticate", value: challenge) }
        if let seconds = refusal.retryAfter { fields.add(name: "Retry-After", value: seconds) }
        let problem = "expected a request that may be made, found one that is refused: \(refusal.reason)"
        write(Answer(status: status, problem: problem), isOpen: false, context, fields)
    }

    private func answer(_ head: HTTPRequestHead, _ context: ChannelHandlerContext) {
        let path = head.uri.split(separator: "?", maxSplits: 1).first.map(String.init) ?? "/"
        let isPost = head.method == .POST
        let isOpen = head.isKeepAlive && !isTooLarge
        guard !isTooLarge else {
            let problem = "expected at most \(bodyLimit) bytes"
            return write(Answer(status: .payloadTooLarge, problem: problem), isOpen: false, context)
        }
        let content: ArvosPost.Content
        switch path {
        case "/api/health", "/api/mcap/health":
            return write(Answer(status: isPost ? .methodNotAllowed : .ok), isOpen: isOpen, context)
        case "/api/telemetry", "/api/mcap/telemetry": content = .telemetry(body)
        case "/api/binary", "/api/mcap/binary": content = .frame(body)
        default:
            let problem = "expected /api/telemetry, /api/binary or /api/health, found another path"
            return write(Answer(status: .notFound, problem: problem), isOpen: isOpen, context)
        }
        guard isPost else { return write(Answer(status: .methodNotAllowed), isOpen: isOpen, context) }
        let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
        let (take, address) = (take, address)
        context.eventLoop.makeFutureWithTask { () -> Answer in
            let problem = await take(content, address)
            return Answer(status: problem == nil ? .ok : .badRequest, problem: problem)
        }
        .assumeIsolated().whenSuccess { [self] in write($0, isOpen: isOpen, bound.value) }
    }

    private func write(
        _ answer: Answer,
        isOpen: Bool,
        _ context: ChannelHandlerContext,
        _ fields: HTTPHeaders = HTTPHeaders()
    ) {
        let status = answer.problem == nil && answer.status == .ok ? "ok" : "error"
        let problem = answer.problem.map { [("error", JSONValue.string($0))] } ?? []
        let text = JSONValue.object([("status", .string(status))] + problem).text()
        var headers = HTTPHeaders([("Content-Type", "application/json"), ("Content-Length", "\(text.utf8.count)")])
        headers.add(contentsOf: fields)
        if !isOpen { headers.add(name: "Connection", value: "close") }
        let head = HTTPResponseHead(version: .http1_1, status: answer.status, headers: headers)
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(string: text)))), promise: nil)
        let written = context.writeAndFlush(wrapOutboundOut(.end(nil)))
        idleSince = .now()
        guard !isOpen else { return }
        let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
        written.assumeIsolated().whenComplete { _ in bound.value.close(promise: nil) }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is IdleStateHandler.IdleStateEvent { context.close(promise: nil) }
        // A connection may be closed between requests (RFC 9112, 9.5); a device that goes on sending has no such pauses.
        if event is PlaceWanted, let idleSince, .now() - idleSince > PlaceWanted.patience {
            context.close(promise: nil)
        }
        context.fireUserInboundEventTriggered(event)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
