package import NIOCore

/// An ``OutgoingQueue`` whose producers wait for room and whose consumer waits for messages.
package actor QueueActor {
    private let eventLoop: any EventLoop
    private var queue: OutgoingQueue
    private var producers: [Waiter] = []
    private var consumer: Waiter?
    private var nextWaiterID = 0
    private var isFinished = false
    private var failure: (any Error)?
    /// How long producers have waited for room, in all.
    private(set) var waitedNanoseconds: Int64 = 0

    private struct Waiter {
        var id: Int
        var continuation: CheckedContinuation<Void, Never>
    }

    package init(_ queue: OutgoingQueue, eventLoop: any EventLoop) {
        self.queue = queue
        self.eventLoop = eventLoop
    }

    package nonisolated var unownedExecutor: UnownedSerialExecutor { eventLoop.executor.asUnownedSerialExecutor() }

    var byteCount: Int { queue.byteCount }
    var count: Int { queue.count }
    var droppedByTopic: [String: Int] { queue.droppedByTopic }
    var countByTopic: [String: Int] { queue.countByTopic }
    var abandonedByTopic: [String: Int] { queue.abandonedByTopic }
    var sentBeforeByTopic: [String: Int] { queue.sentBeforeByTopic }
    /// Producers that wait for room.
    package var waitingProducers: Int { producers.count }

    /// Queues an item, waiting for room; throws what ``fail(_:)`` was given, or if the task is cancelled.
    package func put(_ item: OutgoingQueue.Item) async throws {
        var hasWaited = false
        // Room may be left for the next one, also where this one was woken and gives up.
        defer { if hasWaited { wakeProducer() } }
        while true {
            try Task.checkCancellation()
            if let failure { throw failure }
            // Whoever came first is served first.
            if hasWaited || producers.isEmpty, queue.offer(item) { break }
            let start = MonotonicClock.nowNanoseconds()
            await waitAsProducer(atFront: hasWaited)
            waitedNanoseconds &+= MonotonicClock.nowNanoseconds() &- start
            hasWaited = true
        }
        wakeConsumer()
    }

    /// Returns the next item, waiting for one; `nil` once the queue is finished and empty, or the task is cancelled.
    package func take() async -> OutgoingQueue.Item? {
        while !Task.isCancelled {
            if let item = queue.next(nowNanoseconds: MonotonicClock.nowNanoseconds()) {
                wakeProducer()
                return item
            }
            guard !isFinished else { return nil }
            await waitAsConsumer()
        }
        return nil
    }

    /// Lets the consumer end once the queue is empty.
    func finish() {
        isFinished = true
        wakeConsumer()
    }

    /// Makes every producer fail, those that wait now and those to come.
    func fail(_ error: any Error) {
        failure = error
        for producer in producers { producer.continuation.resume() }
        producers = []
    }

    /// Puts back what has to be sent again, before everything else.
    func putBack(_ items: [OutgoingQueue.Item]) {
        queue.putBack(items)
        wakeConsumer()
    }

    /// Drops what is too old after an interruption.
    func dropStale() {
        queue.dropStale(nowNanoseconds: MonotonicClock.nowNanoseconds())
        wakeProducer()
    }

    private func wakeConsumer() {
        consumer?.continuation.resume()
        consumer = nil
    }

    private func wakeProducer() {
        guard !producers.isEmpty else { return }
        producers.removeFirst().continuation.resume()
    }

    private func waitAsProducer(atFront: Bool) async {
        let id = makeWaiterID()
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                producers.insert(Waiter(id: id, continuation: continuation), at: atFront ? 0 : producers.endIndex)
            }
        } onCancel: {
            Task { await self.cancel(id) }
        }
    }

    private func waitAsConsumer() async {
        let id = makeWaiterID()
        await withTaskCancellationHandler {
            await withCheckedContinuation { consumer = Waiter(id: id, continuation: $0) }
        } onCancel: {
            Task { await self.cancel(id) }
        }
    }

    private func makeWaiterID() -> Int {
        nextWaiterID += 1
        return nextWaiterID
    }

    private func cancel(_ id: Int) {
        if let index = producers.firstIndex(where: { $0.id == id }) {
            producers.remove(at: index).continuation.resume()
        } else if let waiter = consumer, waiter.id == id {
            consumer = nil
            waiter.continuation.resume()
        }
    }
}
