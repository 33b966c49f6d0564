package import NIOCore
import Platform

/// The policy of an ``Outbox``: it decides what is sent next, what is dropped, and which producer has to wait.
package protocol OutboxQueue: Sendable {
    associatedtype Item: Sendable
    /// The items that the consumer takes at once.
    associatedtype Batch: Sendable

    /// Queues an item, dropping others where that is the policy; returns false if its producer must wait for room.
    ///
    /// An empty queue takes anything.
    mutating func offer(_ item: Item) -> Bool
    /// True if an item goes past producers that wait; ``offer(_:)`` takes it always.
    func isUrgent(_ item: Item) -> Bool
    /// Removes the batch that is sent next; nil if nothing waits.
    mutating func next(nowNanoseconds: Int64) -> Batch?
    /// True if so much waits of what is never dropped that the consumer must be taken for dead.
    var isOverrun: Bool { get }
    /// Counts an item that was not queued, as its producer was cancelled or the outbox had ended.
    mutating func noteUnsent(_ item: Item)
    /// Gives up all that waits.
    mutating func giveUp()
}

extension OutboxQueue {
    package func isUrgent(_ item: Item) -> Bool { false }
    package var isOverrun: Bool { false }
    package mutating func noteUnsent(_ item: Item) {}
    package mutating func giveUp() {}
}

/// The one queue between producers and a connection: many producers wait for room, one consumer waits for items.
///
/// Producers wait in the order of arrival, and a cancelled one waits no longer.
package actor Outbox<Queue: OutboxQueue> {
    private let eventLoop: any EventLoop
    /// Call ``wake()`` after a change that makes room or adds something.
    package var queue: Queue
    /// The waiting producers, in the order of arrival.
    private var producers: [Producer] = []
    private var consumer: Consumer?
    private var nextWaiterID = 0
    private var isFinished = false
    private var failure: (any Error)?
    /// The total time that producers have waited for room.
    private(set) var waitedNanoseconds: Int64 = 0
    /// True if it was ended because of what ``OutboxQueue/isOverrun`` says.
    package private(set) var wasOverrun = false
    /// Grows with each batch that the consumer takes.
    package private(set) var takenCount = 0

    /// A producer whose item waits for room.
    private struct Producer {
        var id: Int
        var item: Queue.Item
        var continuation: CheckedContinuation<Void, any Error>
    }

    private struct Consumer {
        var id: Int
        var continuation: CheckedContinuation<Void, Never>
    }

    package init(_ queue: Queue, eventLoop: any EventLoop) {
        self.queue = queue
        self.eventLoop = eventLoop
    }

    /// Runs where the connection is: an item costs no change of threads.
    package nonisolated var unownedExecutor: UnownedSerialExecutor { eventLoop.executor.asUnownedSerialExecutor() }

    /// Producers that wait for room.
    package var waitingProducers: Int { producers.count }
    /// True if everything was taken, and the consumer waits for more.
    package var isIdle: Bool { consumer != nil }

    /// Queues an item, waiting for room; throws the error given to ``fail(_:)``, or `CancellationError`.
    package func put(_ item: Queue.Item) async throws {
        try Task.checkCancellation()
        if let failure { throw failure }
        // Producers that already wait go first.
        if producers.isEmpty || queue.isUrgent(item), queue.offer(item) {
            if queue.isOverrun {
                wasOverrun = true
                finish(droppingRest: true)
            }
            return wakeConsumer()
        }
        let start = MonotonicClock.nowNanoseconds()
        defer { waitedNanoseconds &+= MonotonicClock.nowNanoseconds() &- start }
        try await waitAsProducer(of: item)
    }

    /// Queues an item, or has it counted where that fails.
    package func offer(_ item: Queue.Item) async {
        do { try await put(item) } catch { queue.noteUnsent(item) }
    }

    /// Returns what is next, waiting for it; `nil` once the queue is finished and empty, or the task is cancelled.
    package func take() async -> Queue.Batch? {
        while !Task.isCancelled {
            if let batch = queue.next(nowNanoseconds: MonotonicClock.nowNanoseconds()) {
                takenCount &+= 1
                admitProducers()
                return batch
            }
            guard !isFinished else { return nil }
            await waitAsConsumer()
        }
        return nil
    }

    /// Lets the consumer end once the queue is empty; what waits is still sent, unless it is dropped.
    package func finish(droppingRest: Bool = false) {
        isFinished = true
        if droppingRest {
            queue.giveUp()
            fail(CancellationError())
        }
        wakeConsumer()
    }

    /// Makes all current and future producers fail.
    package func fail(_ error: any Error) {
        failure = error
        for producer in producers { producer.continuation.resume(throwing: error) }
        producers = []
    }

    /// Looks again at who can go on, after a change of the queue.
    package func wake() {
        admitProducers()
        wakeConsumer()
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

    private func waitAsProducer(of item: Queue.Item) async throws {
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

// What the publisher asks of its own.
extension Outbox where Queue == OutgoingQueue {
    /// Puts items that have to be sent again back at the front.
    func putBack(_ items: [OutgoingQueue.Item]) {
        queue.putBack(items)
        wake()
    }

    /// Prepares for what has waited during an interruption.
    func dropStale() {
        queue.dropStale(nowNanoseconds: MonotonicClock.nowNanoseconds())
        wake()
    }
}

/// An actor whose tasks wait for changes of its state: those of the publisher and of sinks.
///
/// A change of the state is followed by ``wake()``: all waiting tasks look at their condition again.
package protocol WaitingActor: Actor {
    var waiters: [CheckedContinuation<Void, Never>] { get set }
}

extension WaitingActor {
    /// Suspends until a condition holds, or the task is cancelled.
    package func wait(until isDone: @Sendable (isolated Self) -> Bool) async {
        while !isDone(self), !Task.isCancelled {
            await withTaskCancellationHandler {
                await withCheckedContinuation { waiters.append($0) }
            } onCancel: {
                Task { await self.wake() }
            }
        }
    }

    /// Suspends until a condition holds; returns false on timeout, and throws if the task is cancelled.
    package func wait(_ timeout: Duration, until isDone: @Sendable (isolated Self) -> Bool) async throws -> Bool {
        let deadline = ContinuousClock.now + timeout
        let timer = Task {
            try? await Task.sleep(until: deadline)
            self.wake()
        }
        defer { timer.cancel() }
        await wait { isDone($0) || ContinuousClock.now >= deadline }
        try Task.checkCancellation()
        return isDone(self)
    }

    package func wake() {
        let all = waiters
        waiters = []
        for waiter in all { waiter.resume() }
    }
}
