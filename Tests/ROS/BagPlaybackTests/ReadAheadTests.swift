import Bags
import Messages
import Playback
import Testing

/// Reading runs ahead of a slow sink, by a bounded amount.
@Suite("Reading ahead", .timeLimit(.minutes(1)))
struct ReadAheadTests {
    @Test("thousands of messages at one time are one moment, and all are there")
    func oneTime() async throws {
        var bag = try TestBag()
        bag.add("/text", StringMessage.self)
        for index in 0..<3000 { bag.append("/text", 0, text: "\(index)") }
        bag.append("/text", 1, text: "last")
        try await bag.write()
        let control = PlaybackControl(startsPaused: true, rate: 1)
        await control.apply(.step(1))
        let sink = ListSink { _, count in
            if count == 3000 { await control.apply(.quit) }
        }
        let report = try await bag.play(into: sink, control: control) { $0.playback.rate = 1 }
        // One step is the whole moment.
        #expect(await sink.texts == (0..<3000).map { "\($0)" })
        #expect(report.playback.failure == nil)
    }

    @Test("a cancelled replay ends", arguments: [1, 500])
    func cancelled(after count: Int) async throws {
        var bag = try TestBag()
        bag.add("/text", StringMessage.self)
        for index in 0..<20_000 { bag.append("/text", Int64(index), text: "\(index)") }
        try await bag.write()
        let made = bag
        let (stream, continuation) = AsyncStream<Void>.makeStream()
        let sink = ListSink { _, number in
            if number == count { continuation.yield() }
            if number > count { try await Task.sleep(for: .seconds(60)) }
        }
        let run = Task { try await made.play(into: sink) }
        for await _ in stream { break }
        run.cancel()
        let report = try await run.value
        #expect(report.playback.wasInterrupted)
        #expect(await sink.messages.count <= count + 1)
    }
}
