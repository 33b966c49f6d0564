import NIOCore
import Rosbridge
import WebSocket

/// Sends one client what waits for it, as fast as it reads; the time of messages goes out just before them.
actor FoxgloveOutbox {
    typealias Item = FoxgloveQueue.Item

    /// Small messages are handed over together, up to about so many bytes.
    private static let batchBytes = 64 << 10
    private static let fullStatus = "full"

    private let loop: any EventLoop
    private let waits: Bool
    private var queue: FoxgloveQueue
    private var consumer: CheckedContinuation<Void, Never>?
    private var producers: [CheckedContinuation<Void, Never>] = []
    private var isFinished = false
    private var isTold = false
    private(set) var isOverrun = false
    /// What the client was told last.
    private var lastTime: Int64?

    /// - Parameter waits: Whether messages wait for room rather than being dropped.
    init(on loop: any EventLoop, messageLimit: Int, byteLimit: Int, waits: Bool) {
        self.loop = loop
        self.waits = waits
        queue = FoxgloveQueue(messageLimit: messageLimit, byteLimit: byteLimit)
    }

    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.executor.asUnownedSerialExecutor() }

    /// What became of the messages, by topic.
    var counts: [Int: FoxgloveQueue.Count] { queue.counts }

    /// Sends what comes until the end, and returns what ended it; nil when all was sent.
    func drain(to transport: WebSocketTransport) async -> (any Error)? {
        while let items = await take() {
            do {
                try await transport.send(items.flatMap { messages(of: $0) })
                for item in items { queue.noteSent(item) }
            } catch {
                for item in items { queue.noteUnsent(item) }
                return error
            }
        }
        await transport.close(.normal)
        return nil
    }

    private func messages(of item: Item) -> [OutgoingMessage] {
        switch item.content {
        case .text(let bytes): return [OutgoingMessage(.text, bytes)]
        case .state(let state): return [OutgoingMessage(.binary, FoxgloveFrames.state(state))]
        case .time(let time): return newTime(time)
        case .message(_, let subscription, let time, let payload):
            let head = FoxgloveFrames.messageHead(subscription: subscription, timeNanoseconds: time)
            return newTime(time) + [OutgoingMessage(.binary, head: head, payload)]
        }
    }

    /// Clients take a time that goes back for a seek: what was said before this client came does not set it back.
    private func newTime(_ time: Int64) -> [OutgoingMessage] {
        guard time > lastTime ?? .min else { return [] }
        lastTime = time
        return [OutgoingMessage(.binary, FoxgloveFrames.time(time))]
    }

    func offer(_ item: Item) async {
        if waits, item.topic != nil {
            while !isFinished, !Task.isCancelled, queue.isFull(for: item) { await waitForRoom() }
        }
        // An interrupt does not wait for a client that reads nothing.
        guard !isFinished, !(waits && Task.isCancelled) else { return queue.noteUnsent(item) }
        if !waits, item.isDroppable, queue.makeRoom(for: item), !isTold {
            isTold = true
            let problem = FoxgloveProblem("Send buffer limit reached", level: 1)
            queue.append(Item(.text(FoxgloveText.status(problem, id: Self.fullStatus))))
        }
        queue.append(item)
        if queue.isOverrun {
            isOverrun = true
            return finish(droppingRest: true)
        }
        wakeConsumer()
    }

    /// Tells the time, unless messages that wait will.
    func offer(time: Int64) {
        guard !isFinished, queue.isEmpty, consumer != nil, time > lastTime ?? .min else { return }
        queue.append(Item(.time(time)))
        wakeConsumer()
    }

    /// Takes back the messages that wait: what comes is of another place.
    func forgetMessages() {
        queue.withdrawMessages()
        lastTime = nil
        wakeProducers()
    }

    /// Takes back what waits for a subscription that has ended.
    func forget(subscription: UInt32) {
        queue.withdraw(subscription: subscription)
        wakeProducers()
    }

    /// What is to be sent next, one or several; nil at the end, when nothing waits any more.
    private func take() async -> [Item]? {
        while queue.isEmpty {
            guard !isFinished else { return nil }
            if isTold {
                isTold = false
                return [Item(.text(FoxgloveText.removeStatus(Self.fullStatus)))]
            }
            await withCheckedContinuation { consumer = $0 }
        }
        var items: [Item] = []
        var bytes = 0
        while bytes < Self.batchBytes, let item = queue.removeFirst() {
            bytes += item.byteCount
            items.append(item)
        }
        wakeProducers()
        return items
    }

    /// Nothing more comes; what waits is still sent, unless it is dropped.
    func finish(droppingRest: Bool = false) {
        isFinished = true
        if droppingRest { queue.giveUp() }
        wakeConsumer()
        wakeProducers()
    }

    private func waitForRoom() async {
        await withTaskCancellationHandler {
            await withCheckedContinuation { producers.append($0) }
        } onCancel: {
            Task { await self.wakeProducers() }
        }
    }

    private func wakeConsumer() {
        consumer?.resume()
        consumer = nil
    }

    private func wakeProducers() {
        for producer in producers { producer.resume() }
        producers = []
    }
}
