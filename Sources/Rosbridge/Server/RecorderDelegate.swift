package import ROS
package import WebSocket

/// What a ``RosbridgeServer`` reports to whoever records.
package protocol RecorderDelegate: Sendable {
    /// A client's message, typed and checked. Those of one client come one after the other, in their order.
    ///
    /// Suspending makes that client wait. An error ends the server: it means that nothing can be recorded any more.
    func received(_ message: StampedMessage, from client: RecorderClient) async throws
    /// A client has opened a connection; `count` are connected now.
    func connected(_ client: RecorderClient, count: Int) async
    /// A client has gone, with what went wrong unless it left properly; `count` are left.
    func left(_ client: RecorderClient, problem: String?, count: Int) async
    /// Something that a client sent was refused; the client was told so.
    func refused(_ refusal: Refusal, from client: RecorderClient) async
    /// Whether messages of a topic with this name are recorded; clients that wait for a recorder ask.
    func records(_ topicName: String) -> Bool
}

extension RecorderDelegate {
    package func connected(_ client: RecorderClient, count: Int) async {}
    package func left(_ client: RecorderClient, problem: String?, count: Int) async {}
    package func refused(_ refusal: Refusal, from client: RecorderClient) async {}
    package func records(_ topicName: String) -> Bool { true }
}

/// A connection to a server.
package struct RecorderClient: Hashable, Sendable, CustomStringConvertible {
    /// Counts from 1, in the order of the connections.
    package var number: Int
    /// Address and port.
    package var address: String

    package var description: String { "client \(number) (\(address))" }
}

/// Why an operation of a client was not carried out.
package struct Refusal: Error, Equatable, Sendable, CustomStringConvertible {
    package var topic: String?
    /// What was wrong: what was expected, and what was found.
    package var problem: String

    package init(topic: String? = nil, _ problem: String) {
        self.topic = topic
        self.problem = problem
    }

    package var description: String { topic.map { "\($0): \(problem)" } ?? problem }
}

/// Where a ``RosbridgeServer`` listens, and how strict it is.
package struct ServerOptions: Sendable {
    package var address: String
    /// 0 for any free port.
    package var port: Int
    /// Bytes in one message, whether it comes in one frame, many frames or many `fragment` operations.
    package var maximumMessageSize: Int
    /// Whether a message with keys that its type does not have is refused; otherwise they are dropped and counted.
    package var isStrict: Bool
    package var handshakeTimeout: Duration
    package var closeTimeout: Duration
    /// How compression is accepted from clients that offer it; `nil` for not at all.
    ///
    /// The size of a message is that of what it is decompressed to.
    package var compression: DeflateOptions?

    package init(
        address: String = "127.0.0.1",
        port: Int = RosbridgeURL.defaultPort,
        maximumMessageSize: Int = 64 << 20,
        isStrict: Bool = false,
        handshakeTimeout: Duration = .seconds(10),
        closeTimeout: Duration = .seconds(2),
        compression: DeflateOptions? = nil
    ) {
        self.address = address
        self.port = port
        self.maximumMessageSize = maximumMessageSize
        self.isStrict = isStrict
        self.handshakeTimeout = handshakeTimeout
        self.closeTimeout = closeTimeout
        self.compression = compression
    }
}

/// What a server has done.
package struct ServerReport: Equatable, Sendable {
    package struct UnknownField: Equatable, Sendable {
        package var topic: String
        /// The path of the key, such as `header.seq`.
        package var path: String
        package var count: Int

        package init(topic: String, path: String, count: Int) {
            self.topic = topic
            self.path = path
            self.count = count
        }
    }

    package var clients: Int
    package var received: Int
    package var refused: Int
    /// Keys that were dropped because their type does not have them; sorted by topic and path.
    package var unknownFields: [UnknownField]

    package init(clients: Int = 0, received: Int = 0, refused: Int = 0, unknownFields: [UnknownField] = []) {
        self.clients = clients
        self.received = received
        self.refused = refused
        self.unknownFields = unknownFields
    }
}
