/// An actor whose tasks wait for changes of its state: those of the publisher, of the probe, and of sinks.
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
