package struct WebSocketMessage: Equatable, Sendable {
    package enum Kind: Equatable, Sendable { case text, binary }

    package var kind: Kind
    /// UTF-8 if the kind is text.
    package var payload: [UInt8]

    package init(_ kind: Kind, _ payload: [UInt8]) { (self.kind, self.payload) = (kind, payload) }

    package static func text(_ text: String) -> WebSocketMessage { WebSocketMessage(.text, Array(text.utf8)) }
    package static func binary(_ payload: [UInt8]) -> WebSocketMessage { WebSocketMessage(.binary, payload) }
}

/// A message to be sent, in two parts: of what goes to many receivers the second is shared, and not copied.
package struct OutgoingMessage: Sendable {
    package var kind: WebSocketMessage.Kind
    package var head: [UInt8]
    package var body: [UInt8]

    package init(_ kind: WebSocketMessage.Kind, head: [UInt8] = [], _ body: [UInt8]) {
        self.kind = kind
        self.head = head
        self.body = body
    }
}

/// Joins the fragments of data messages (RFC 6455, 5.4), and decompresses them where negotiated (RFC 7692, 6.2).
struct MessageAssembler {
    let maximumMessageLength: Int
    var compression: IncomingCompression?

    private var body: MessageBody?
    private var isCompressed = false
    /// A buffer for unmasked compressed bytes.
    private var unmasked: [UInt8] = []

    init(maximumMessageLength: Int) { self.maximumMessageLength = maximumMessageLength }

    /// The size of the message so far.
    var byteCount: Int { body?.byteCount ?? 0 }

    /// Begins a fragment: checks its position in the message and, if known, the length of the message.
    mutating func begin(_ header: FrameHeader) throws(ProtocolViolation) {
        switch (header.opcode, body) {
        case (.continuation, .some): break
        case (.continuation, nil): throw .unexpectedContinuation
        case (_, .some): throw .messageInsideMessage
        case (let opcode, nil):
            body = MessageBody(opcode == .text ? .text : .binary, limit: maximumMessageLength)
            isCompressed = header.reservedBits & FrameHeader.compressedBit != 0
        }
        // The decompressed size is not known yet.
        if !isCompressed { try body?.expect(header.payloadLength) }
    }

    /// Takes the next bytes of the fragment, which start `offset` bytes into its payload.
    mutating func append(
        _ bytes: UnsafeRawBufferPointer,
        maskingKey: MaskingKey?,
        offset: Int
    ) throws(ProtocolViolation) {
        guard isCompressed, compression != nil else {
            try body?.append(bytes, maskingKey: maskingKey, offset: offset)
            return
        }
        try withCompression { (compression, body, unmasked) throws(ProtocolViolation) in
            guard let maskingKey else { return try compression.inflate(bytes, into: &body) }
            unmasked.removeAll(keepingCapacity: true)
            unmasked.append(contentsOf: bytes)
            unmasked.withUnsafeMutableBytes { maskingKey.mask(UnsafeRawBufferPointer($0), into: $0, offset: offset) }
            try unmasked.withUnsafeBufferPointer { (piece) throws(ProtocolViolation) in
                try compression.inflate(UnsafeRawBufferPointer(piece), into: &body)
            }
        }
    }

    /// Ends a fragment and returns the message if it was the last one.
    mutating func end(isFinal: Bool) throws(ProtocolViolation) -> WebSocketMessage? {
        guard isFinal else { return nil }
        if isCompressed {
            try withCompression { (compression, body, _) throws(ProtocolViolation) in
                try compression.finish(&body)
            }
        }
        defer { body = nil }
        return try body?.message()
    }

    /// Calls `work` with the decompressor, the message body and the buffer for unmasked bytes.
    private mutating func withCompression(
        _ work: (inout IncomingCompression, inout MessageBody, inout [UInt8]) throws(ProtocolViolation) -> Void
    ) throws(ProtocolViolation) {
        guard var current = compression, var message = body else { return }
        // Moved out of `self`, so that mutating it copies nothing.
        compression = nil
        body = nil
        defer {
            compression = current
            body = message
        }
        try work(&current, &message, &unmasked)
    }
}

/// The payload of an incomplete message; every byte is checked against the limit and, for text, against UTF-8.
struct MessageBody {
    private let kind: WebSocketMessage.Kind
    private let limit: Int
    private var payload: [UInt8] = []
    private var validator = UTF8Validator()

    init(_ kind: WebSocketMessage.Kind, limit: Int) { (self.kind, self.limit) = (kind, limit) }

    var byteCount: Int { payload.count }

    /// The number of bytes left within the limit.
    var room: Int { limit - payload.count }

    /// Throws if `count` more bytes would exceed the limit.
    mutating func expect(_ count: Int) throws(ProtocolViolation) {
        guard count <= room else { throw .messageTooLong(limit: limit) }
        // The largest reservation that is made for a length claimed by a header.
        if payload.isEmpty { payload.reserveCapacity(min(count, 1 << 20)) }
    }

    /// Adds bytes that start `offset` bytes into the payload of their frame.
    mutating func append(
        _ bytes: UnsafeRawBufferPointer,
        maskingKey: MaskingKey? = nil,
        offset: Int = 0
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
        guard room >= 0 else { throw .messageTooLong(limit: limit) }
    }

    /// Returns the message; throws if a text ends inside a character.
    func message() throws(ProtocolViolation) -> WebSocketMessage {
        guard kind == .binary || validator.isComplete else { throw .invalidUTF8 }
        return WebSocketMessage(kind, payload)
    }
}

/// Validates UTF-8 that arrives in pieces, and fails at the first invalid byte (RFC 3629).
struct UTF8Validator: Equatable, Sendable {
    /// Continuation bytes still expected, and the range of the next one (Unicode, table 3-7).
    private var remaining = 0
    private var lower: UInt8 = 0x80
    private var upper: UInt8 = 0xBF

    /// True if the bytes so far end with a complete character.
    var isComplete: Bool { remaining == 0 }

    /// Takes the next bytes and returns false if they cannot be part of UTF-8.
    mutating func accept(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var index = 0
        let count = bytes.count
        while index < count {
            if remaining == 0 {
                while index &+ 8 <= count,
                    bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self) & 0x8080_8080_8080_8080 == 0
                {
                    index &+= 8
                }
                guard index < count else { return true }
            }
            guard accept(bytes[index]) else { return false }
            index &+= 1
        }
        return true
    }

    private mutating func accept(_ byte: UInt8) -> Bool {
        if remaining > 0 {
            guard byte >= lower, byte <= upper else { return false }
            remaining -= 1
            lower = 0x80
            upper = 0xBF
            return true
        }
        switch byte {
        case 0x00...0x7F: return true
        case 0xC2...0xDF: expect(1)
        case 0xE0: expect(2, from: 0xA0)
        case 0xED: expect(2, through: 0x9F)
        case 0xE1...0xEF: expect(2)
        case 0xF0: expect(3, from: 0x90)
        case 0xF4: expect(3, through: 0x8F)
        case 0xF1...0xF3: expect(3)
        default: return false
        }
        return true
    }

    private mutating func expect(_ count: Int, from lower: UInt8 = 0x80, through upper: UInt8 = 0xBF) {
        remaining = count
        self.lower = lower
        self.upper = upper
    }
}
