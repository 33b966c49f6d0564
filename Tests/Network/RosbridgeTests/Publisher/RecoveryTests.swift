import Rosbridge
import Testing

@Suite("ReconnectState")
struct RecoveryTests {
    private let server = "ws://robot:9090"
    private let second: Int64 = 1_000_000_000

    private func lost() -> RosbridgeError {
        RosbridgeError(server, .lost, "expected an open connection, found it closed")
    }

    private func refused() -> RosbridgeError { RosbridgeError(server, .connect, "expected a connection, found none") }

    private func ready(_ options: PublisherOptions = PublisherOptions()) -> ReconnectState {
        var recovery = ReconnectState(options, nowNanoseconds: 0)
        recovery.noteReady()
        return recovery
    }

    @Test("the first connection is not tried again, unless a recorder is waited for")
    func start() {
        var random = SeededRandomness()
        var recovery = ReconnectState(PublisherOptions(), nowNanoseconds: 0)
        #expect(recovery.decide(.init(error: refused(), nowNanoseconds: 0), using: &random) == .giveUp(refused()))
        var patient = ReconnectState(
            PublisherOptions { $0.waitForRecorder = .seconds(5) },
            nowNanoseconds: 100 * second
        )
        var time = 100 * second
        var attempts = 0
        while true {
            let decision = patient.decide(.init(error: refused(), nowNanoseconds: time), using: &random)
            guard case .retry(let delay) = decision else {
                guard case .giveUp(let error) = decision else {
                    Issue.record("\(decision)")
                    return
                }
                #expect(error.problem == "expected a connection, found none (waited 5 s for the server)")
                break
            }
            attempts += 1
            time += Int64(delay * 1e9) + 1
            #expect(time <= 105 * second + 10)
        }
        #expect(time >= 105 * second && attempts >= 4 && attempts < 10)
    }

    @Test("what cannot get better is not waited for")
    func hopeless() {
        var random = SeededRandomness()
        var patient = ReconnectState(PublisherOptions { $0.waitForRecorder = .seconds(5) }, nowNanoseconds: 0)
        let denied = RosbridgeError(server, .handshake, "expected 101, found 401", status: 401)
        #expect(patient.decide(.init(error: denied, nowNanoseconds: 0), using: &random) == .giveUp(denied))
        var recovery = ready()
        #expect(recovery.decide(.init(error: denied, nowNanoseconds: 0), using: &random) == .giveUp(denied))
        var off = ready(PublisherOptions { $0.reconnect = nil })
        #expect(off.decide(.init(error: lost(), nowNanoseconds: 0), using: &random) == .giveUp(lost()))
    }

    @Test("a lost connection is tried again almost at once, then later each time, until the time is over")
    func backOff() {
        var random = SeededRandomness()
        var recovery = ready()
        var time: Int64 = 0
        var delays: [Double] = []
        var last: RosbridgeError?
        var error = lost()
        while last == nil {
            switch recovery.decide(.init(error: error, nowNanoseconds: time), using: &random) {
            case .retry(let delay):
                delays.append(delay)
                time += Int64(delay * 1e9) + second / 1000
            case .giveUp(let error): last = error
            }
            error = refused()
        }
        #expect(delays[0] <= 0.05 && delays[1] >= 0.25 && delays[1] <= 0.5 && delays[5] >= 4 && delays[5] <= 8)
        #expect(time >= 60 * second && time < 61 * second)
        #expect(last?.stage == .lost && last?.problem.contains("tried for 60 s") == true)
        #expect(last?.problem.contains("expected a connection, found none") == true)
    }

    @Test("time and patience begin again after a connection that achieved something")
    func fruitful() {
        var random = SeededRandomness()
        var recovery = ready()
        for number in 0..<100 {
            let loss = ReconnectState.Loss(
                error: lost(),
                hasSent: true,
                wasFruitful: true,
                nowNanoseconds: Int64(number) * 50 * second
            )
            guard case .retry(let delay) = recovery.decide(loss, using: &random) else {
                Issue.record("given up after \(number)")
                return
            }
            #expect(delay <= 0.05)
        }
    }

