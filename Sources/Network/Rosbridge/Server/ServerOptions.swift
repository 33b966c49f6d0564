package import Messages
package import WebSocket

package struct ServerOptions: Sendable {
    /// Finds the type for a name that a client advertises, in either form; throws the reason if there is none.
    package typealias TypeLookup = @Sendable (_ name: String) throws -> any MessageType

    package var address = "127.0.0.1"
    /// 0 for any free port.
    package var port = RosbridgeURL.defaultPort
    /// The maximum bytes of one message, whether it arrives in one frame, several frames or `fragment` operations.
    package var maximumMessageSize = 16 << 20
    /// True if a message with unknown keys is refused; otherwise the keys are dropped and counted.
    package var isStrict = false
    /// The time limit for the handshakes of a connection, TLS and WebSocket together.
    package var handshakeTimeout = Duration.seconds(10)
    package var closeTimeout = Duration.seconds(2)
    /// How often a client is pinged, `nil` for never.
    ///
    /// A client that is silent for twice as long is disconnected.
    package var pingInterval: Duration? = .seconds(30)
    /// How compression is accepted from clients that offer it; `nil` for not at all.
    ///
    /// Size limits count decompressed bytes.
    package var compression: DeflateOptions?
    /// TLS for all connections; `nil` for none.
    package var tls: TLSServer?
    /// The token that clients have to send; `nil` for none.
    package var token: AccessToken?
    package var limits = ServerLimits()
    /// The subprotocols that are spoken, the preferred one first; empty where clients need none.
    package var subprotocols: [String] = []
    /// Pages that may connect besides those of this machine and of the applications, such as `https://example.org`.
    package var origins: [String] = []
    /// Told once of each page that was refused, up to a number; printable.
    package var originRefused: @Sendable (_ origin: String) -> Void = { _ in }
    /// Told when there are too many connections, and at the end how many were not let in.
    package var crowdNotice: @Sendable (_ text: String) -> Void = { _ in }
    /// Decides about a request that may connect as far as ``origins`` and ``token`` go: why it is refused, or `nil`.
    package var admission: (@Sendable (ServerHandshake) -> HandshakeRefusal?)?
    /// The page for a browser that asks for a path; `nil` for none.
    package var page: (@Sendable (_ target: String) -> HTTPPage?)?
    /// Finds the types of topics; by default only the compiled ones.
    package var typeNamed: TypeLookup = { name in
        guard let type = MessageTypes.type(named: name) else { throw UnknownTypeName(name: name) }
        return type.kind
    }

    /// The defaults, changed by `set`.
    package init(_ set: (inout Self) -> Void = { _ in }) { set(&self) }

    /// The bytes that all clients together may hold: messages that are incomplete or not yet recorded.
    ///
    /// Far above what well-behaved clients need, as each of them waits for its last messages to be worked off.
    var maximumHeldBytes: Int { 16 * maximumMessageSize }

    package var connectionLimits: ConnectionLimits { ConnectionLimits(bytes: maximumMessageSize) }

    var transportOptions: TransportOptions {
        TransportOptions {
            $0.handshakeTimeout = handshakeTimeout
            $0.closeTimeout = closeTimeout
            $0.pingInterval = pingInterval
            $0.pingTimeout = (pingInterval ?? .seconds(30)) * 2
            $0.limits = connectionLimits
            $0.compression = compression
        }
    }
}

/// The limits of a server, so that no client can exhaust it for the others.
package struct ServerLimits: Equatable, Sendable {
    /// The maximum number of clients; further ones are answered with 503.
    package var clients = 64
    /// The maximum number of connections without a finished handshake; above it one of the address that has most is closed.
    package var strangers = 64
    /// The maximum number of topics that a client has advertised at a time.
    package var topicsOfClient = 1_000
    /// The maximum number of topics of all clients.
    package var topics = 4_000
    /// The maximum bytes of JSON of the last messages of all latched topics, which each chunk of the bag repeats.
    package var latchedBytes = 16 << 20
    /// The number of refusals that a client is told of; later ones are only counted.
    package var answeredRefusals = 1_000

    package init(clients: Int = 64) { self.clients = clients }
}

/// The error for a name without a compiled type.
private struct UnknownTypeName: Error, CustomStringConvertible {
    var name: String
    var description: String { "expected a type that is compiled in, found \"\(name.prefix(200))\"" }
}

package struct ServerReport: Equatable, Sendable {
    package var clients = 0
    package var received = 0
    package var refused = 0
    /// The number of messages that came again after a lost connection, and were left out.
    package var repeated = 0
    /// The number of operations of which some fragments never arrived.
    package var unfinished = 0
    /// The dropped unknown keys, sorted by topic and path.
    package var unknownFields: [UnknownKey] = []
}
