package import Messages

/// Receives the messages and events of a ``RosbridgeServer``.
package protocol RecorderDelegate: Sendable {
    /// Takes a client's decoded messages; calls for one client are made in order, one at a time.
    ///
    /// Suspending makes that client wait. An error means that nothing can be recorded any more, and ends the server.
    ///
    /// - Returns: the reasons why some of them cannot be recorded; the client is told.
    func received(_ messages: [StampedMessage], from client: RecorderClient) async throws -> [Refusal]
    /// A client has opened a connection; `count` are connected now.
    func connected(_ client: RecorderClient, count: Int) async
    /// A client has disconnected, with the problem unless it closed properly; `count` remain.
    func left(_ client: RecorderClient, problem: String?, count: Int) async
    /// A connection was refused: its TLS or WebSocket handshake failed or timed out.
    func turnedAway(_ address: String, problem: String) async
    /// An operation of a client was refused; the client was told.
    func refused(_ refusal: Refusal, from client: RecorderClient) async
    /// True if messages of this topic are recorded; clients that wait for a recorder ask for it.
    func records(_ topicName: String) -> Bool
}

extension RecorderDelegate {
    package func connected(_ client: RecorderClient, count: Int) async {}
    package func left(_ client: RecorderClient, problem: String?, count: Int) async {}
    package func turnedAway(_ address: String, problem: String) async {}
    package func refused(_ refusal: Refusal, from client: RecorderClient) async {}
    package func records(_ topicName: String) -> Bool { true }
}

/// Identifies a connection to a server.
package struct RecorderClient: Hashable, Sendable, CustomStringConvertible {
    /// Counts from 1, in the order of the connections.
    package var number: Int
    /// Address and port.
    package var address: String

    package init(number: Int, address: String) { (self.number, self.address) = (number, address) }

    package var description: String { "client \(number) (\(address))" }
}
