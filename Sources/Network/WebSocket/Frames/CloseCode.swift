/// Why a connection ends (RFC 6455, 7.4).
package struct CloseCode: RawRepresentable, Hashable, Sendable {
    package var rawValue: UInt16

    package init(rawValue: UInt16) { self.rawValue = rawValue }

    package static let normal = CloseCode(rawValue: 1000)
    package static let goingAway = CloseCode(rawValue: 1001)
    package static let protocolError = CloseCode(rawValue: 1002)
    package static let unsupportedData = CloseCode(rawValue: 1003)
    package static let invalidPayload = CloseCode(rawValue: 1007)
    package static let policyViolation = CloseCode(rawValue: 1008)
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

    /// Parses the payload of a close frame.
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
