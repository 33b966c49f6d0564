/// The settings of one end for permessage-deflate (RFC 7692): its own, and those it requests from the other end.
///
/// Each direction has a window of 2^8 to 2^15 bytes, given by its exponent. Its context is kept between messages or
/// reset.
package struct DeflateOptions: Sendable {
    package var codec: any DeflateCodec
    /// The size of our compression window; the other end may ask for a smaller one.
    package var windowBits: Int
    /// True if we keep the compression context between messages; the other end may ask us not to.
    package var keepsContext: Bool
    /// The largest window that the other end may use.
    package var peerWindowBits: Int
    package var peerKeepsContext: Bool
    /// Shorter messages are sent uncompressed.
    package var minimumLength: Int

    package init(
        codec: any DeflateCodec,
        windowBits: Int = 15,
        keepsContext: Bool = true,
        peerWindowBits: Int = 15,
        peerKeepsContext: Bool = true,
        minimumLength: Int = 64
    ) {
        self.codec = codec
        self.windowBits = min(max(windowBits, DeflateParameters.windowBits.lowerBound), 15)
        self.keepsContext = keepsContext
        self.peerWindowBits = min(max(peerWindowBits, DeflateParameters.windowBits.lowerBound), 15)
        self.peerKeepsContext = peerKeepsContext
        self.minimumLength = minimumLength
    }
}

/// Provides compressors and decompressors, so that this module needs no compression library.
package protocol DeflateCodec: Sendable {
    /// Makes a compressor with a window of at most `windowBits`; `nil` if memory is exhausted.
    func makeDeflater(windowBits: Int) -> (any MessageDeflater)?
    /// Makes a decompressor for any window; `nil` if memory is exhausted.
    func makeInflater() -> (any MessageInflater)?
}

/// Compresses messages one after another.
package protocol MessageDeflater: AnyObject {
    /// Returns the compressed message, flushed to a byte boundary, without the trailing 00 00 FF FF (RFC 7692, 7.2.1);
    /// `nil` on failure.
    func deflate(_ message: UnsafeRawBufferPointer) -> [UInt8]?
    /// Forgets the messages so far.
    func reset()
}

/// Decompresses a stream that arrives in pieces of any size.
package protocol MessageInflater: AnyObject {
    /// Decompresses `input` into `output` until one of them is used up.
    func inflate(_ input: UnsafeRawBufferPointer, into output: UnsafeMutableRawBufferPointer) -> InflateStep
    /// Forgets the messages so far.
    func reset()
}

/// The result of one step of decompression.
package struct InflateStep: Equatable, Sendable {
    package var consumed: Int
    package var produced: Int
    /// The input is damaged from here on; the output so far is valid.
    package var isDamaged: Bool
    /// The input ended between two blocks.
    package var isBetweenBlocks: Bool
}

/// The parameters of permessage-deflate in an offer or an answer (RFC 7692, 7.1).
package struct DeflateParameters: Equatable, Sendable {
    /// The value of `client_max_window_bits`, which an offer may leave out.
    package enum ClientWindow: Equatable, Sendable {
        case anyBits
        case bits(Int)
    }

    package static let extensionName = "permessage-deflate"
    /// The legal sizes of a window, as powers of two of bytes.
    package static let windowBits = 8...15

    package var serverNoContextTakeover = false
    package var clientNoContextTakeover = false
    package var serverMaxWindowBits: Int?
    package var clientMaxWindowBits: ClientWindow?

    package init(
        serverNoContextTakeover: Bool = false,
        clientNoContextTakeover: Bool = false,
        serverMaxWindowBits: Int? = nil,
        clientMaxWindowBits: ClientWindow? = nil
    ) {
        self.serverNoContextTakeover = serverNoContextTakeover
        self.clientNoContextTakeover = clientNoContextTakeover
        self.serverMaxWindowBits = serverMaxWindowBits
        self.clientMaxWindowBits = clientMaxWindowBits
    }

    /// Parses the parameters; `nil` if one is unknown, repeated or has an invalid value.
    ///
    /// A server declines such an offer; a client fails the connection on such an answer (RFC 7692, 7.1).
    init?(_ parameters: [ExtensionElement.Parameter]) {
        var names: Set<String> = []
        for parameter in parameters {
            guard names.insert(parameter.name).inserted else { return nil }
            switch (parameter.name, parameter.value) {
            case ("server_no_context_takeover", nil): serverNoContextTakeover = true
            case ("client_no_context_takeover", nil): clientNoContextTakeover = true
            case ("client_max_window_bits", nil): clientMaxWindowBits = .anyBits
            case ("server_max_window_bits", let value?):
                guard let bits = Self.bits(value) else { return nil }
                serverMaxWindowBits = bits
            case ("client_max_window_bits", let value?):
                guard let bits = Self.bits(value) else { return nil }
                clientMaxWindowBits = .bits(bits)
            default: return nil
            }
        }
    }

    /// A decimal number from 8 to 15 without leading zeros (RFC 7692, 7.1.2).
    private static func bits(_ text: String) -> Int? { windowBits.first { "\($0)" == text } }

    /// The element for Sec-WebSocket-Extensions.
    package var headerValue: String {
        var parts = [Self.extensionName]
        if serverNoContextTakeover { parts.append("server_no_context_takeover") }
        if clientNoContextTakeover { parts.append("client_no_context_takeover") }
        if let serverMaxWindowBits { parts.append("server_max_window_bits=\(serverMaxWindowBits)") }
        switch clientMaxWindowBits {
        case .anyBits: parts.append("client_max_window_bits")
        case .bits(let bits): parts.append("client_max_window_bits=\(bits)")
        case nil: break
        }
        return parts.joined(separator: "; ")
    }
}
