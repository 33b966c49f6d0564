package import Messages
package import WebSocket

/// Where a ``RosbridgeServer`` listens, and how strict it is.
package struct ServerOptions: Sendable {
    /// The type of a name that a client advertises, in either form; throws what says why there is none.
    package typealias TypeLookup = @Sendable (_ name: String) throws -> any MessageType

    package var address: String
    /// 0 for any free port.
    package var port: Int
    /// Bytes in one message, whether it comes in one frame, many frames or many `fragment` operations.
    package var maximumMessageSize: Int
    /// Whether a message with keys that its type does not have is refused; otherwise they are dropped and counted.
    package var isStrict: Bool
    /// How long a connection may take from its first byte to the end of the WebSocket handshake, TLS included.
    package var handshakeTimeout: Duration
    package var closeTimeout: Duration
    /// How often a client is pinged, `nil` for never.
    ///
    /// One that is silent for twice as long is given up.
    package var pingInterval: Duration?
    /// How compression is accepted from clients that offer it; `nil` for not at all.
    ///
    /// The size of a message is that of what it is decompressed to.
    package var compression: DeflateOptions?
    /// TLS for all connections; `nil` for none.
    package var tls: TLSServer?
    /// What clients have to show; `nil` for nothing.
    package var token: AccessToken?
    package var limits: ServerLimits
    /// Finds the types of topics; without another one those that are compiled in.
    package var typeNamed: TypeLookup = { name in
        guard let type = MessageTypes.type(named: name) else { throw UnknownTypeName(name: name) }
        return type.kind
    }

    package init(
        address: String = "127.0.0.1",
        port: Int = RosbridgeURL.defaultPort,
        maximumMessageSize: Int = 16 << 20,
        isStrict: Bool = false,
        handshakeTimeout: Duration = .seconds(10),
        closeTimeout: Duration = .seconds(2),
        pingInterval: Duration? = .seconds(30),
        compression: DeflateOptions? = nil,
        tls: TLSServer? = nil,
        token: AccessToken? = nil,
        limits: ServerLimits = ServerLimits()
    ) {
        self.address = address
        self.port = port
        self.maximumMessageSize = maximumMessageSize
        self.isStrict = isStrict
        self.handshakeTimeout = handshakeTimeout
        self.closeTimeout = closeTimeout
        self.pingInterval = pingInterval
        self.compression = compression
        self.tls = tls
        self.token = token
        self.limits = limits
    }

    /// Bytes that all clients together may have under way: messages that are not whole yet, or not worked off.
    ///
    /// Far above what well-behaved clients need, as each of them waits for its last messages to be worked off.
    var maximumHeldBytes: Int { 16 * maximumMessageSize }

    var connectionLimits: ConnectionLimits {
        ConnectionLimits(maximumFrameLength: maximumMessageSize, maximumMessageLength: maximumMessageSize)
    }

    var transportOptions: TransportOptions {
        TransportOptions(
            handshakeTimeout: handshakeTimeout,
            closeTimeout: closeTimeout,
            pingInterval: pingInterval,
            pingTimeout: (pingInterval ?? .seconds(30)) * 2,
            limits: connectionLimits,
            compression: compression
        )
    }
}

/// How many of everything a server takes, so that no client can take it from the others.
package struct ServerLimits: Equatable, Sendable {
    /// Clients at a time; further ones are answered with 503.
    package var clients = 64
    /// Connections without a finished handshake; when there are more, the oldest of them is closed.
    package var strangers = 64
    /// Topics that a client may have advertised at a time.
    package var topicsOfClient = 1_000
    /// Topics of all clients in all.
    package var topics = 4_000
    /// Bytes of JSON that the last messages of all latched topics have: each chunk of the bag begins with them.
    package var latchedBytes = 16 << 20
    /// Refusals that a client is told of; later ones are counted.
    package var answeredRefusals = 1_000

    package init(clients: Int = 64) {
        self.clients = clients
    }
}

/// A name that no type has.
private struct UnknownTypeName: Error, CustomStringConvertible {
    var name: String
    var description: String { "expected a type that is compiled in, found \"\(name.prefix(200))\"" }
}
