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
package enum ConnectionFailure: Error, Equatable, Sendable, CustomStringConvertible {
    case handshake(HandshakeError)
    case violation(ProtocolViolation)
    /// The stream ended, perhaps in the middle of a frame.
    case ended(insideFrame: Bool)

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

/// A violation of RFC 6455, or of one of our limits, by the other end.
package enum ProtocolViolation: Error, Equatable, Sendable, CustomStringConvertible {
    case reservedBits(UInt8)
    case reservedOpcode(UInt8)
    case fragmentedControlFrame
    case controlFrameTooLong
    case maskedFrame
    case unmaskedFrame
    case nonMinimalLength
    case invalidLength
    case frameTooLong(length: Int, limit: Int)
    case messageTooLong(limit: Int)
    case unexpectedContinuation
    case messageInsideMessage
    case truncatedClosePayload
    case invalidCloseCode(UInt16)
    case invalidUTF8
    /// A compressed message that does not decompress, or that ends in the middle of a block.
    case damagedCompression
    /// Memory for the decompressor is exhausted.
    case decompressionUnavailable

    /// The code for our close frame (RFC 6455, 7.4.1).
    package var closeCode: CloseCode {
        switch self {
        case .frameTooLong, .messageTooLong: .messageTooBig
        case .invalidUTF8, .damagedCompression: .invalidPayload
        case .decompressionUnavailable: .internalError
        default: .protocolError
        }
    }

    package var description: String {
        switch self {
        case .reservedBits(let bits): "reserved bits: expected none that was not agreed on, found 0x\(hex(bits))"
        case .reservedOpcode(let opcode): "opcode: expected 0x0-0x2 or 0x8-0xA, found 0x\(hex(opcode))"
        case .fragmentedControlFrame: "control frame: expected a whole one, found a fragment"
        case .controlFrameTooLong: "control frame: expected at most 125 bytes, found more"
        case .maskedFrame: "frame from the server: expected no mask, found one"
        case .unmaskedFrame: "frame from the client: expected a mask, found none"
        case .nonMinimalLength: "frame length: expected the shortest form, found a longer one"
        case .invalidLength: "frame length: expected less than 2^63, found more"
        case .frameTooLong(let length, let limit): "frame: expected at most \(limit) bytes, found \(length)"
        case .messageTooLong(let limit): "message: expected at most \(limit) bytes, found more"
        case .unexpectedContinuation: "continuation frame: expected after the start of a message, found alone"
        case .messageInsideMessage: "data frame: expected a continuation, found the start of another message"
        case .truncatedClosePayload: "close frame: expected no payload or a two-byte code, found one byte"
        case .invalidCloseCode(let code): "close code: expected one that may be sent, found \(code)"
        case .invalidUTF8: "text: expected UTF-8, found other bytes"
        case .damagedCompression: "compressed message: expected deflate data, found other bytes"
        case .decompressionUnavailable: "compressed message: expected memory to decompress it, found none"
        }
    }

    private func hex(_ value: UInt8) -> String { String(value, radix: 16, uppercase: true) }
}
