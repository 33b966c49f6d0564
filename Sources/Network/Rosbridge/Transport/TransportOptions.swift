package import WebSocket

/// How a WebSocket connection is made, watched and ended.
package struct TransportOptions: Sendable {
    /// How the server's certificate is judged; without effect on ws.
    package enum Trust: Sendable, Equatable {
        /// By the system's certificate authorities, host name included.
        case system
        /// By the certificates of a PEM file, host name included: a private authority, or the server's own certificate.
        case authorities(path: String)
        /// Not at all: anyone who is in the way can read and change what is sent.
        case anyone
    }

    package var fields: [HTTPField]
    package var trust: Trust
    /// What to show to a server that asks who we are; without effect on ws.
    package var identity: TLSIdentity?
    package var connectTimeout: Duration
    package var handshakeTimeout: Duration
    /// Whether receiving ends with the close frame of the peer, rather than with the end of TCP after it.
    package var endsWithCloseFrame: Bool
    /// How long the closing handshake and the end of TCP are awaited.
    package var closeTimeout: Duration
    /// How long sending may stand still before the connection is given up.
    package var stallTimeout: Duration
    /// How often a ping is sent; `nil` for never.
    package var pingInterval: Duration?
    /// How long after a ping nothing at all may arrive before the connection is given up: six times as long while the
    /// system takes output.
    package var pingTimeout: Duration
    /// Limits on what the other end may send.
    package var limits: ConnectionLimits
    /// How to offer or accept compression; `nil` for not at all.
    package var compression: DeflateOptions?

    package init(
        fields: [HTTPField] = [],
        trust: Trust = .system,
        identity: TLSIdentity? = nil,
        connectTimeout: Duration = .seconds(10),
        handshakeTimeout: Duration = .seconds(10),
        endsWithCloseFrame: Bool = false,
        closeTimeout: Duration = .seconds(5),
        stallTimeout: Duration = .seconds(30),
        pingInterval: Duration? = .seconds(20),
        pingTimeout: Duration = .seconds(20),
        limits: ConnectionLimits = ConnectionLimits(maximumFrameLength: 16 << 20, maximumMessageLength: 16 << 20),
        compression: DeflateOptions? = nil
    ) {
        self.fields = fields
        self.trust = trust
        self.identity = identity
        self.connectTimeout = connectTimeout
        self.handshakeTimeout = handshakeTimeout
        self.endsWithCloseFrame = endsWithCloseFrame
        self.closeTimeout = closeTimeout
        self.stallTimeout = stallTimeout
        self.pingInterval = pingInterval
        self.pingTimeout = pingTimeout
        self.limits = limits
        self.compression = compression
    }
}
