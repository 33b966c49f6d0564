import NIOCore
import NIOPosix
import TestSupport
import WebSocket

/// A rosbridge that answers calls at once, passes each message on a while later, and is killed again and again: what it
/// has not passed on by then is lost, as with a bridge that dies before DDS has sent what it was given.
final class DyingBridge: Sendable {
    struct Plan: Sendable {
        var kills: Int
        /// Every so many kills the connection stays open, and nothing answers any more; 0 for none.
        var silentEvery = 0
        var lifeMilliseconds: ClosedRange<Int64> = 2...110
        /// How long a message takes to be passed on.
        var deliveryMilliseconds: ClosedRange<Int64> = 1...60
        var seed: UInt64 = 1
    }

    /// What happened so far.
    struct State: Sendable {
        /// Texts of publish operations, in the order in which they were passed on.
        var delivered: [String] = []
        /// Publish operations that were handled, passed on or not.
        var handled = 0
        var lost = 0
        var killsLeft: Int
        fileprivate var random: SeededRandomNumbers
    }

    let port: Int
    private let channel: any Channel
    private let state: NIOLoopBoundBox<State>

    init(_ plan: Plan) async throws {
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let initial = State(killsLeft: plan.kills, random: SeededRandomNumbers(seed: plan.seed))
        let state = NIOLoopBoundBox.makeBoxSendingValue(initial, eventLoop: loop)
        channel = try await ServerBootstrap(group: loop)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(DyingConnection(plan, state))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        port = channel.localAddress?.port ?? 0
        self.state = state
    }

    func now() async throws -> State {
        try await channel.eventLoop.submit { self.state.value }.get()
    }

    func stop() async throws { try await channel.close() }
}

/// The bridge as one client knows it, from its start to its death.
private final class DyingConnection: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private enum Death {
        case never
        case afterLife
        /// As soon as so many calls are answered: what they confirm is not passed on yet.
        case afterAnswers(Int)
        case silent
    }

    private let plan: DyingBridge.Plan
    private let state: NIOLoopBoundBox<DyingBridge.State>
    private var connection = Connection()
    private var death = Death.never
    private var answers = 0
    private var isDead = false
    /// What was handled and not passed on yet.
    private var pending: [(due: NIODeadline, text: String)] = []

    init(_ plan: DyingBridge.Plan, _ state: NIOLoopBoundBox<DyingBridge.State>) {
        self.plan = plan
        self.state = state
    }

    func channelActive(context: ChannelHandlerContext) {
        guard state.value.killsLeft > 0 else { return }
        let number = state.value.killsLeft
        state.value.killsLeft -= 1
        guard number < plan.kills else {
            // The first one has to get as far as to be ready.
            return death = .afterAnswers(3)
        }
        if plan.silentEvery > 0, number % plan.silentEvery == 0 {
            death = .silent
        } else if number % 2 == 0 {
            death = .afterAnswers(.random(in: 2...8, using: &state.value.random))
        } else {
            death = .afterLife
        }
        let life = Int64.random(in: plan.lifeMilliseconds, using: &state.value.random)
        context.eventLoop.assumeIsolated().scheduleTask(in: .milliseconds(life)) { self.die(context) }
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard !isDead else { return }
        connection.receive(Array(unwrapInboundIn(data).readableBytesView))
        for event in connection.takeEvents() {
            guard case .message(let message) = event, !isDead else { continue }
            handle(String(decoding: message.payload, as: UTF8.self), context)
        }
        send(context)
        if case .afterAnswers(let count) = death, answers >= count { die(context) }
        if !isDead, connection.mustClose { context.close(promise: nil) }
    }

    private func handle(_ text: String, _ context: ChannelHandlerContext) {
        if text.hasPrefix(#"{"op":"publish""#) {
            state.value.handled += 1
            let delay = TimeAmount.milliseconds(.random(in: plan.deliveryMilliseconds, using: &state.value.random))
            pending.append((.now() + delay, text))
            context.eventLoop.assumeIsolated().scheduleTask(in: delay) { self.deliver() }
        } else if text.hasPrefix(#"{"op":"call_service","id":""#) {
            let id = text.dropFirst(#"{"op":"call_service","id":""#.count).prefix { $0 != "\"" }
            connection.send(.text(#"{"op":"service_response","id":"\#(id)","values":"none","result":false}"#))
            answers += 1
        }
    }

    private func send(_ context: ChannelHandlerContext) {
        let bytes = connection.takeOutput()
        if !bytes.isEmpty { context.writeAndFlush(wrapOutboundOut(ByteBuffer(bytes: bytes)), promise: nil) }
    }

    /// Passes on what is due; of a dead bridge nothing is left.
    private func deliver() {
        let now = NIODeadline.now()
        state.value.delivered += pending.filter { $0.due <= now }.map(\.text)
        pending.removeAll { $0.due <= now }
    }

    private func die(_ context: ChannelHandlerContext) {
        guard !isDead else { return }
        // A loop that was late has had the time to pass on what was due.
        deliver()
        isDead = true
        state.value.lost += pending.count
        pending = []
        if case .silent = death { return }
        context.close(promise: nil)
    }
}
