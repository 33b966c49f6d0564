import Messages
import Playback
import Testing

/// A sink that finishes only when it is told to hurry.
private actor PatientSink: MessageSink {
    private var waiting: CheckedContinuation<Void, Never>?
    private(set) var isFinishing = false
    private var isHurried = false

    func open(_ topics: [Topic]) async throws {}
    func write(_ message: StampedMessage) async throws {}
    func report() -> SinkReport { SinkReport(topics: [.init(name: "all", written: 1)]) }

    func finish() async throws -> SinkReport {
        isFinishing = true
        if !isHurried { await withCheckedContinuation { waiting = $0 } }
        throw CancellationError()
    }

    func hurry() {
        isHurried = true
        waiting?.resume()
        waiting = nil
    }
}

@Suite("An interrupt at the end", .timeLimit(.minutes(1)))
struct HurryTests {
    @Test("hurries sinks, which then end without an error; those behind them are finished", arguments: [true, false])
    func hurries(whileFinishing: Bool) async throws {
        let (sink, list) = (PatientSink(), ListSink())
        let playing = Task {
            let options = PlaybackOptions()
            return await Player(ScriptedSource([0, 1]), options: options, sinks: [sink, list]).run()
        }
        if whileFinishing {
            while await !sink.isFinishing { try await Task.sleep(for: .milliseconds(5)) }
        }
        playing.cancel()
        let report = await playing.value
        #expect(report.wasInterrupted && report.failure == nil)
        #expect(report.sinks.count == 2)
        #expect(await list.finishCount == 1)
    }
}
