/// A whole message of a WebSocket connection.
package struct WebSocketMessage: Equatable, Sendable {
    package enum Kind: Equatable, Sendable { case text, binary }

    package var kind: Kind
    /// UTF-8 if the kind is text.
    package var payload: [UInt8]

    package init(_ kind: Kind, _ payload: [UInt8]) {
        self.kind = kind
        self.payload = payload
    }

    package static func text(_ text: String) -> WebSocketMessage { WebSocketMessage(.text, Array(text.utf8)) }
    package static func binary(_ payload: [UInt8]) -> WebSocketMessage { WebSocketMessage(.binary, payload) }
}

/// Joins the fragments of data messages (RFC 6455, 5.4), within a limit, checking text as it arrives.
struct MessageAssembler {
    let maximumMessageLength: Int

    private var kind: WebSocketMessage.Kind?
    private var payload: [UInt8] = []
    private var validator = UTF8Validator()

    init(maximumMessageLength: Int) {
        self.maximumMessageLength = maximumMessageLength
    }

    /// Begins a fragment: checks its place in the message and the length that the message would have.
    mutating func begin(_ header: FrameHeader) throws(ProtocolViolation) {
        switch (header.opcode, kind) {
        case (.continuation, .some): break
        case (.continuation, nil): throw .unexpectedContinuation
        case (_, .some): throw .messageInsideMessage
        case (let opcode, nil):
            kind = opcode == .text ? .text : .binary
            payload = []
            validator = UTF8Validator()
        }
        guard header.payloadLength <= maximumMessageLength - payload.count else {
            throw .messageTooLong(limit: maximumMessageLength)
        }
        // What a header claims is not believed beyond this.
        let believed = min(header.payloadLength, 1 << 20)
        if payload.isEmpty { payload.reserveCapacity(believed) }
    }

    /// Takes the next bytes of the fragment, which start `offset` bytes into its payload.
    mutating func append(
        _ bytes: UnsafeRawBufferPointer,
        maskingKey: MaskingKey?,
        offset: Int
    ) throws(ProtocolViolation) {
        let start = payload.count
        payload.append(contentsOf: bytes)
        let isText = kind == .text
        var validator = validator
        let isValid = payload.withUnsafeMutableBytes { whole in
            let piece = UnsafeMutableRawBufferPointer(rebasing: whole[start...])
            maskingKey?.mask(UnsafeRawBufferPointer(piece), into: piece, offset: offset)
            return !isText || validator.accept(UnsafeRawBufferPointer(piece))
        }
        self.validator = validator
        // RFC 6455, 8.1: text that is not UTF-8 fails the connection.
        guard isValid else { throw .invalidUTF8 }
    }

    /// Ends a fragment and returns the message if it was the last one.
    mutating func end(isFinal: Bool) throws(ProtocolViolation) -> WebSocketMessage? {
        guard isFinal, let kind else { return nil }
        guard kind == .binary || validator.isComplete else { throw .invalidUTF8 }
        defer {
            self.kind = nil
            payload = []
        }
        return WebSocketMessage(kind, payload)
    }
}
