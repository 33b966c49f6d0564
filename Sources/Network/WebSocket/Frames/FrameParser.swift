/// Parses a stream of bytes, in pieces of any size, into frame headers and pieces of payload.
///
/// The parser buffers no payload. It checks the limit as soon as the length is known, and passes payload bytes on as
/// they arrive. So invalid text is refused at its first wrong byte, and memory grows only with received bytes.
struct FrameParser {
    enum Step: Equatable {
        case header(FrameHeader)
        /// The next bytes of the payload, and whether they are its last.
        case payload(Range<Int>, isLast: Bool)
    }

    let role: Role
    let maximumPayloadLength: Int
    /// The reserved bits (6 to 4) that an extension uses in the first frame of a message.
    var allowedReservedBits: UInt8 = 0

    private var headerBytes: [UInt8] = []
    private var remainingPayloadLength = 0

    init(role: Role, maximumPayloadLength: Int) {
        self.role = role
        self.maximumPayloadLength = maximumPayloadLength
        headerBytes.reserveCapacity(14)
    }

    /// True if the bytes seen so far end inside a frame.
    var isInsideFrame: Bool { !headerBytes.isEmpty || remainingPayloadLength > 0 }

    /// Parses `bytes` from `position` on, advances it and returns the next step, or `nil` when all bytes are used.
    mutating func next(in bytes: RawSpan, from position: inout Int) throws(ProtocolViolation) -> Step? {
        if remainingPayloadLength > 0 {
            let count = min(remainingPayloadLength, bytes.byteCount - position)
            guard count > 0 else { return nil }
            let range = position..<(position + count)
            position += count
            remainingPayloadLength -= count
            return .payload(range, isLast: remainingPayloadLength == 0)
        }
        while position < bytes.byteCount {
            headerBytes.append(bytes.unsafeLoad(fromByteOffset: position, as: UInt8.self))
            position += 1
            guard let header = try completedHeader() else { continue }
            headerBytes.removeAll(keepingCapacity: true)
            remainingPayloadLength = header.payloadLength
            return .header(header)
        }
        return nil
    }

    /// Checks the latest byte of the header and returns the header if it is complete.
    private func completedHeader() throws(ProtocolViolation) -> FrameHeader? {
        let first = headerBytes[0]
        guard headerBytes.count > 1 else {
            // RFC 6455, 5.2: undefined bits and opcodes fail the connection. RFC 7692, 6.1: so does RSV1 in a control
            // frame or a continuation.
            let startsMessage = first & 0x0F == Opcode.text.rawValue || first & 0x0F == Opcode.binary.rawValue
            let unknownBits = first & 0x70 & ~(startsMessage ? allowedReservedBits : 0)
            guard unknownBits == 0 else { throw .reservedBits(unknownBits) }
            guard let opcode = Opcode(rawValue: first & 0x0F) else { throw .reservedOpcode(first & 0x0F) }
            // RFC 6455, 5.5: control frames are not fragmented.
            guard !opcode.isControl || first & 0x80 != 0 else { throw .fragmentedControlFrame }
            return nil
        }
        guard let opcode = Opcode(rawValue: first & 0x0F) else { throw .reservedOpcode(first & 0x0F) }
        let second = headerBytes[1]
        let isMasked = second & 0x80 != 0
        if headerBytes.count == 2 {
            // RFC 6455, 5.1: the client masks, the server does not.
            switch role {
            case .client: guard !isMasked else { throw .maskedFrame }
            case .server: guard isMasked else { throw .unmaskedFrame }
            }
            guard !opcode.isControl || second & 0x7F <= 125 else { throw .controlFrameTooLong }
        }
        let lengthByteCount = second & 0x7F == 127 ? 8 : second & 0x7F == 126 ? 2 : 0
        guard headerBytes.count >= 2 + lengthByteCount else { return nil }
        let length = try payloadLength(second & 0x7F, byteCount: lengthByteCount)
        guard headerBytes.count == 2 + lengthByteCount + (isMasked ? 4 : 0) else { return nil }
        return FrameHeader(
            opcode: opcode,
            payloadLength: length,
            isFinal: first & 0x80 != 0,
            reservedBits: first & 0x70,
            maskingKey: isMasked ? maskingKey(at: 2 + lengthByteCount) : nil
        )
    }

    private func payloadLength(_ short: UInt8, byteCount: Int) throws(ProtocolViolation) -> Int {
        guard byteCount > 0 else { return try checkedLength(Int(short)) }
        // RFC 6455, 5.2: the most significant bit of a 64-bit length is 0, and the shortest form is used.
        guard byteCount == 2 || headerBytes[2] & 0x80 == 0 else { throw .invalidLength }
        var length = 0
        for byte in headerBytes[2..<(2 + byteCount)] { length = length << 8 | Int(byte) }
        guard length > (byteCount == 2 ? 125 : 0xFFFF) else { throw .nonMinimalLength }
        return try checkedLength(length)
    }

    private func checkedLength(_ length: Int) throws(ProtocolViolation) -> Int {
        guard length <= max(maximumPayloadLength, FrameHeader.maximumControlPayloadLength) else {
            throw .frameTooLong(length: length, limit: maximumPayloadLength)
        }
        return length
    }

    private func maskingKey(at index: Int) -> MaskingKey {
        MaskingKey(headerBytes[index], headerBytes[index + 1], headerBytes[index + 2], headerBytes[index + 3])
    }
}
