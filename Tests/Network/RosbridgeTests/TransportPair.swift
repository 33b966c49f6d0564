import NIOCore
import Rosbridge
import WebSocket

/// One end's state and the other end's connection, between which bytes go only when a test moves them.
final class TransportPair {
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
    func outcome() -> TransportOutcome { TransportOutcome(state.takeActions()) }
}

struct TransportOutcome {
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
