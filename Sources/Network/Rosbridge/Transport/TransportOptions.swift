package import WebSocket

/// The options of a WebSocket connection.
package struct TransportOptions: Sendable {
    /// How the server's certificate is checked; no effect on ws.
    package enum Trust: Sendable, Equatable {
        /// Checked against the system's certificate authorities, and the host name.
        case system
        /// Checked against the certificates of a PEM file, and the host name: private authorities, or the server's own
        /// certificate.
        case authorities(path: String)
        /// Not checked: an attacker on the path can read and change everything.
        case anyone
    }

    package var fields: [HTTPField]
    package var trust: Trust
    /// The client certificate for a server that requests one; no effect on ws.
    package var identity: TLSIdentity?
    package var connectTimeout: Duration
    package var handshakeTimeout: Duration
    /// Whether receiving ends with the close frame of the peer, rather than with the end of TCP after it.
    package var endsWithCloseFrame: Bool
    /// The time limit for the closing handshake and the end of TCP.
    package var closeTimeout: Duration
    /// The time without progress in sending after which the connection is given up.
    package var stallTimeout: Duration
    /// How often a ping is sent; `nil` for never.
    package var pingInterval: Duration?
    /// The silence after a ping after which the connection is given up.
    ///
    /// It is six times as long while the system accepts output.
    package var pingTimeout: Duration
    /// Limits on what the other end may send.
    package var limits: ConnectionLimits
    /// The options for compression; `nil` for none.
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
