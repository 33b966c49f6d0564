/// Maps items in parallel and delivers the results in the order of the items, with a bounded number under way.
///
/// With one worker everything runs in the caller's task, one item after the other. With more, each worker is a task
/// with its own state (made by `makeWorker`, so buffers can be used again without locks); `next` and `deliver` stay in
/// the caller's task. While `deliver` waits, the window is prepared ahead. The order of results never depends on the
/// number of workers.
package func forEachOrdered<Item: Sendable, Output: Sendable, Worker>(
    workers: Int,
    window: Int,
    next: () async throws -> Item?,
    makeWorker: @Sendable @escaping () -> Worker,
    transform: @Sendable @escaping (Worker, Item) throws -> Output,
    deliver: (Output) async throws -> Void
) async throws {
    guard workers > 1 else {
        let worker = makeWorker()
        while let item = try await next() {
            try Task.checkCancellation()
            try await deliver(transform(worker, item))
        }
        return
    }
    let jobs = JobQueue<Item, Output>()
    try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<workers {
            group.addTask {
                let worker = makeWorker()
                while let (number, item) = await jobs.take() {
                    let result = Result { try transform(worker, item) }
                    await jobs.finish(number, result)
                }
            }
        }
        do {
            try await feed(jobs, window: max(window, workers), next: next, deliver: deliver)
        } catch {
            await jobs.close()
            throw error
        }
        await jobs.close()
    }
}

private func feed<Item: Sendable, Output: Sendable>(
    _ jobs: JobQueue<Item, Output>,
    window: Int,
    next: () async throws -> Item?,
    deliver: (Output) async throws -> Void
) async throws {
    var added = 0
    var delivered = 0
    var isAtEnd = false
    while true {
        while !isAtEnd, added - delivered < window {
            try Task.checkCancellation()
            if let item = try await next() {
                await jobs.add(item, number: added)
                added += 1
            } else {
                isAtEnd = true
            }
        }
        guard delivered < added else { return }
        try await deliver(jobs.result(delivered))
        delivered += 1
    }
}

/// The items waiting for a worker and the results waiting for their turn.
private actor JobQueue<Item: Sendable, Output: Sendable> {
    private var items: [(Int, Item)] = []
    private var idle: [CheckedContinuation<(Int, Item)?, Never>] = []
    private var results: [Int: Result<Output, any Error>] = [:]
    private var waiting: (number: Int, continuation: CheckedContinuation<Result<Output, any Error>, Never>)?
    private var isClosed = false

    func add(_ item: Item, number: Int) {
        if let worker = idle.popLast() {
            worker.resume(returning: (number, item))
        } else {
            items.append((number, item))
        }
    }

    func take() async -> (Int, Item)? {
        if isClosed { return nil }
        if !items.isEmpty { return items.removeFirst() }
        return await withCheckedContinuation { idle.append($0) }
    }

    func finish(_ number: Int, _ result: Result<Output, any Error>) {
        if let waiting, waiting.number == number {
            self.waiting = nil
            waiting.continuation.resume(returning: result)
        } else {
            results[number] = result
        }
    }

    func result(_ number: Int) async throws -> Output {
        if let ready = results.removeValue(forKey: number) { return try ready.get() }
        return try await withCheckedContinuation { waiting = (number, $0) }.get()
    }

    /// Ends the workers; items that no worker has begun are dropped.
    func close() {
        isClosed = true
        items.removeAll()
        for worker in idle { worker.resume(returning: nil) }
        idle.removeAll()
    }
}

/// Maps the numbers below `count` in parallel; the results are in their order.
///
/// - Parameter workers: how many are mapped at a time; with one everything runs in the caller's task.
package func mapOrdered<Output: Sendable>(
    _ count: Int,
    workers: Int = .max,
    _ transform: @Sendable @escaping (Int) async -> Output
) async -> [Output] {
    guard workers > 1, count > 1 else {
        var results: [Output] = []
        for index in 0..<max(0, count) { results.append(await transform(index)) }
        return results
    }
    return await withTaskGroup(of: (Int, Output).self) { group in
        var results = [Output?](repeating: nil, count: count)
        var started = 0
        func start() {
            guard started < count else { return }
            let index = started
            started += 1
            group.addTask { (index, await transform(index)) }
        }
        for _ in 0..<min(workers, count) { start() }
        while let (index, result) = await group.next() {
            results[index] = result
            start()
        }
        return results.compactMap { $0 }
    }
}
