import Files
package import NIOCore

/// An ``OutgoingQueue`` whose producers wait for room and whose consumer waits for messages.
package actor QueueActor {
    private let eventLoop: any EventLoop
    private var queue: OutgoingQueue
    /// The waiting producers, in the order of arrival.
    private var producers: [Producer] = []
    private var consumer: Consumer?
    private var nextWaiterID = 0
    private var isFinished = false
    private var failure: (any Error)?
    /// The total time that producers have waited for room.
    private(set) var waitedNanoseconds: Int64 = 0

    /// A producer whose item waits for room.
    private struct Producer {
        var id: Int
        var item: OutgoingQueue.Item
        var continuation: CheckedContinuation<Void, any Error>
    }

    private struct Consumer {
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

    /// Queues an item, waiting for room; throws the error given to ``fail(_:)``, or `CancellationError`.
    package func put(_ item: OutgoingQueue.Item) async throws {
        try Task.checkCancellation()
        if let failure { throw failure }
        // Producers that already wait go first.
        if producers.isEmpty, queue.offer(item) { return wakeConsumer() }
        let start = MonotonicClock.nowNanoseconds()
        defer { waitedNanoseconds &+= MonotonicClock.nowNanoseconds() &- start }
        try await waitAsProducer(of: item)
    }

    /// Returns the next item, waiting for one; `nil` once the queue is finished and empty, or the task is cancelled.
    package func take() async -> OutgoingQueue.Item? {
        while !Task.isCancelled {
            if let item = queue.next(nowNanoseconds: MonotonicClock.nowNanoseconds()) {
                admitProducers()
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

    /// Makes all current and future producers fail.
    func fail(_ error: any Error) {
        failure = error
        for producer in producers { producer.continuation.resume(throwing: error) }
        producers = []
    }

    /// Puts items that have to be sent again back at the front.
    func putBack(_ items: [OutgoingQueue.Item]) {
        queue.putBack(items)
        wakeConsumer()
    }

    /// Drops bulk messages that are too old after an interruption.
    func dropStale() {
        queue.dropStale(nowNanoseconds: MonotonicClock.nowNanoseconds())
        admitProducers()
    }

    private func wakeConsumer() {
        consumer?.continuation.resume()
        consumer = nil
    }

    /// Queues the items of waiting producers in order, as far as there is room.
    private func admitProducers() {
        while let first = producers.first, queue.offer(first.item) {
            producers.removeFirst()
            first.continuation.resume()
            wakeConsumer()
        }
    }

    private func waitAsProducer(of item: OutgoingQueue.Item) async throws {
        let id = makeWaiterID()
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                producers.append(Producer(id: id, item: item, continuation: continuation))
            }
        } onCancel: {
            Task { await self.cancel(id) }
        }
    }

    private func waitAsConsumer() async {
        let id = makeWaiterID()
        await withTaskCancellationHandler {
            await withCheckedContinuation { consumer = Consumer(id: id, continuation: $0) }
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
            producers.remove(at: index).continuation.resume(throwing: CancellationError())
            admitProducers()
        } else if let waiter = consumer, waiter.id == id {
            consumer = nil
            waiter.continuation.resume()
        }
    }
}
