import Rosbridge
import Testing
import WebSocket

@Suite("The state of a transport")
struct TransportStateTests {
    private func message(_ count: Int) -> WebSocketMessage { .binary([UInt8](repeating: 1, count: count)) }

    @Test("the handshake opens, once", arguments: [false, true])
    func opens(isServer: Bool) throws {
        let pair = try TransportPair(isServer: isServer, isOpen: false)
        #expect(pair.takesRead() && !pair.takesRead())
        _ = pair.peerReceives()
        pair.stateReceives()
        _ = pair.peerReceives()
        let outcome = pair.outcome()
        #expect(outcome.isOpened && outcome.messages.isEmpty && !outcome.isEnded)
        #expect(pair.takesRead())
    }

    @Test("after a batch nothing is read until the receiver is done with it")
    func batches() throws {
        let pair = try TransportPair()
        pair.peer.send(message(100))
        pair.peer.send(message(200))
        pair.stateReceives()
        var outcome = pair.outcome()
        #expect(outcome.messages.map(\.payload.count) == [100, 200] && outcome.held == [300])
        #expect(!pair.takesRead())
        pair.state.take(.keep(50), number: nil)
        pair.state.resume(now: pair.now)
        #expect(pair.takesRead())
        pair.stateReceives()
        outcome = pair.outcome()
        #expect(outcome.messages.isEmpty && outcome.held == [50])
        #expect(pair.takesRead())
    }

    @Test("of compressed input no more is unpacked than a batch may have; the rest after it")
    func compressedBatches() throws {
        var options = TransportOptions { $0.limits = ConnectionLimits(bytes: 1_000) }
        options.compression = .zlib()
        let pair = try TransportPair(options)
        for _ in 0..<300 { pair.peer.send(message(900)) }
        pair.stateReceives()
        var counts = [pair.outcome().messages.count]
        while counts.last != 0, counts.count < 300 {
            #expect(!pair.takesRead())
            pair.state.resume(now: pair.now)
            counts.append(pair.outcome().messages.count)
        }
        #expect(counts.reduce(0, +) == 300 && counts.count > 3)
        // What is unpacked at once is full after four messages, but for the piece at hand.
        #expect(counts.allSatisfy { $0 < 100 })
        #expect(pair.takesRead())
    }

    @Test("a command is done when the socket has taken all up to its end")
    func commands() throws {
        let pair = try TransportPair()
        pair.state.take(.send(message(94)), number: 1)
        let first = pair.output().count
        pair.state.take(.send(message(100_000)), number: 2)
        pair.state.take(.send(message(100_000)), number: 3)
        pair.state.noteFlushed(first - 1, now: pair.now)
        #expect(pair.outcome().done.isEmpty)
        pair.state.noteFlushed(1, now: pair.now)
        #expect(pair.outcome().done == [1])
        let second = pair.output(atMost: 1).count
        #expect(second == 128 << 10)
        pair.state.noteFlushed(second, now: pair.now)
        #expect(pair.outcome().done == [2])
        pair.state.end()
        let outcome = pair.outcome()
        #expect(outcome.failed == [3] && outcome.isEnded && outcome.errors.map(\.stage) == [.lost])
        #expect(pair.output().isEmpty)
    }

    @Test("a pong ends the pings before it, and nothing else")
    func pings() throws {
        let pair = try TransportPair()
        pair.state.take(.ping, number: 4)
        pair.state.take(.ping, number: 5)
        pair.state.take(.ping, number: 6)
        _ = pair.peerReceives()
        pair.stateReceives()
        #expect(pair.outcome().done.last == 6)
        pair.state.take(.ping, number: 7)
        pair.state.end()
        #expect(pair.outcome().failed == [7])
    }

    @Test("silence after the request is a timeout, found by the tick")
    func silentServer() throws {
        let pair = try TransportPair(isOpen: false)
        pair.seconds = 9
        pair.state.tick(now: pair.now)
        #expect(!pair.outcome().isClosed)
        pair.seconds = 11
        pair.state.tick(now: pair.now)
        #expect(pair.outcome().isClosed)
        pair.state.receiveEOF(now: pair.now)
        // The end of the stream is what the timeout caused: the first error counts.
        let outcome = pair.outcome()
        #expect(outcome.isEnded && outcome.errors.map(\.stage) == [.timeout])
    }

