/// An event on a connection; events are delivered in the order in which they happened.
package enum ConnectionEvent: Equatable, Sendable {
    /// A client's handshake succeeded.
    case opened(HandshakeResponse)
    /// A server has accepted a client's request.
    case accepted(ServerHandshake, subprotocol: String?)
    case message(WebSocketMessage)
    /// A ping was received and answered.
    case ping([UInt8])
    case pong([UInt8])
    /// The closing handshake is complete; the frame is the peer's.
    case closed(CloseFrame, initiator: CloseInitiator)
    /// The connection is over without a closing handshake.
    case failed(ConnectionFailure)
}

/// The end that sent the first close frame.
package enum CloseInitiator: Equatable, Sendable {
    case local
    case peer
}

/// Why a connection ended without a closing handshake.
package enum ConnectionFailure: Error, Equatable, Sendable {
    case handshake(HandshakeError)
    case violation(ProtocolViolation)
    /// The stream ended, perhaps in the middle of a frame.
    case ended(insideFrame: Bool)
}

extension ConnectionFailure: CustomStringConvertible {
    package var description: String {
        switch self {
        case .handshake(let error): "\(error)"
        case .violation(let violation): "\(violation)"
        case .ended(let insideFrame):
            "expected a close frame, found the end of the stream\(insideFrame ? " inside a frame" : "")"
        }
    }
}

/// The limits for what a connection accepts from the other end.
package struct ConnectionLimits: Equatable, Sendable {
    /// Bytes of payload in one frame.
    package var maximumFrameLength = 64 << 20
    /// Bytes of payload in one message.
    package var maximumMessageLength = 64 << 20
    /// Bytes of the HTTP head of the handshake.
    package var maximumHeadLength = 16 << 10

    /// The defaults, changed by `set`.
    package init(_ set: (inout Self) -> Void = { _ in }) { set(&self) }

    /// The same limit for frames and messages.
    package init(bytes: Int) { (maximumFrameLength, maximumMessageLength) = (bytes, bytes) }
}