    @Test("a message over which every connection is lost is named when the time is over")
    func poison() {
        var random = SeededRandomness()
        var recovery = ready()
        var time: Int64 = 0
        for count in 1... {
            let loss = ReconnectState.Loss(
                error: lost(),
                hasSent: true,
                largestFrame: 900_000,
                message: "a message of /cloud of 900000 bytes",
                nowNanoseconds: time
            )
            let decision = recovery.decide(loss, using: &random)
            // A server that does not say what is too large for it may take less.
            #expect((recovery.frameLimit < 1_000_000) == (count >= 4))
            guard case .retry(let delay) = decision else {
                guard case .giveUp(let error) = decision else {
                    Issue.record("\(decision)")
                    return
                }
                #expect(count > 20 && time >= 60 * second && error.problem.contains("lost \(count) times"))
                #expect(error.problem.contains("/cloud of 900000 bytes"))
                #expect(error.advice?.contains("--max-message-size") == true)
                return
            }
            // The server is there: there is no point in waiting for half a minute.
            #expect(delay <= 2)
            time += Int64(delay * 1e9) + second / 1000
        }
    }

    @Test("after a 1009 frames are halved, until that makes no sense")
    func tooBig() {
        var random = SeededRandomness()
        var recovery = ready()
        let error = RosbridgeError(server, .closed, "expected an open connection, found it closed", closeCode: 1009)
        var limits: [Int] = []
        while true {
            let loss = ReconnectState.Loss(
                error: error,
                hasSent: true,
                largestFrame: recovery.frameLimit,
                nowNanoseconds: 0
            )
            let decision = recovery.decide(loss, using: &random)
            guard case .retry(let delay) = decision else {
                #expect(decision == .giveUp(error))
                break
            }
            #expect(delay == 0)
            limits.append(recovery.frameLimit)
        }
        #expect(limits == [500_000, 250_000, 125_000, 62_500, 31_250])
        var whole = ready(PublisherOptions { $0.allowsFragments = false })
        let loss = ReconnectState.Loss(error: error, hasSent: true, largestFrame: 900_000, nowNanoseconds: 0)
        #expect(whole.decide(loss, using: &random) == .giveUp(error))
    }

    @Test("a server that says when to come back is believed")
    func retryAfter() {
        var random = SeededRandomness()
        var recovery = ready()
        var busy = RosbridgeError(server, .handshake, "expected 101, found 503", status: 503)
        busy.retryAfterSeconds = 7
        #expect(
            recovery.decide(.init(error: busy, nowNanoseconds: 0), using: &random) == .retry(afterSeconds: 7)
        )
    }
}

@Suite("Confirmation window")
struct ConfirmationWindowTests {
    @Test("grows while answers are quick and what it allows is used")
    func growth() {
        var window = ConfirmationWindow(maximumBytes: 4_000_000)
        let start = window.messages
        for _ in 0..<10 { window.noteAnswer(afterNanoseconds: 1_000_000, bytes: window.bytes, messages: 1) }
        #expect(window.bytes == 4_000_000 && window.messages == start)
        for _ in 0..<3 { window.noteAnswer(afterNanoseconds: 1_000_000, bytes: 1, messages: window.messages) }
        #expect(window.messages == start * 8)
    }

    @Test("shrinks when the server needs long, down to a message at a time")
    func shrinking() {
        var window = ConfirmationWindow(maximumBytes: 4_000_000)
        for _ in 0..<40 { window.noteAnswer(afterNanoseconds: 10_000_000_000, bytes: 1, messages: 1) }
        #expect(window.bytes == 1 && window.messages == 1)
        #expect(ConfirmationWindow(maximumBytes: 1000, isCautious: true).messages == 1)
        // Where silence is taken for death early, answers have to come earlier still.
        var strict = ConfirmationWindow(maximumBytes: 1000, timeoutNanoseconds: 400_000_000)
        let start = strict.messages
        strict.noteAnswer(afterNanoseconds: 80_000_000, bytes: 1000, messages: start)
        #expect(strict.messages == start)
        strict.noteAnswer(afterNanoseconds: 120_000_000, bytes: 1000, messages: start)
        #expect(strict.messages == start / 2)
    }
}
