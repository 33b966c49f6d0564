import NIOCore
import Rosbridge
import WebSocket

/// What waits for one client, in order, within a bound of messages and bytes.
///
/// Where it is full, the oldest message of the topic that takes most room is dropped, of images and clouds first; latched
/// topics, texts and states never are. The time of a message goes out just before it.
actor FoxgloveOutbox {
    struct Item: Sendable {
        enum Content: Sendable {
            case text([UInt8])
            /// A frame that does not belong to a topic.
            case frame([UInt8])
            /// A message of a topic: its place in the list of topics.
            case message(topic: Int, subscription: UInt32, timeNanoseconds: Int64, payload: [UInt8])
        }

        var content: Content
        /// Whether it may be dropped, and rather than others.
        var isDroppable = false
        var isBulk = false

        var byteCount: Int {
            switch content {
            case .text(let bytes), .frame(let bytes): bytes.count
            case .message(_, _, _, let payload): payload.count + 22
            }
        }
    }

    private let loop: any EventLoop
    private let messageLimit: Int
    private let byteLimit: Int
    private let waits: Bool
    /// Texts and states that may wait: a client that asks and never reads is cut off.
    private static let controlLimit = 4096
    private var controlCount = 0
    private(set) var isOverrun = false
    private var items: CircularBuffer<Item> = []
    private var byteCount = 0
    private var consumer: CheckedContinuation<Void, Never>?
    private var producer: CheckedContinuation<Void, Never>?
    private var isFinished = false
    private var isTold = false
    private var lastTime: Int64?
    /// By topic: what there was no room for, and what still waited when the client left.
    private(set) var dropped: [Int: Int] = [:]
    private(set) var unsent: [Int: Int] = [:]

    private static let fullStatus = "full"

    init(on loop: any EventLoop, messageLimit: Int, byteLimit: Int, waits: Bool) {
        self.loop = loop
        self.messageLimit = messageLimit
        self.byteLimit = byteLimit
        self.waits = waits
    }

    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.executor.asUnownedSerialExecutor() }

    /// Sends what comes until the end, and returns what ended it; nil when all was sent.
    func drain(to transport: WebSocketTransport) async -> (any Error)? {
        do {
            while let item = await take() {
                switch item.content {
                case .text(let bytes): try await transport.send(text: bytes)
                case .frame(let bytes): try await transport.send(WebSocketMessage(.binary, bytes))
                case .message(_, let subscription, let time, let payload):
                    if time != lastTime {
                        lastTime = time
                        try await transport.send(WebSocketMessage(.binary, FoxgloveFrames.time(time)))
                    }
                    let frame = FoxgloveFrames.message(subscription: subscription, timeNanoseconds: time, payload)
                    try await transport.send(WebSocketMessage(.binary, frame))
                }
            }
            await transport.close(.normal)
            return nil
        } catch {
            return error
        }
    }

    func offer(_ item: Item) async {
        while waits, item.isDroppable, !isFinished, isFull(for: item), !items.isEmpty {
            await withCheckedContinuation { producer = $0 }
        }
        guard !isFinished else { return }
        if item.isDroppable {
            if !waits { makeRoom(for: item) }
        } else {
            controlCount += 1
            guard controlCount <= Self.controlLimit else {
                isOverrun = true
                return finish(droppingRest: true)
            }
        }
        items.append(item)
        byteCount += item.byteCount
        consumer?.resume()
        consumer = nil
    }

    private func isFull(for item: Item) -> Bool {
        items.count + 1 > messageLimit || byteCount + item.byteCount > byteLimit
    }

    private func makeRoom(for item: Item) {
        guard isFull(for: item), !items.isEmpty else { return }
        if !isTold {
            isTold = true
            let problem = FoxgloveProblem("Send buffer limit reached", level: 1)
            items.append(Item(content: .text(FoxgloveText.status(problem, id: Self.fullStatus))))
        }
        while isFull(for: item), let oldest = victim() { drop(at: oldest) }
    }

    /// The oldest message of the topic that takes most room, of bulk first.
    private func victim() -> CircularBuffer<Item>.Index? {
        for wantsBulk in [true, false] {
            var sizes: [Int: Int] = [:]
            for item in items where item.isDroppable && (item.isBulk || !wantsBulk) {
                if case .message(let topic, _, _, _) = item.content { sizes[topic, default: 0] += item.byteCount }
            }
            guard let largest = sizes.max(by: { ($0.value, $1.key) < ($1.value, $0.key) })?.key else { continue }
            return items.firstIndex { item in
                if case .message(largest, _, _, _) = item.content { item.isDroppable } else { false }
            }
        }
        return nil
    }

    private func drop(at index: CircularBuffer<Item>.Index) {
        let item = items.remove(at: index)
        byteCount -= item.byteCount
        if case .message(let topic, _, _, _) = item.content { dropped[topic, default: 0] += 1 }
    }

    /// Drops the messages that wait: what comes is of another place.
    func forgetMessages() {
        items = CircularBuffer(items.filter { !$0.isDroppable })
        byteCount = items.reduce(0) { $0 + $1.byteCount }
        lastTime = nil
        producer?.resume()
        producer = nil
    }

    /// Drops what waits for a subscription that has ended.
    func forget(subscription: UInt32) {
        items = CircularBuffer(
            items.filter { item in
                if case .message(_, subscription, _, _) = item.content { return false }
                return true
            }
        )
        byteCount = items.reduce(0) { $0 + $1.byteCount }
    }

    /// The next item; nil at the end, when nothing waits any more.
    private func take() async -> Item? {
        while items.isEmpty {
            guard !isFinished else { return nil }
            if isTold {
                isTold = false
                return Item(content: .text(FoxgloveText.removeStatus(Self.fullStatus)))
            }
            await withCheckedContinuation { consumer = $0 }
        }
        let item = items.removeFirst()
        byteCount -= item.byteCount
        if !item.isDroppable { controlCount = max(0, controlCount - 1) }
        producer?.resume()
        producer = nil
        return item
    }

    /// Nothing more comes; what waits is still sent, unless it is dropped.
    func finish(droppingRest: Bool = false) {
        isFinished = true
        if droppingRest {
            for item in items {
                if case .message(let topic, _, _, _) = item.content { unsent[topic, default: 0] += 1 }
            }
            items.removeAll()
            byteCount = 0
        }
        consumer?.resume()
        consumer = nil
        producer?.resume()
        producer = nil
    }
}
