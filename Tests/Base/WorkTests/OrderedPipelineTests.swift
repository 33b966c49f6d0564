import Platform
import Synchronization
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(1))) struct OrderedPipelineTests {
    struct Failure: Error, Equatable {
        var stage: String
    }

    /// Work of a length that differs from item to item.
    private static func work(_ item: Int) -> Int {
        var numbers = SeededRandomNumbers(seed: UInt64(item))
        return (0..<Int(numbers.next() % 3000)).reduce(item &* 7) { $0 &* 31 &+ $1 }
    }

    private func run(
        _ count: Int,
        workers: Int,
        window: Int,
        failingStage: String? = nil
    ) async -> (delivered: [Int], largestWindow: Int, error: (any Error)?) {
        var next = 0
        var delivered: [Int] = []
        var largest = 0
        do {
            try await forEachOrdered(workers: workers, window: window) { () async throws -> Int? in
                if failingStage == "next", next == 17 { throw Failure(stage: "next") }
                guard next < count else { return nil }
                next += 1
                largest = max(largest, next - delivered.count)
                return next - 1
            } makeWorker: {
                Int.self
            } transform: { _, item throws in
                if failingStage == "transform", item == 17 { throw Failure(stage: "transform") }
                return Self.work(item)
            } deliver: { output in
                if failingStage == "deliver", delivered.count == 17 { throw Failure(stage: "deliver") }
                delivered.append(output)
            }
        } catch {
            return (delivered, largest, error)
        }
        return (delivered, largest, nil)
    }

    @Test(arguments: [1, 2, 5], [1, 4, 16])
    func sameOrderForAnyNumberOfWorkers(workers: Int, window: Int) async {
        let result = await run(400, workers: workers, window: window)
        #expect(result.error == nil)
        #expect(result.delivered == (0..<400).map { Self.work($0) })
        #expect(result.largestWindow <= max(window, workers))
    }

    @Test(arguments: [0, 1, 3], [1, 4])
    func fewItems(count: Int, workers: Int) async {
        let result = await run(count, workers: workers, window: 8)
        #expect(result.delivered.count == count && result.error == nil)
    }

    @Test(arguments: ["next", "transform", "deliver"], [1, 2, 5])
    func errorsEndItAfterWhatCameBefore(stage: String, workers: Int) async throws {
        let result = await run(100, workers: workers, window: 6, failingStage: stage)
        #expect(result.error as? Failure == Failure(stage: stage))
        #expect(result.delivered == (0..<result.delivered.count).map { Self.work($0) })
        // An error of reading may overtake what is under way; the others come in their turn.
        #expect(stage == "next" ? result.delivered.count <= 17 : result.delivered.count == 17)
    }

    @Test(arguments: [1, 3])
    func cancellationEndsIt(workers: Int) async throws {
        let (started, signal) = AsyncStream.makeStream(of: Int.self)
        let task = Task {
            var count = 0
            try await forEachOrdered(workers: workers, window: 4) { () async throws -> Int? in
                count += 1
                return count
            } makeWorker: {
                0
            } transform: { _, item throws in
                item
            } deliver: { output in
                signal.yield(output)
                if output == 5 { try await Task.sleep(for: .seconds(3600)) }
            }
        }
        for await output in started where output == 5 { break }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    /// A worker is made once for each task, and never used by two at a time.
    @Test func workersAreTheirOwn() async throws {
        final class Worker {
            var busy = 0
        }
        let made = Mutex(0)
        let overlaps = Mutex(0)
        var next = 0
        try await forEachOrdered(workers: 3, window: 9) { () async throws -> Int? in
            next += 1
            return next <= 300 ? next : nil
        } makeWorker: {
            made.withLock { $0 += 1 }
            return Worker()
        } transform: { worker, item throws in
            worker.busy += 1
            if worker.busy != 1 { overlaps.withLock { $0 += 1 } }
            let result = Self.work(item)
            worker.busy -= 1
            return result
        } deliver: { _ in
        }
        #expect(made.withLock { $0 } == 3)
        #expect(overlaps.withLock { $0 } == 0)
    }

    @Test("results of numbers are in their order", arguments: [1, 2, 7, Int.max])
    func numbers(workers: Int) async {
        for count in [0, 1, 2, 100] {
            let results = await mapOrdered(count, workers: workers) { Self.work($0) }
            #expect(results == (0..<count).map { Self.work($0) })
        }
        let mostAtOnce = Mutex((now: 0, most: 0))
        _ = await mapOrdered(40, workers: workers) { number in
            mostAtOnce.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
            await Task.yield()
            mostAtOnce.withLock { $0.now -= 1 }
        }
        #expect(mostAtOnce.withLock { $0.most } <= workers)
    }
}
