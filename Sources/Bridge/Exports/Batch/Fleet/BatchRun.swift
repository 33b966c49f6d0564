import Dispatch
package import Platform

/// Runs the units of a manifest on this machine.
package struct BatchRun: Sendable {
    /// The counts of the units by their outcome.
    package struct Tally: Sendable {
        package var made = 0
        package var alreadyDone = 0
        package var failures: [(unit: BatchUnit, failure: UnitFailure)] = []

        /// The exit status that tells an engine what to do: 0, 65 where nothing is to be tried again, 69 or 74.
        package var exitStatus: Int32 {
            let statuses = Set(failures.map(\.failure.exitStatus))
            return [74, 69, 65].first { statuses.contains($0) } ?? 0
        }
    }

    private let runner: UnitRun
    private let jobs: Int

    package init(_ runner: UnitRun, jobs: Int) {
        self.runner = runner
        self.jobs = jobs
    }

    /// - Parameter told: is told of each unit as it ends.
    package func run(
        _ units: [BatchUnit],
        progress: @escaping ProgressHandler,
        told: @escaping @Sendable (BatchUnit, UnitOutcome) -> Void
    ) async throws -> Tally {
        let queue = UnitQueue(units)
        runner.removeRemains()
        // Other runs of the same manifest may be killed meanwhile.
        defer { runner.removeRemains() }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<min(jobs, max(units.count, 1)) {
                group.addTask {
                    // A thread of its own, which may wait for a program; the program ends if the thread does.
                    let thread = DispatchQueue(label: "batch \(number)")
                    while let unit = try await queue.next() {
                        try Task.checkCancellation()
                        let outcome = await withCheckedContinuation { done in
                            thread.async { done.resume(returning: runner.run(unit)) }
                        }
                        if let ended = await queue.finish(unit, outcome) { told(unit, ended) }
                        await progress(WorkProgress("running", queue.endedCount, of: units.count, .steps))
                    }
                }
            }
            try await group.waitForAll()
        }
        return await queue.tally
    }
}

/// The units that are still to be run, and those that have ended.
private actor UnitQueue {
    private static let pause = Duration.milliseconds(200)

    private var waiting: [BatchUnit]
    private var position = 0
    /// Units that another run works on: they are looked at again when all others have ended.
    private var deferred: [BatchUnit] = []
    private(set) var tally = BatchRun.Tally()
    private(set) var endedCount = 0

    init(_ units: [BatchUnit]) { waiting = units }

    func next() async throws -> BatchUnit? {
        if position < waiting.count {
            position += 1
            return waiting[position - 1]
        }
        guard !deferred.isEmpty else { return nil }
        let unit = deferred.removeFirst()
        try await Task.sleep(for: Self.pause)
        return unit
    }

    /// - Returns: how the unit ended; nil where it is put off.
    func finish(_ unit: BatchUnit, _ outcome: UnitOutcome) -> UnitOutcome? {
        switch outcome {
        case .busy:
            deferred.append(unit)
            return nil
        case .done(let isNew): if isNew { tally.made += 1 } else { tally.alreadyDone += 1 }
        case .failed(let failure): tally.failures.append((unit, failure))
        }
        endedCount += 1
        return outcome
    }
}
