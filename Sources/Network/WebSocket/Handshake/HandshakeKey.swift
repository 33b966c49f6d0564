/// The key of a handshake and the matching answer.
enum HandshakeKey {
    /// Sixteen random bytes in base64 (RFC 6455, 4.1).
    static func random(using generator: inout some RandomNumberGenerator) -> String {
        let halves: [UInt64] = [generator.next(), generator.next()]
        return Base64.encode(halves.flatMap { half in (0..<8).map { UInt8(truncatingIfNeeded: half >> (8 * $0)) } })
    }

    /// True if a client's key is 16 bytes in base64: 22 characters, the last of which has two used bits, and padding.
    static func isValid(_ key: String) -> Bool {
        let bytes = Array(key.utf8)
        guard bytes.count == 24, bytes.suffix(2) == [0x3D, 0x3D], "AQgw".utf8.contains(bytes[21]) else { return false }
        return bytes.prefix(22).allSatisfy { Base64.isCharacter($0) }
    }

    /// The Sec-WebSocket-Accept that proves the server has seen the key (RFC 6455, 4.2.2).
    static func accept(for key: String) -> String {
        Base64.encode(SHA1.digest(Array((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").utf8)))
    }
}

/// SHA-1 (RFC 3174), as the opening handshake requires it; not for security.
enum SHA1 {
    /// Returns the 20 bytes of the digest.
    static func digest(_ message: [UInt8]) -> [UInt8] {
        var state: [UInt32] = [0x6745_2301, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476, 0xC3D2_E1F0]
        let padded = padding(message)
        for start in stride(from: 0, to: padded.count, by: 64) {
            process(padded[start..<(start + 64)], &state)
        }
        return state.flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> (24 - 8 * $0)) } }
    }

    /// A one bit, zeros, and the length in bits as the last eight bytes of a block.
    private static func padding(_ message: [UInt8]) -> [UInt8] {
        var bytes = message + [0x80]
        while bytes.count % 64 != 56 { bytes.append(0) }
        let bitCount = UInt64(message.count) * 8
        for index in (0..<8).reversed() { bytes.append(UInt8(truncatingIfNeeded: bitCount >> (8 * index))) }
        return bytes
    }

    private static func process(_ block: ArraySlice<UInt8>, _ state: inout [UInt32]) {
        var words: [UInt32] = []
        words.reserveCapacity(80)
        for start in stride(from: block.startIndex, to: block.endIndex, by: 4) {
            words.append(block[start..<(start + 4)].reduce(0) { $0 << 8 | UInt32($1) })
        }
        for index in 16..<80 {
            words.append(rotate(words[index - 3] ^ words[index - 8] ^ words[index - 14] ^ words[index - 16], 1))
        }
        var (a, b, c, d, e) = (state[0], state[1], state[2], state[3], state[4])
        for (index, word) in words.enumerated() {
            let (mixed, constant) = round(index, b, c, d)
            let next = rotate(a, 5) &+ mixed &+ e &+ constant &+ word
            (e, d, c, b, a) = (d, c, rotate(b, 30), a, next)
        }
        for (index, value) in [a, b, c, d, e].enumerated() { state[index] &+= value }
    }

    private static func round(_ index: Int, _ b: UInt32, _ c: UInt32, _ d: UInt32) -> (UInt32, UInt32) {
        switch index {
        case ..<20: ((b & c) | (~b & d), 0x5A82_7999)
        case ..<40: (b ^ c ^ d, 0x6ED9_EBA1)
        case ..<60: ((b & c) | (b & d) | (c & d), 0x8F1B_BCDC)
        default: (b ^ c ^ d, 0xCA62_C1D6)
        }
    }

    private static func rotate(_ value: UInt32, _ count: UInt32) -> UInt32 {
        value << count | value >> (32 - count)
    }
}

/// Base64 with padding (RFC 4648, 4) for the keys and credentials of a handshake.
package enum Base64 {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    static func isCharacter(_ byte: UInt8) -> Bool { alphabet.contains(byte) }

    package static func encode(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            let bits = group.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - group.count))
            for index in 0..<4 {
                text.append(index <= group.count ? alphabet[bits >> (18 - 6 * index) & 63] : UInt8(ascii: "="))
            }
        }
        return String(decoding: text, as: UTF8.self)
    }
}
