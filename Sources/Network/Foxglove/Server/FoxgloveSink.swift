package import Messages
import NIOCore
import NIOPosix
package import Playback
import Rosbridge
import WebSocket

/// Shows a recording to all clients that connect with Foxglove's WebSocket protocol.
///
/// Each client has a bounded queue of its own; one that stalls costs the others nothing. Where there is a control,
/// clients steer the player, and all of them are told how it stands.
package actor FoxgloveSink: MessageSink {
    struct Cached: Sendable {
        var timeNanoseconds: Int64
        var payload: [UInt8]
    }

    private let loop: any EventLoop = MultiThreadedEventLoopGroup.singleton.next()
    let options: FoxgloveOptions
    let control: PlaybackControl?
    private let demand: TopicDemand
    private var listener: Listener?
    private var tasks: [Task<Void, Never>] = []
    private(set) var topics: [Topic] = []
    private var places: [String: Int] = [:]
    var clients: [Int: FoxgloveClient] = [:]
    private var nextClient = 0
    private var clientCount = 0
    private var isFinishing = false
    /// By topic: what was said last, of latched topics and of those that are looked at.
    private var cache: [Int: Cached] = [:]
    /// The place that a client asked for; what comes before the player is there is of the place before.
    var awaitedPlace: Int64?
    /// Whether the player goes to the place where it is, for a client that has seen nothing of it yet.
    var isRefreshing = false
    /// Requests for the player that are being carried out: they tell how it stands themselves.
    var requestsUnderWay = 0 {
        didSet {
            guard requestsUnderWay == 0 else { return }
            waitingForRequests?.resume()
            waitingForRequests = nil
        }
    }
    private var waitingForRequests: CheckedContinuation<Void, Never>?
    /// Recorded time of what was sent last.
    var currentTime: Int64
    /// What clients were told last.
    var toldState: FoxglovePlaybackState?
    private var written: [Int: (count: Int, bytes: Int)] = [:]
    private var dropped: [Int: Int] = [:]
    private var unsent: [Int: Int] = [:]
    private var clientLines: [String] = []

    /// - Parameters:
    ///   - control: What clients steer; `nil` where they may not.
    ///   - demand: Told which topics are looked at.
    package init(_ options: FoxgloveOptions, control: PlaybackControl? = nil, demand: TopicDemand = TopicDemand()) {
        self.options = options
        self.control = control
        self.demand = demand
        currentTime = options.span?.lowerBound ?? 0
    }

    /// Runs where its connections are: with many clients, changes of threads cost more than what is sent.
    package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.executor.asUnownedSerialExecutor() }

    /// The port that clients connect to; nil before ``open(_:)``.
    package var port: Int? { listener?.port }

    package func open(_ topics: [Topic]) async throws {
        for topic in topics { enlist(topic) }
        let listener = try await Listener(options.server, on: loop)
        self.listener = listener
        options.isListening(listener.port)
        tasks.append(Task { await self.accept(listener) })
        guard let control else { return }
        let conditions = await control.conditions()
        tasks.append(Task { for await _ in conditions { if await !self.noteCondition() { return } } })
    }

    /// Adds a topic, and tells clients of it.
    package func add(_ topic: Topic) async {
        guard places[topic.name] == nil else { return }
        enlist(topic)
        for client in clients.values { await advertise(to: client, from: topics.count - 1) }
    }

    private func enlist(_ topic: Topic) {
        guard places[topic.name] == nil else { return }
        places[topic.name] = topics.count
        topics.append(topic)
    }

    package func write(_ message: StampedMessage) async throws {
        guard awaitedPlace == nil, let place = places[message.topic.name] else { return }
        currentTime = message.timeNanoseconds
        let isLatched = message.topic.isLatched
        let subscribed = clients.keys.sorted().filter { clients[$0]?.subscriptions[place] != nil }
        guard isLatched || !subscribed.isEmpty else { return }
        var payload: [UInt8] = []
        message.message.appendCDR(to: &payload)
        let cached = Cached(timeNanoseconds: message.timeNanoseconds, payload: payload)
        cache[place] = cached
        for number in subscribed { await send(cached, of: place, to: number) }
    }

    func send(_ cached: Cached, of place: Int, to number: Int) async {
        guard let client = clients[number], let subscription = client.subscriptions[place] else { return }
        let before = written[place] ?? (0, 0)
        written[place] = (before.count + 1, before.bytes + cached.payload.count)
        var item = FoxgloveOutbox.Item(
            content: .message(
                topic: place,
                subscription: subscription,
                timeNanoseconds: cached.timeNanoseconds,
                payload: cached.payload
            )
        )
        item.isDroppable = !topics[place].isLatched
        item.isBulk = topics[place].delivery == .latest
        await client.outbox.offer(item)
    }

    package func seek(to timeNanoseconds: Int64) async {
        // Clients learn of a place before they are shown what is there.
        while requestsUnderWay > 0 { await withCheckedContinuation { waitingForRequests = $0 } }
        if let awaited = awaitedPlace {
            // Another request may have come since; times of sessions are rounded.
            if abs(awaited &- timeNanoseconds) < 1_000_000 { awaitedPlace = nil }
            return
        }
        if isRefreshing { return isRefreshing = false }
        await leavePlace(to: timeNanoseconds)
        await tell(didSeek: true)
    }

    /// Forgets what is of the place before.
    func leavePlace(to timeNanoseconds: Int64) async {
        currentTime = timeNanoseconds
        cache = cache.filter { topics[$0.key].isLatched }
        for client in clients.values { await client.outbox.forgetMessages() }
    }

    package func finish() async throws -> SinkReport {
        isFinishing = true
        listener?.close()
        let last = clients.values.map { $0 }
        for client in last { await client.outbox.finish() }
        // A client that does not read is not waited for.
        let impatience = Task {
            try await Task.sleep(for: .seconds(2))
            for client in last { client.transport.abort() }
        }
        for task in tasks.prefix(1) { await task.value }
        impatience.cancel()
        for task in tasks { task.cancel() }
        return report()
    }

    package func report() -> SinkReport {
        let counts = topics.indices.map { place in
            let (dropped, unsent) = (dropped[place] ?? 0, unsent[place] ?? 0)
            var count = SinkReport.TopicCount(
                name: topics[place].name,
                written: (written[place]?.count ?? 0) - dropped - unsent,
                dropped: dropped,
                bytes: written[place]?.bytes ?? 0
            )
            count.unsent = unsent
            return count
        }
        var connection = SinkReport.Connection(isConfirming: false)
        connection.receivers = clientCount
        return SinkReport(
            topics: counts.sorted { $0.name < $1.name },
            connection: connection,
            warnings: clientLines
        )
    }
}

