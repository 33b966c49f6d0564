extension Connection {
    /// Sends a message as one frame.
    ///
    /// The payload is not copied, unless compression was negotiated and makes it shorter.
    ///
    /// Text must be UTF-8. Returns false, and does nothing, if the connection is not open.
    @discardableResult
    package mutating func send(_ message: WebSocketMessage) -> Bool {
        guard isOpen else { return false }
        let opcode: Opcode = message.kind == .text ? .text : .binary
        if let compressed = compression?.compressed(message.payload) {
            sendFrame(opcode, compressed, reservedBits: FrameHeader.compressedBit)
        } else {
            sendFrame(opcode, message.payload)
        }
        return true
    }

    /// Sends a message in two parts as one frame; a server without compression copies neither of them.
    @discardableResult
    package mutating func send(_ message: OutgoingMessage) -> Bool {
        guard isOpen, role == .server, compression == nil else {
            return send(WebSocketMessage(message.kind, message.head + message.body))
        }
        let length = message.head.count + message.body.count
        let header = FrameHeader(
            opcode: message.kind == .text ? .text : .binary,
            payloadLength: length,
            reservedBits: 0,
            maskingKey: nil
        )
        output.append(header, head: message.head, body: message.body)
        return true
    }

    /// Sends a ping of at most 125 bytes (RFC 6455, 5.5.2).
    ///
    /// Returns false if the connection is not open.
    @discardableResult
    package mutating func ping(_ payload: [UInt8] = []) -> Bool {
        guard isOpen, payload.count <= FrameHeader.maximumControlPayloadLength else { return false }
        sendFrame(.ping, payload)
        return true
    }

    /// Starts the closing handshake (RFC 6455, 7.1.2); data that still arrives is ignored.
    package mutating func close(_ code: CloseCode? = .normal, reason: String = "") {
        guard isOpen else { return }
        sendFrame(.close, CloseFrame(code: code, reason: reason).payload)
        state = .closing
    }

    /// Appends a frame, masked with a fresh key if this is a client (RFC 6455, 5.3).
    mutating func sendFrame(_ opcode: Opcode, _ payload: [UInt8], reservedBits: UInt8 = 0) {
        let key: MaskingKey? = role == .client ? MaskingKey(using: &randomness) : nil
        let header = FrameHeader(
            opcode: opcode,
            payloadLength: payload.count,
            reservedBits: reservedBits,
            maskingKey: key
        )
        output.append(header, payload: payload)
    }
}
