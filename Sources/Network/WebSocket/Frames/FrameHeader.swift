/// The first two to fourteen bytes of a frame (RFC 6455, 5.2).
package struct FrameHeader: Equatable, Sendable {
    package var isFinal: Bool
    /// RSV1, RSV2 and RSV3 in bits 6, 5 and 4, as in the first byte.
    package var reservedBits: UInt8
    package var opcode: Opcode
    package var maskingKey: MaskingKey?
    package var payloadLength: Int

    package init(
        opcode: Opcode,
        payloadLength: Int,
        isFinal: Bool = true,
        reservedBits: UInt8 = 0,
        maskingKey: MaskingKey? = nil
    ) {
        self.isFinal = isFinal
        self.reservedBits = reservedBits
        self.opcode = opcode
        self.maskingKey = maskingKey
        self.payloadLength = payloadLength
    }

    /// RSV1, which marks the first frame of a compressed message (RFC 7692, 6).
    package static let compressedBit: UInt8 = 0x40

    /// The maximum payload of a control frame in bytes (RFC 6455, 5.5).
    package static let maximumControlPayloadLength = 125

    /// Appends the header in its only legal form: the shortest length that holds the value (RFC 6455, 5.2).
    package func append(to bytes: inout [UInt8]) {
        bytes.append((isFinal ? 0x80 : 0) | reservedBits | opcode.rawValue)
        let maskBit: UInt8 = maskingKey == nil ? 0 : 0x80
        switch payloadLength {
        case ...125:
            bytes.append(maskBit | UInt8(payloadLength))
        case ...0xFFFF:
            bytes.append(maskBit | 126)
            appendBigEndian(payloadLength, byteCount: 2, to: &bytes)
        default:
            bytes.append(maskBit | 127)
            appendBigEndian(payloadLength, byteCount: 8, to: &bytes)
        }
        if let maskingKey {
            for index in 0..<4 { bytes.append(maskingKey.byte(at: index)) }
        }
    }

    private func appendBigEndian(_ value: Int, byteCount: Int, to bytes: inout [UInt8]) {
        for index in (0..<byteCount).reversed() {
            bytes.append(UInt8(truncatingIfNeeded: value >> (8 * index)))
        }
    }
}

/// The type of a frame (RFC 6455, 5.2); reserved opcodes have no case.
package enum Opcode: UInt8, Sendable {
    case continuation = 0x0
    case text = 0x1
    case binary = 0x2
    case close = 0x8
    case ping = 0x9
    case pong = 0xA

    /// Control frames may come between the fragments of a message, and are never fragmented themselves.
    package var isControl: Bool { rawValue & 0x8 != 0 }
}

/// Which end of a connection this is: it decides who masks, who asks for the upgrade, and who closes TCP.
package enum Role: Sendable {
    case client
    case server
}

/// Why a connection ends (RFC 6455, 7.4).
package struct CloseCode: RawRepresentable, Hashable, Sendable {
    package var rawValue: UInt16

    package init(rawValue: UInt16) { self.rawValue = rawValue }

    package static let normal = CloseCode(rawValue: 1000)
    package static let goingAway = CloseCode(rawValue: 1001)
    package static let protocolError = CloseCode(rawValue: 1002)
    package static let invalidPayload = CloseCode(rawValue: 1007)
    package static let messageTooBig = CloseCode(rawValue: 1009)
    package static let internalError = CloseCode(rawValue: 1011)

    /// True if a close frame may carry the code: 1004, 1005, 1006 and 1015 are reserved (RFC 6455, 7.4.1 and 7.4.2).
    package var isAllowedOnWire: Bool {
        switch rawValue {
        case 1000...1003, 1007...1014, 3000...4999: true
        default: false
        }
    }
}

/// The body of a close frame: nothing, or a code and a reason (RFC 6455, 5.5.1).
package struct CloseFrame: Equatable, Sendable {
    package var code: CloseCode?
    package var reason: String

    package init(code: CloseCode? = nil, reason: String = "") { (self.code, self.reason) = (code, reason) }

    init(payload: [UInt8]) throws(ProtocolViolation) {
        guard !payload.isEmpty else {
            self.init()
            return
        }
        guard payload.count >= 2 else { throw .truncatedClosePayload }
        let code = CloseCode(rawValue: UInt16(payload[0]) << 8 | UInt16(payload[1]))
        guard code.isAllowedOnWire else { throw .invalidCloseCode(code.rawValue) }
        guard let reason = String(validating: payload[2...], as: UTF8.self) else { throw .invalidUTF8 }
        self.init(code: code, reason: reason)
    }

    /// The payload to send; the reason is cut between characters to keep the control frame within its limit.
    var payload: [UInt8] {
        guard let code else { return [] }
        var bytes = [UInt8(truncatingIfNeeded: code.rawValue >> 8), UInt8(truncatingIfNeeded: code.rawValue)]
        for character in reason {
            guard bytes.count + character.utf8.count <= FrameHeader.maximumControlPayloadLength else { break }
            bytes.append(contentsOf: character.utf8)
        }
        return bytes
    }
}