// MARK: - Clients

extension FoxgloveSink {
    private func accept(_ listener: Listener) async {
        await withDiscardingTaskGroup { group in
            for await incoming in listener.connections {
                group.addTask {
                    do { try await incoming.transport.waitUntilOpen() } catch { return }
                    await self.serve(incoming.transport, incoming.address)
                }
            }
        }
    }

    /// Serves a connection to its end.
    private func serve(_ transport: WebSocketTransport, _ name: String) async {
        let outbox = FoxgloveOutbox(
            on: loop,
            messageLimit: options.queueMessages,
            byteLimit: options.queueBytes,
            waits: options.waits
        )
        let client = FoxgloveClient(transport: transport, name: name, outbox: outbox)
        let number = nextClient
        nextClient += 1
        clientCount += 1
        if isFinishing { await outbox.finish() }
        // Greeted before anything else is sent to it.
        await outbox.offer(FoxgloveOutbox.Item(content: .text(FoxgloveText.serverInfo(options))))
        clients[number] = client
        await advertise(to: client, from: 0)
        // A client takes for granted that a player stands at its beginning.
        if var state = toldState {
            state.timeNanoseconds = currentTime
            await outbox.offer(FoxgloveOutbox.Item(content: .frame(FoxgloveFrames.state(state))))
        }
        transport.receiveMore()
        options.notice("\(name) connected")
        let ending = await client.run { message in await self.handle(message, from: number) }
        clients[number] = nil
        await setDemand()
        let lost = await outbox.dropped
        dropped.merge(lost, uniquingKeysWith: +)
        unsent.merge(await outbox.unsent, uniquingKeysWith: +)
        let isOverrun = await outbox.isOverrun
        var why = isOverrun ? "it does not read the answers to its requests" : ending.map { "\($0)" }
        if let error = ending as? RosbridgeError, error.stage == .closed,
            [1000, 1001, 1005].contains(error.closeCode ?? 1005)
        {
            why = nil
        }
        if !isFinishing { options.notice("\(name) left\(why.map { ": \($0)" } ?? "")") }
        let names = lost.sorted { $0.key < $1.key }.map { "\(topics[$0.key].name) \($0.value)" }
        if !names.isEmpty, clientLines.count < 100 {
            clientLines.append("\(name): dropped as it was too slow: \(names.joined(separator: ", "))")
        }
    }

    private func advertise(to client: FoxgloveClient, from first: Int) async {
        for text in FoxgloveText.advertisements(topics, from: first) {
            await client.outbox.offer(FoxgloveOutbox.Item(content: .text(text)))
        }
    }

    func setDemand() async {
        await demand.set(Set(clients.values.flatMap { $0.subscriptions.keys.map { topics[$0].name } }))
    }

    func cached(_ place: Int) -> Cached? { cache[place] }

    func broadcast(_ item: FoxgloveOutbox.Item) async {
        for number in clients.keys.sorted() { await clients[number]?.outbox.offer(item) }
    }
}
