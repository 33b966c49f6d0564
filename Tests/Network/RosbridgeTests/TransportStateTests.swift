import NIOCore
import Rosbridge
import Testing
import WebSocket

/// One end's state and the other end's connection, between which bytes go only when a test moves them.
private final class Pair {
    var state: TransportState
    var peer: Connection
    /// Seconds since the beginning.
    var seconds = 0

    var now: NIODeadline { .uptimeNanoseconds(1_000_000_000) + .seconds(Int64(seconds)) }

    /// - Parameter isOpen: whether the handshake is over.
    init(_ options: TransportOptions = TransportOptions(), isServer: Bool = false, isOpen: Bool = true) throws {
        let client = try Connection(
            request: HandshakeRequest(host: "h", target: "/"),
            compression: options.compression
        )
        let server = Connection(compression: options.compression)
        if isServer {
            state = TransportState(server, server: "client", options: options)
            peer = client
        } else {
            state = TransportState(client, server: "server", options: options)
            peer = server
        }
        state.start(now: now)
        guard isOpen else { return }
        for _ in 0..<2 {
            _ = peerReceives()
            stateReceives()
        }
        _ = state.takeActions()
        _ = peer.takeEvents()
        _ = state.takesRead()
    }

    var mustClose: Bool { state.mustClose }

    func takesRead() -> Bool { state.takesRead() }

    /// What the state has to send, as far as the socket takes it.
    func output(atMost limit: Int = .max) -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < limit, case let length = state.nextPieceLength(now: now), length > 0 {
            var piece = [UInt8](repeating: 0, count: length)
            let count = piece.withUnsafeMutableBytes { state.writeOutput(into: $0) }
            bytes += piece[..<count]
        }
        return bytes
    }

    /// Sends all that waits to the peer, and returns how many bytes that were.
    func peerReceives() -> Int {
        let bytes = output()
        state.noteFlushed(bytes.count, now: now)
        peer.receive(bytes)
        return bytes.count
    }

    /// Gives the state all that the peer has to send.
    func stateReceives() {
        let bytes = peer.takeOutput()
        if !bytes.isEmpty { state.receive(ByteBuffer(bytes: bytes), now: now) }
        state.endBatch()
    }

    /// The messages delivered since the last call, the commands done and not done, and the errors of those and the end.
    func outcome() -> Outcome { Outcome(state.takeActions()) }
}

private struct Outcome {
    var messages: [WebSocketMessage] = []
    var held: [Int] = []
    var done: [UInt64] = []
    var failed: [UInt64] = []
    var errors: [RosbridgeError] = []
    var isOpened = false
    var isEnded = false
    var isClosed = false
    var closesLater = false

    init(_ actions: [TransportAction]) {
        for action in actions {
            switch action {
            case .open: isOpened = true
            case .deliver(let batch): messages += batch
            case .held(let count): held.append(count)
            case .finish(let number, nil): done.append(number)
            case .finish(let number, let error?):
                failed.append(number)
                errors.append(error)
            case .end(let error):
                isEnded = true
                if let error { errors.append(error) }
            case .tick: continue
            case .closeAfter: closesLater = true
            case .close: isClosed = true
            }
        }
    }
}

@Suite("The state of a transport")
struct TransportStateTests {
    private func message(_ count: Int) -> WebSocketMessage { .binary([UInt8](repeating: 1, count: count)) }

    @Test("the handshake opens, once", arguments: [false, true])
    func opens(isServer: Bool) throws {
        let pair = try Pair(isServer: isServer, isOpen: false)
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
        let pair = try Pair()
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
        options.compression = DeflateOptions(codec: ZlibCodec())
        let pair = try Pair(options)
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
        let pair = try Pair()
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
        let pair = try Pair()
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
        let pair = try Pair(isOpen: false)
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
        let pair = try Pair()
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
        let pair = try Pair()
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
        let pair = try Pair()
        pair.peer.close(.goingAway, reason: "later")
        pair.stateReceives()
        var outcome = pair.outcome()
        #expect(outcome.closesLater && !outcome.isEnded)
        pair.state.take(.send(message(1)), number: 1)
        outcome = pair.outcome()
        #expect(outcome.failed == [1] && "\(outcome.errors)".contains("later"))

        let ours = try Pair()
        ours.state.take(.close(.normal, reason: ""), number: nil)
        #expect(ours.outcome().closesLater)
        _ = ours.peerReceives()
        ours.stateReceives()
        ours.state.receiveEOF(now: ours.now)
        outcome = ours.outcome()
        #expect(outcome.isEnded && outcome.errors.isEmpty && !outcome.closesLater)
    }

    @Test("a receiver that asked for it ends with the close frame, and has what came before it")
    func endsWithCloseFrame() throws {
        let pair = try Pair(TransportOptions { $0.endsWithCloseFrame = true })
        pair.peer.send(message(5))
        pair.peer.close()
        pair.stateReceives()
        let outcome = pair.outcome()
        #expect(outcome.messages.count == 1 && outcome.isEnded)
    }

    @Test("a server ends the stream when its answer to a close frame is out")
    func serverCloses() throws {
        let pair = try Pair(isServer: true)
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
        let pair = try Pair(isServer: true)
        pair.state.take(.send(message(300_000)), number: 1)
        pair.stateReceives()
        #expect(!pair.takesRead())
        _ = pair.output(atMost: 1)
        #expect(pair.takesRead())
    }
}
