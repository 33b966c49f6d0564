package import Messages
import NIOCore
import NIOPosix
package import Playback
import Rosbridge

/// Shows a recording to all clients that connect with Foxglove's WebSocket protocol.
///
/// Each client has a bounded queue of its own; one that stalls costs the others nothing. Where there is a control,
/// clients steer the player, and all of them are told how it stands.
package actor FoxgloveSink: MessageSink {
    struct Client: Sendable {
        let link: QueuedClient<FoxgloveQueue>
        /// The client's subscription of a topic, by the topic's index in the list.
        var subscriptions: [Int: UInt32] = [:]
        /// Topics that it has subscribed to and been shown nothing of yet.
        var missing: Set<Int> = []
        /// The parameters it is told of.
        var parameters: Set<String> = []
    }

    struct Cached: Sendable {
        var timeNanoseconds: Int64
        var payload: [UInt8]
    }

    let loop: any EventLoop = MultiThreadedEventLoopGroup.singleton.next()
    let options: FoxgloveOptions
    let control: PlaybackControl?
    let subscribed: SubscribedTopics
    private var server: Server?
    private var tasks: [Task<Void, Never>] = []
    private(set) var topics: [Topic] = []
    private var places: [String: Int] = [:]
    var clients: [Int: Client] = [:]
    var clientCount = 0
    private(set) var isFinishing = false
    /// The last message by topic, of latched and of subscribed topics.
    var cache: [Int: Cached] = [:]
    /// The place that a client asked for; what comes before the player is there is of the place before.
    var awaitedPlace: Int64?
    /// The place that is shown once more, for a client that has seen nothing of it yet.
    var refreshedPlace: Int64?
    /// Up to where all others have seen what is shown once more.
    private var shownUntil: Int64?
    /// Requests for the player that are being carried out: they tell how it stands themselves.
    var requestsUnderWay = 0 {
        didSet {
            guard requestsUnderWay == 0 else { return }
            waitingForRequests?.resume()
            waitingForRequests = nil
        }
    }
    private var waitingForRequests: CheckedContinuation<Void, Never>?
    /// Runs until something of the last place is shown.
    var arrival: Task<Void, Never>?
    /// The seek that comes next, and who asked for it.
    var waitingSeek: (request: FoxglovePlaybackRequest, client: Int)?
    /// Who steered the player last, and how.
    var steering: (client: Int, what: String)?
    /// Recorded time of what was sent last.
    var currentTime: Int64
    /// The state that clients were told last.
    var toldState: FoxglovePlaybackState?
    /// When clients were last told the time for its own sake.
    private var timeTold = NIODeadline.uptimeNanoseconds(0)
    /// Outcomes of the messages of clients that have left, by topic.
    var counts: [Int: FoxgloveQueue.Count] = [:]
    var clientLines: [String] = []
    var notices = 0
    /// Makes the whole scene for the live page.
    var sceneTask: Task<Void, Never>?
    /// The messages with what there is of it, and with why there is no more.
    var sceneTexts: (shown: [UInt8]?, problem: [UInt8]?)

    /// - Parameters:
    ///   - control: What clients steer; `nil` where they may not.
    ///   - subscribed: Told which topics have subscribers.
    package init(
        _ options: FoxgloveOptions,
        control: PlaybackControl? = nil,
        subscribed: SubscribedTopics = SubscribedTopics()
    ) {
        self.options = options
        self.control = control
        self.subscribed = subscribed
        currentTime = options.span?.lowerBound ?? 0
    }

    /// Runs where its connections are: with many clients, changes of threads cost more than what is sent.
    package nonisolated var unownedExecutor: UnownedSerialExecutor { loop.executor.asUnownedSerialExecutor() }

    /// The port that clients connect to; nil before ``open(_:)``.
    package var port: Int? { server?.port }

    package func open(_ topics: [Topic]) async throws {
        for topic in topics { enlist(topic) }
        let server = try await Server(options.server, on: loop)
        self.server = server
        options.isListening(server.port)
        tasks.append(Task { await server.run { await self.serve($0) } })
        if options.recording != nil { tasks.append(Task { await self.followRecording() }) }
        guard let control else { return }
        let conditions = await control.conditions()
        tasks.append(Task { for await _ in conditions { await self.noteCondition() } })
    }

    /// Adds a topic, and tells clients of it.
    package func add(_ topic: Topic) async {
        guard places[topic.name] == nil else { return }
        enlist(topic)
        let place = topics.count - 1
        for client in clients.values { await advertise(to: client.link, place...place) }
    }

    private func enlist(_ topic: Topic) {
        guard places[topic.name] == nil else { return }
        places[topic.name] = topics.count
        topics.append(topic)
    }

    package func write(_ message: StampedMessage) async throws {
        guard awaitedPlace == nil, let place = places[message.topic.name] else { return }
        let time = message.timeNanoseconds
        let isShownAgain = time <= shownUntil ?? .min
        if !isShownAgain { (currentTime, shownUntil) = (time, nil) }
        let receivers = clients.keys.sorted().filter { number in
            guard let client = clients[number], client.subscriptions[place] != nil else { return false }
            return !isShownAgain || client.missing.contains(place)
        }
        if topics[place].isLatched || !receivers.isEmpty {
            var payload: [UInt8] = []
            message.message.appendCDR(to: &payload)
            let cached = Cached(timeNanoseconds: time, payload: payload)
            if !isShownAgain || cache[place] == nil { cache[place] = cached }
            for number in receivers { await send(cached, of: place, to: number) }
        }
        await tellTime()
    }

    /// Tells the time to clients that get no messages, 30 times a second.
    private func tellTime() async {
        let now = NIODeadline.now()
        guard now - timeTold >= .milliseconds(33) else { return }
        timeTold = now
        for client in clients.values { await client.link.outbox.offer(time: currentTime) }
    }

    func send(_ cached: Cached, of place: Int, to number: Int) async {
        guard let client = clients[number], let subscription = client.subscriptions[place] else { return }
        clients[number]?.missing.remove(place)
        await client.link.outbox.offer(
            FoxgloveQueue.Item(
                .message(
                    topic: place,
                    subscription: subscription,
                    timeNanoseconds: cached.timeNanoseconds,
                    payload: cached.payload
                ),
                isDroppable: !topics[place].isLatched,
                isBulk: topics[place].delivery == .latest
            )
        )
    }

    package func seek(to timeNanoseconds: Int64) async {
        while true {
            // Clients learn of a place before they are shown what is there.
            while requestsUnderWay > 0 { await withCheckedContinuation { waitingForRequests = $0 } }
            guard awaitedPlace != nil, let control else { break }
            let isGoingOn = await control.isSeeking
            // Another request may have come since.
            guard requestsUnderWay == 0 else { continue }
            if !isGoingOn { awaitedPlace = nil }
            return
        }
        if let place = refreshedPlace {
            refreshedPlace = nil
            // Times of sessions are rounded.
            if abs(place &- timeNanoseconds) < 1_000_000 { return shownUntil = currentTime }
        }
        await leavePlace(to: timeNanoseconds)
        await tell(didSeek: true)
    }

    /// Forgets what is of the place before.
    func leavePlace(to timeNanoseconds: Int64) async {
        (currentTime, shownUntil, refreshedPlace) = (timeNanoseconds, nil, nil)
        cache = cache.filter { topics[$0.key].isLatched }
        for client in clients.values { await client.link.outbox.forgetMessages(isTold: control != nil) }
    }

    package func finish() async throws -> SinkReport {
        isFinishing = true
        sceneTask?.cancel()
        server?.stopListening()
        await updateRecording()
        for client in clients.values { await client.link.outbox.finish() }
        // A client that does not read is not waited for.
        let impatience = Task {
            try await Task.sleep(for: .seconds(2))
            for client in clients.values { client.link.transport.abort() }
        }
        for task in tasks.prefix(1) { await task.value }
        impatience.cancel()
        for task in tasks { task.cancel() }
        // It reads what is closed after this.
        await sceneTask?.value
        return report()
    }

    package func report() -> SinkReport {
        let counts = topics.indices.map { place in
            let count = self.counts[place] ?? FoxgloveQueue.Count()
            var topic = SinkReport.TopicCount(
                name: topics[place].name,
                written: count.sent,
                dropped: count.dropped,
                bytes: count.sentBytes
            )
            topic.unsent = count.unsent
            return topic
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

// Clients come, are told what there is, and leave.
extension FoxgloveSink {
    func serve(_ connection: Server.Client) async {
        let queue = FoxgloveQueue(
            messageLimit: options.queueMessages,
            byteLimit: options.queueBytes,
            waits: options.waits
        )
        let link = QueuedClient(connection.transport, name: connection.address, queue, on: loop)
        clientCount += 1
        let number = clientCount
        // Greeted before anything else is sent to it.
        await link.outbox.offer(FoxgloveQueue.Item(.text(FoxgloveText.serverInfo(options))))
        clients[number] = Client(link: link)
        if isFinishing { await link.outbox.finish() }
        await advertise(to: link, 0..<topics.count)
        // A client takes for granted that a player is paused at its beginning, and plays at the recording's own speed.
        if let state = await playbackState, toldState != nil || state.status != .paused || state.speed != 1 {
            await link.outbox.offer(FoxgloveQueue.Item(.state(state)))
        }
        note("\(link.name) connected")
        await updateViewers()
        let ending = await link.serve { message in await self.handle(message, from: number) }
        clients[number] = nil
        await setDemand()
        await updateViewers()
        let counts = await link.outbox.queue.counts
        for (place, count) in counts { self.counts[place, default: FoxgloveQueue.Count()].add(count) }
        let farewell = await link.farewell(ending)
        if !isFinishing { note(farewell) }
        await pauseUnseen()
        let dropped = counts.sorted { $0.key < $1.key }.map { (name: topics[$0.key].name, count: $0.value.dropped) }
        if clientLines.count < 100, let line = link.slowness(dropped.filter { $0.count > 0 }) {
            clientLines.append(line)
        }
    }

    /// Tells the user, who is not to be flooded.
    func note(_ text: String) {
        notices += 1
        if notices <= 1000 { options.notice(text) }
        if notices == 1000 { options.notice("further clients that come and go are not told") }
    }

    func advertise(to client: QueuedClient<FoxgloveQueue>, _ places: some RangeExpression<Int>) async {
        for text in FoxgloveText.advertisements(topics, places.relative(to: topics)) {
            await client.outbox.offer(FoxgloveQueue.Item(.text(text)))
        }
    }

    func setDemand() async {
        let wanted = Set(clients.values.flatMap(\.subscriptions.keys))
        // What is no longer followed grows old.
        cache = cache.filter { topics[$0.key].isLatched || wanted.contains($0.key) }
        await subscribed.set(Set(wanted.map { topics[$0].name }))
    }
}
