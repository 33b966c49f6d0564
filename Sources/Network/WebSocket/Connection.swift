/// A WebSocket connection (RFC 6455) as a pure state machine: bytes and commands go in, bytes and events come out.
///
/// The transport feeds ``receive(_:)`` and ``receiveEOF()``, sends what ``takeOutput()`` or ``writeOutput(into:)``
/// yields, handles what ``takeEvents()`` returns, and asks ``expectsClose`` and ``mustClose`` when to end TCP. Nothing
/// here waits, reads or knows the time, and all randomness is injected.
///
/// There is one of each: compression remembers what was sent and received.
package struct Connection: ~Copyable {
    /// Where the connection stands; what came before it is known, what follows is decided by the next byte.
    enum State: Sendable {
        case requesting(HTTPHeadParser, HandshakeExpectation)
        case awaitingRequest(HTTPHeadParser, supported: [String])
        case open
        /// Our close frame is out, the peer's is awaited.
        case closing
        /// Both close frames have passed.
        case closed
        /// Given up, before or after the handshake.
        case failed(wasOpen: Bool)
    }

    /// Judges a request that is right: returns why it is refused, or `nil` to take it.
    package typealias Admission = (ServerHandshake) -> HandshakeRefusal?

    package let role: Role

    var state: State
    var parser: FrameParser
    var assembler: MessageAssembler
    /// What this end wants of compression.
    let compressionOptions: DeflateOptions?
    /// Whether a server takes a request that is right; `nil` for all of them.
    private(set) var admission: Admission?
    var compression: OutgoingCompression?
    var randomness: any RandomNumberGenerator & Sendable
    var output = OutputQueue()
    var pongs = WaitingPongs()
    var events: [ConnectionEvent] = []
    var header: FrameHeader?
    var payloadOffset = 0
    var controlPayload: [UInt8] = []

    /// A client's connection, whose output begins with the request.
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

    /// A server's connection, which waits for a request.
    ///
    /// Of the subprotocols offered it takes the first it supports, and compression if it is given options for it. Before
    /// it takes anything it asks `admission`, if there is one.
    package init(
        accepting subprotocols: [String] = [],
        limits: ConnectionLimits = ConnectionLimits(),
        compression: DeflateOptions? = nil,
        admission: Admission? = nil,
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
}

// MARK: - What the transport asks

extension Connection {
    /// Whether messages can be sent.
    package var isOpen: Bool {
        if case .open = state { return true }
        return false
    }

    /// Whether the peer should end the stream soon: the transport waits for it, but not for ever (RFC 6455, 7.1.1).
    package var expectsClose: Bool {
        switch state {
        case .closing, .closed, .failed: true
        default: false
        }
    }

    /// Whether the transport should end the stream as soon as the output is sent: a server does so after the closing
    /// handshake, anyone after a handshake that failed.
    package var mustClose: Bool {
        switch state {
        case .closed: role == .server
        case .failed(let wasOpen): !wasOpen
        default: false
        }
    }

    /// What was agreed on about compression, once the connection is open; `nil` for none.
    package var compressionParameters: DeflateParameters? { compression?.agreement.parameters }

    /// Bytes of a message that has begun and is not whole yet.
    package var unfinishedByteCount: Int { assembler.byteCount }

    /// Bytes that wait to be sent.
    package var outputByteCount: Int { output.byteCount }

    /// Moves output into `destination`, masking on the way, and returns the number of bytes.
    package mutating func writeOutput(into destination: UnsafeMutableRawBufferPointer) -> Int {
        output.take(into: destination)
    }

    /// All output at once.
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
}
