/// The settings of one end for permessage-deflate (RFC 7692): its own, and those it requests from the other end.
///
/// Each direction has a window of 2^8 to 2^15 bytes, given by its exponent. Its context is kept between messages or
/// reset.
package struct DeflateOptions: Sendable {
    /// The compression level of zlib, from 1 (fastest) to 9 (smallest).
    package var level: Int
    /// The size of our compression window; the other end may ask for a smaller one.
    package var windowBits = 15
    /// True if we keep the compression context between messages; the other end may ask us not to.
    package var keepsContext = true
    /// The largest window that the other end may use.
    package var peerWindowBits = 15
    package var peerKeepsContext = true
    /// Shorter messages are sent uncompressed.
    package var minimumLength = 64

    /// Compression by zlib with default parameters; rosbridge's JSON hardly shrinks further at higher levels.
    package static func zlib(level: Int = 1) -> DeflateOptions { DeflateOptions(level: min(max(level, 1), 9)) }
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
