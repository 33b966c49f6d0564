/// A WebSocket connection (RFC 6455) as a pure state machine: bytes and commands go in, bytes and events come out.
///
/// The transport feeds ``receive(_:)`` and ``receiveEOF()``, sends what ``takeOutput()`` or ``writeOutput(into:)``
/// yields, handles what ``takeEvents()`` returns, and asks ``expectsClose`` and ``mustClose`` when to end TCP. The
/// state machine does no I/O, has no clock, and takes its randomness from the caller.
///
/// The type is not copyable, because the compression context depends on everything sent and received.
package struct Connection: ~Copyable {
    enum State: Sendable {
        case requesting(HTTPHeadParser, HandshakeExpectation)
        case awaitingRequest(HTTPHeadParser, supported: [String])
        case open
        /// Our close frame is sent; the peer's has not arrived yet.
        case closing
        /// Both close frames have been exchanged.
        case closed
        /// Failed, before or after the handshake.
        case failed(wasOpen: Bool)
    }

    /// Decides about a valid request: returns why it is refused, or `nil` to accept it.
    package typealias Admission = (ServerHandshake) -> HandshakeRefusal?

    /// Gives the page of a path and query for a browser; `nil` where there is none.
    package typealias Pages = (_ target: String) -> HTTPPage?

    package let role: Role

    var state: State
    var parser: FrameParser
    var assembler: MessageAssembler
    /// The compression settings of this end.
    let compressionOptions: DeflateOptions?
    /// Decides whether a server accepts a valid request; `nil` accepts all.
    private(set) var admission: Admission?
    /// The pages for browsers; `nil` for a server that has none.
    private(set) var pages: Pages?
    var compression: OutgoingCompression?
    var randomness: any RandomNumberGenerator & Sendable
    var output = OutputQueue()
    var pongs = WaitingPongs()
    var events: [ConnectionEvent] = []
    var header: FrameHeader?
    var payloadOffset = 0
    var controlPayload: [UInt8] = []

    /// Makes a client's connection, whose output begins with the handshake request.
    package init(
        request: HandshakeRequest,
        limits: ConnectionLimits = ConnectionLimits(),
        compression: DeflateOptions? = nil,
        randomness: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator()
    ) throws(HandshakeError) {
        var randomness = randomness
        let key = HandshakeKey.random(using: &randomness)
        let bytes = try request.encoded(key: key, extensions: compression.map { [$0.offer.headerValue] } ?? [])
        let head = HTTPHeadParser(maximumLength: limits.maximumHeadLength, expectedPrefix: "HTTP/1.")
        let expectation = HandshakeExpectation(key: key, subprotocols: request.subprotocols, compression: compression)
        self.init(
            role: .client,
            state: .requesting(head, expectation),
            limits: limits,
            compression: compression,
            randomness: randomness
        )
        output.append(bytes)
    }

    /// Makes a server's connection, which waits for a handshake request.
    ///
    /// It accepts the first subprotocol of its own list that is offered, and compression if it has options for it.
    /// `admission`, if given, is asked before the request is accepted.
    package init(
        accepting subprotocols: [String] = [],
        limits: ConnectionLimits = ConnectionLimits(),
        compression: DeflateOptions? = nil,
        admission: Admission? = nil,
        pages: Pages? = nil,
        randomness: any RandomNumberGenerator & Sendable = SystemRandomNumberGenerator()
    ) {
        let head = HTTPHeadParser(maximumLength: limits.maximumHeadLength, expectedPrefix: "GET ")
        self.init(
            role: .server,
            state: .awaitingRequest(head, supported: subprotocols),
            limits: limits,
            compression: compression,
            randomness: randomness
        )
        self.admission = admission
        self.pages = pages
    }

    private init(
        role: Role,
        state: State,
        limits: ConnectionLimits,
        compression: DeflateOptions?,
        randomness: any RandomNumberGenerator & Sendable
    ) {
        self.role = role
        self.state = state
        self.randomness = randomness
        compressionOptions = compression
        parser = FrameParser(role: role, maximumPayloadLength: limits.maximumFrameLength)
        assembler = MessageAssembler(maximumMessageLength: limits.maximumMessageLength)
    }

    // MARK: - What the transport asks

    /// True if messages can be sent.
    package var isOpen: Bool {
        if case .open = state { return true }
        return false
    }

    /// True if the peer should end the stream soon: the transport waits for it with a time limit (RFC 6455, 7.1.1).
    package var expectsClose: Bool {
        switch state {
        case .closing, .closed, .failed: true
        default: false
        }
    }

    /// True if the transport should end the stream once the output is sent: a server after the closing handshake,
    /// either end after a failed handshake.
    package var mustClose: Bool {
        switch state {
        case .closed: role == .server
        case .failed(let wasOpen): !wasOpen
        default: false
        }
    }

    /// The negotiated compression, once the connection is open; `nil` for none.
    package var compressionParameters: DeflateParameters? { compression?.agreement.parameters }

    /// The bytes of an incomplete message.
    package var unfinishedByteCount: Int { assembler.byteCount }

    /// The number of bytes that wait to be sent.
    package var outputByteCount: Int { output.byteCount }

    /// Moves output into `destination`, masking on the way, and returns the number of bytes.
    package mutating func writeOutput(into destination: UnsafeMutableRawBufferPointer) -> Int {
        output.take(into: destination)
    }

    /// Takes all output at once.
    package mutating func takeOutput() -> [UInt8] {
        let count = output.byteCount
        return [UInt8](unsafeUninitializedCapacity: count) { buffer, written in
            written = output.take(into: UnsafeMutableRawBufferPointer(buffer))
        }
    }

    /// The events since the last call.
    package mutating func takeEvents() -> [ConnectionEvent] {
        defer { events.removeAll() }
        return events
    }

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
