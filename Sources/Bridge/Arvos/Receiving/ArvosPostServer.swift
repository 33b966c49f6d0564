import JSONText
import NIOCore
import NIOHTTP1
import NIOPosix
import Rosbridge

/// Takes messages of Arvos by HTTP: `POST /api/telemetry` with JSON, `POST /api/binary` with a frame, and the same
/// under `/api/mcap`; `GET /api/health` answers.
struct ArvosPostServer: Sendable {
    /// What a request brings.
    enum Content: Sendable {
        case telemetry([UInt8])
        case frame([UInt8])
    }

    let port: Int
    private let channel: any Channel

    /// - Parameters:
    ///   - connectionLimit: connections at a time; more are closed at once.
    ///   - bodyLimit: bytes above which a body is refused before it is read.
    ///   - take: says what is wrong with a content; nil for what was taken.
    init(
        address: String,
        port: Int,
        connectionLimit: Int,
        bodyLimit: Int,
        take: @escaping @Sendable (Content) async -> String?
    ) async throws {
        // All connections are on one loop, where they are counted.
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let open = NIOLoopBoundBox.makeBoxSendingValue(0, eventLoop: loop)
        let bootstrap = ServerBootstrap(group: loop)
            .serverChannelOption(.backlog, value: 64)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    open.value += 1
                    channel.closeFuture.assumeIsolated().whenComplete { _ in open.value -= 1 }
                    guard open.value <= connectionLimit else { return channel.close(promise: nil) }
                    let pipeline = channel.pipeline.syncOperations
                    try pipeline.addHandler(IdleStateHandler(allTimeout: .seconds(60)))
                    try pipeline.configureHTTPServerPipeline(withErrorHandling: true)
                    try pipeline.addHandler(ArvosPostHandler(bodyLimit: bodyLimit, take: take))
                }
            }
        do {
            channel = try await bootstrap.bind(host: address, port: port).get()
        } catch {
            let place = "\(address):\(port)"
            throw RosbridgeError(place, .listen, "expected a free address and port, found: \(error)")
        }
        self.port = channel.localAddress?.port ?? port
    }

    func close() { channel.close(promise: nil) }

    func waitUntilClosed() async { try? await channel.closeFuture.get() }
}

/// Answers the requests of a connection, one after the other.
private final class ArvosPostHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private struct Answer: Sendable {
        var status: HTTPResponseStatus
        var problem: String?
    }

    private let bodyLimit: Int
    private let take: @Sendable (ArvosPostServer.Content) async -> String?
    private var head: HTTPRequestHead?
    private var body: [UInt8] = []
    private var isTooLarge = false

    init(bodyLimit: Int, take: @escaping @Sendable (ArvosPostServer.Content) async -> String?) {
        self.bodyLimit = bodyLimit
        self.take = take
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            self.head = head
            body = []
            isTooLarge = head.headers.first(name: "content-length").flatMap { Int($0) }.map { $0 > bodyLimit } ?? false
        case .body(let buffer):
            guard body.count + buffer.readableBytes <= bodyLimit else { return isTooLarge = true }
            if !isTooLarge { body += buffer.readableBytesView }
        case .end:
            guard let head else { return }
            answer(head, context)
            (self.head, body) = (nil, [])
        }
    }

    private func answer(_ head: HTTPRequestHead, _ context: ChannelHandlerContext) {
        let path = head.uri.split(separator: "?", maxSplits: 1).first.map(String.init) ?? "/"
        let isPost = head.method == .POST
        let isOpen = head.isKeepAlive && !isTooLarge
        guard !isTooLarge else {
            let problem = "expected at most \(bodyLimit) bytes"
            return write(Answer(status: .payloadTooLarge, problem: problem), isOpen: false, context)
        }
        let content: ArvosPostServer.Content
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
        let take = take
        context.eventLoop.makeFutureWithTask { () -> Answer in
            let problem = await take(content)
            return Answer(status: problem == nil ? .ok : .badRequest, problem: problem)
        }
        .assumeIsolated().whenSuccess { [self] in write($0, isOpen: isOpen, bound.value) }
    }

    private func write(_ answer: Answer, isOpen: Bool, _ context: ChannelHandlerContext) {
        let status = answer.problem == nil && answer.status == .ok ? "ok" : "error"
        let problem = answer.problem.map { [("error", JSONValue.string($0))] } ?? []
        let text = JSONValue.object([("status", .string(status))] + problem).text()
        var headers = HTTPHeaders([("Content-Type", "application/json"), ("Content-Length", "\(text.utf8.count)")])
        if !isOpen { headers.add(name: "Connection", value: "close") }
        let head = HTTPResponseHead(version: .http1_1, status: answer.status, headers: headers)
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(string: text)))), promise: nil)
        let written = context.writeAndFlush(wrapOutboundOut(.end(nil)))
        guard !isOpen else { return }
        let bound = NIOLoopBound(context, eventLoop: context.eventLoop)
        written.assumeIsolated().whenComplete { _ in bound.value.close(promise: nil) }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is IdleStateHandler.IdleStateEvent { context.close(promise: nil) }
        context.fireUserInboundEventTriggered(event)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