    @Test("output that the socket does not take for long ends the connection as stalled")
    func stalledPeer() throws {
        let pair = try TransportPair()
        pair.state.take(.send(message(1_000)), number: 1)
        #expect(!pair.output().isEmpty)
        pair.seconds = 29
        pair.state.tick(now: pair.now)
        #expect(!pair.outcome().isClosed)
        pair.seconds = 31
        pair.state.tick(now: pair.now)
        #expect(pair.outcome().isClosed)
        pair.state.end()
        let outcome = pair.outcome()
        #expect(outcome.failed == [1] && outcome.errors.map(\.stage) == [.stalled, .stalled])
    }

    @Test("a peer that answers no ping is given up, but not while the receiver holds reading up")
    func silentPeer() throws {
        let pair = try TransportPair()
        for isPaused in [true, false] {
            if isPaused {
                pair.peer.send(message(1))
                pair.stateReceives()
            } else {
                pair.state.resume(now: pair.now)
                _ = pair.takesRead()
            }
            var isClosed = false
            for _ in 0..<60 {
                pair.seconds += 1
                pair.state.tick(now: pair.now)
                let sent = pair.output().count
                if sent > 0 { pair.state.noteFlushed(sent, now: pair.now) }
                isClosed = isClosed || pair.outcome().isClosed
            }
            #expect(isClosed == !isPaused)
        }
    }

    @Test("the peer's close frame is the error; our own close is none")
    func closing() throws {
        let pair = try TransportPair()
        pair.peer.close(.goingAway, reason: "later")
        pair.stateReceives()
        var outcome = pair.outcome()
        #expect(outcome.closesLater && !outcome.isEnded)
        pair.state.take(.send(message(1)), number: 1)
        outcome = pair.outcome()
        #expect(outcome.failed == [1] && "\(outcome.errors)".contains("later"))

        let ours = try TransportPair()
        ours.state.take(.close(.normal, reason: ""), number: nil)
        #expect(ours.outcome().closesLater)
        _ = ours.peerReceives()
        ours.stateReceives()
        ours.state.receiveEOF(now: ours.now)
        outcome = ours.outcome()
        #expect(outcome.isEnded && outcome.errors.isEmpty && !outcome.closesLater)
    }

    @Test("a server that closes because of an error while we close is one that failed")
    func closingTogether() throws {
        let pair = try TransportPair()
        pair.state.take(.close(.normal, reason: ""), number: nil)
        pair.peer.close(.internalError, reason: "disk full")
        _ = pair.output()
        pair.stateReceives()
        pair.state.receiveEOF(now: pair.now)
        let outcome = pair.outcome()
        #expect(outcome.isEnded && outcome.errors.map(\.closeCode) == [1011])
        #expect(outcome.errors.first?.problem == "expected an open connection, found it closed with 1011 (disk full)")
    }

    @Test("a receiver that asked for it ends with the close frame, and has what came before it")
    func endsWithCloseFrame() throws {
        let pair = try TransportPair(TransportOptions { $0.endsWithCloseFrame = true })
        pair.peer.send(message(5))
        pair.peer.close()
        pair.stateReceives()
        let outcome = pair.outcome()
        #expect(outcome.messages.count == 1 && outcome.isEnded)
    }

    @Test("a server ends the stream when its answer to a close frame is out")
    func serverCloses() throws {
        let pair = try TransportPair(isServer: true)
        pair.peer.close()
        pair.stateReceives()
        #expect(!pair.mustClose)
        let count = pair.output().count
        #expect(count > 0 && !pair.mustClose)
        pair.state.noteFlushed(count, now: pair.now)
        #expect(pair.mustClose)
        pair.state.end()
        #expect(!pair.mustClose)
    }

    @Test("a client that takes no answers is not read any further")
    func unreadAnswers() throws {
        let pair = try TransportPair(isServer: true)
        pair.state.take(.send(message(300_000)), number: 1)
        pair.stateReceives()
        #expect(!pair.takesRead())
        _ = pair.output(atMost: 1)
        #expect(pair.takesRead())
    }
}
