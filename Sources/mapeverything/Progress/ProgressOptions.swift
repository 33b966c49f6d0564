import ArgumentParser
import Dispatch
import Platform
import Text

/// How a command shows how far it is: the same for all.
struct ProgressOptions: ParsableArguments, Sendable {
    enum Form: String, Choice, Sendable {
        case auto, json, off
    }

    @Option(
        name: .customLong("progress"),
        help: .rare(
            "Progress on standard error: auto (one line on a terminal), json (one line each second) or off.",
            "form"
        )
    )
    var form = Form.auto

    @Flag(name: .shortAndLong, help: "Print nothing unless something is wrong.") var quiet = false

    @Flag(name: .shortAndLong, help: .rare("Print tables on a terminal with all their columns."))
    var verbose = false

    var isShown: Bool { !quiet && (form == .json || form == .auto && Terminal.isErrorInteractive) }

    /// Runs work that tells how far it is and that the first interrupt cancels; shows it meanwhile, if it takes long.
    ///
    /// - Parameters:
    ///   - command: as it is called, such as `tags map`.
    ///   - endsAtOnce: true to end the process at the first interrupt instead.
    ///   - isComplete: true if work that threw nothing did all that it was to do.
    func run<Result: Sendable>(
        _ command: String,
        endsAtOnce: Bool = false,
        isComplete: @escaping @Sendable (Result) -> Bool = { _ in true },
        _ work: @escaping @Sendable (@escaping ProgressHandler) async throws -> Result
    ) async throws -> Result {
        guard isShown else { return try await Signals.cancelling(endsAtOnce: endsAtOnce) { try await work { _ in } } }
        let display = ProgressDisplay.shared
        display.begin(command, isForPrograms: form == .json)
        do {
            let result = try await Signals.cancelling(endsAtOnce: endsAtOnce) {
                try await work { display.tell($0) }
            }
            display.end(isComplete: isComplete(result))
            return result
        } catch {
            display.end(isComplete: false)
            throw error
        }
    }
}

/// The line of progress of the one command that runs, and the last word on when it may be seen.
///
/// On a terminal it is one line, which comes after a second and is replaced some times a second; whatever else is
/// printed takes its place. For programs it is an object a line, each second and at the end. It lives on a queue of its
/// own: it is on time also while workers take every thread.
actor ProgressDisplay {
    static let shared = ProgressDisplay()

    /// The details that are shown beside the progress.
    struct Addition: Sendable {
        var text = ""
        var members: [(String, JSONValue)] = []
        /// Under which other name programs find the rate, too.
        var rateName: String?
        /// True if the work waits for a command, so that the time left is unknown.
        var isPaused = false
    }

    private struct Run {
        var command: String
        var isForPrograms: Bool
        var meter: ProgressMeter
        var addition = Addition()
        var timer: any DispatchSourceTimer
    }

    private nonisolated let executor = QueueExecutor("mapeverything.progress")
    private let clock = ContinuousClock()
    private let start = ContinuousClock().now
    private var run: Run?
    private var isLineShown = false

    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

    // MARK: - What commands call

    nonisolated func begin(_ command: String, isForPrograms: Bool) {
        executor.queue.sync { assumeIsolated { $0.startRun(command, isForPrograms) } }
    }

    /// Takes how far it is, without waiting.
    nonisolated func tell(_ work: WorkProgress) {
        executor.queue.async { self.assumeIsolated { $0.note(work, nil) } }
    }

    /// Takes how far a player is, which may go back.
    nonisolated func tell(_ work: WorkProgress, _ addition: Addition) {
        executor.queue.async { self.assumeIsolated { $0.note(work, addition) } }
    }

    /// Ends the line; everything that was told before counts.
    nonisolated func end(isComplete: Bool) {
        executor.queue.sync { assumeIsolated { $0.endRun(isComplete) } }
    }

    /// Writes something else to the terminal, in place of the line.
    nonisolated func aside<Result: Sendable>(_ write: @Sendable () -> Result) -> Result {
        executor.queue.sync {
            assumeIsolated { $0.wipe() }
            return write()
        }
    }

    // MARK: - On the queue

    private var now: Double { start.duration(to: clock.now) / .seconds(1) }

    private func startRun(_ command: String, _ isForPrograms: Bool) {
        run?.timer.cancel()
        let timer = DispatchSource.makeTimerSource(queue: executor.queue)
        timer.schedule(
            deadline: .now() + .seconds(1),
            repeating: isForPrograms ? .seconds(1) : .milliseconds(250),
            leeway: .milliseconds(20)
        )
        timer.setEventHandler { self.assumeIsolated { $0.tick() } }
        run = Run(command: command, isForPrograms: isForPrograms, meter: ProgressMeter(at: now), timer: timer)
        timer.resume()
    }

    private func note(_ work: WorkProgress, _ addition: Addition?) {
        run?.meter.note(work, mayGoBack: addition != nil)
        if let addition { run?.addition = addition }
    }

    private func tick() {
        guard var reading = run?.meter.measure(at: now), let run else { return }
        if run.addition.isPaused { reading.secondsLeft = nil }
        if run.isForPrograms {
            write(reading, of: run)
        } else {
            let text = [reading.text, run.addition.text].filter { !$0.isEmpty }.joined(separator: "  ").asOneLine
            Terminal.replaceLine(ProgressMeter.Reading.fitted(text, columns: Terminal.errorColumns))
            isLineShown = true
        }
    }

    private func endRun(_ isComplete: Bool) {
        wipe()
        guard let run else { return }
        run.timer.cancel()
        if run.isForPrograms, let reading = run.meter.last(isComplete: isComplete, at: now) { write(reading, of: run) }
        self.run = nil
    }

    private func write(_ reading: ProgressMeter.Reading, of run: Run) {
        var members = reading.members(command: run.command) + run.addition.members
        if let name = run.addition.rateName { members.append((name, .number(reading.rate))) }
        Terminal.writeErrorLine(JSONValue.object(members).text())
    }

    private func wipe() {
        guard isLineShown else { return }
        Terminal.replaceLine("")
        isLineShown = false
    }
}

/// Runs an actor on a queue, which code that must not wait for an actor's turn can use too.
final class QueueExecutor: SerialExecutor {
    let queue: DispatchQueue

    init(_ label: String) { queue = DispatchQueue(label: label) }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }

    func checkIsolated() { dispatchPrecondition(condition: .onQueue(queue)) }
}
