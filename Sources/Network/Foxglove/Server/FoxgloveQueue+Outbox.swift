import Rosbridge
package import WebSocket

/// The queue is sent as fast as its client reads; the time of messages goes out just before them.
extension FoxgloveQueue: ClientQueue {
    /// Small messages are handed over together, up to about so many bytes.
    private static let batchBytes = 64 << 10
    private static let fullStatus = "full"

    package func isUrgent(_ item: Item) -> Bool { item.topic == nil }

    package mutating func offer(_ item: Item) -> Bool {
        if waits, item.topic != nil, isFull(for: item) { return false }
        if !waits, item.isDroppable, makeRoom(for: item), !isTold {
            isTold = true
            let problem = FoxgloveProblem("Send buffer limit reached", level: 1)
            append(Item(.text(FoxgloveText.status(problem, id: Self.fullStatus))))
        }
        append(item)
        return true
    }

    package mutating func next(nowNanoseconds: Int64) -> [Item]? {
        guard !isEmpty else {
            guard isTold else { return nil }
            isTold = false
            return [Item(.text(FoxgloveText.removeStatus(Self.fullStatus)))]
        }
        var items: [Item] = []
        var bytes = 0
        while bytes < Self.batchBytes, let item = removeFirst() {
            bytes += item.byteCount
            items.append(item)
        }
        return items
    }

    package mutating func messages(of items: [Item]) -> [OutgoingMessage] {
        items.flatMap { item -> [OutgoingMessage] in
            switch item.content {
            case .text(let bytes): return [OutgoingMessage(.text, bytes)]
            case .state(let state):
                // What waited before it is still of the place before.
                if state.didSeek { lastTime = nil }
                return [OutgoingMessage(.binary, FoxgloveFrames.state(state))]
            case .time(let time): return newTime(time)
            case .message(_, let subscription, let time, let payload):
                let head = FoxgloveFrames.messageHead(subscription: subscription, timeNanoseconds: time)
                return newTime(time) + [OutgoingMessage(.binary, head: head, payload)]
            }
        }
    }

    /// Clients take a time that goes back for a seek: what was said before this client came does not set it back.
    private mutating func newTime(_ time: Int64) -> [OutgoingMessage] {
        guard time > lastTime ?? .min else { return [] }
        lastTime = time
        return [OutgoingMessage(.binary, FoxgloveFrames.time(time))]
    }

    package mutating func noteSent(_ items: [Item]) { for item in items { noteSent(item) } }

    package mutating func noteUnsent(_ items: [Item]) { for item in items { noteUnsent(item) } }
}

extension Outbox where Queue == FoxgloveQueue {
    /// Tells the time, unless messages that wait will.
    func offer(time: Int64) async {
        guard isIdle, queue.isEmpty, time > queue.lastTime ?? .min else { return }
        await offer(FoxgloveQueue.Item(.time(time)))
    }

    /// Takes back the messages that wait: what comes is of another place.
    ///
    /// - Parameter isTold: True if a state that tells of the seek follows; the time goes back there.
    func forgetMessages(isTold: Bool) {
        queue.withdrawMessages()
        if !isTold { queue.lastTime = nil }
        wake()
    }

    /// Takes back what waits for a subscription that has ended.
    func forget(subscription: UInt32) {
        queue.withdraw(subscription: subscription)
        wake()
    }
}
