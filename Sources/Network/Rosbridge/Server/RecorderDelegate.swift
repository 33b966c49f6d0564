package import Messages

/// What a ``RosbridgeServer`` reports to the recorder.
package protocol RecorderDelegate: Sendable {
    /// A client's messages, typed and checked. Those of one client come in their order, one call after the other.
    ///
    /// Suspending makes that client wait. An error ends the server: it means that nothing can be recorded any more.
    ///
    /// - Returns: why some of them cannot be recorded; the client is told.
    func received(_ messages: [StampedMessage], from client: RecorderClient) async throws -> [Refusal]
    /// The same for one message, which is slower.
    func received(_ message: StampedMessage, from client: RecorderClient) async throws
    /// A client has opened a connection; `count` are connected now.
    func connected(_ client: RecorderClient, count: Int) async
    /// A client has gone, with what went wrong unless it left properly; `count` are left.
    func left(_ client: RecorderClient, problem: String?, count: Int) async
    /// A connection was not let in: its TLS or WebSocket handshake was refused, or took too long.
    func turnedAway(_ address: String, problem: String) async
    /// Something that a client sent was refused; the client was told so.
    func refused(_ refusal: Refusal, from client: RecorderClient) async
    /// Whether messages of a topic with this name are recorded; clients that wait for a recorder ask.
    func records(_ topicName: String) -> Bool
}

extension RecorderDelegate {
    package func received(_ messages: [StampedMessage], from client: RecorderClient) async throws -> [Refusal] {
        var refusals: [Refusal] = []
        for message in messages {
            do {
                try await received(message, from: client)
            } catch let refusal as Refusal {
                refusals.append(refusal)
            }
        }
        return refusals
    }

    package func received(_ message: StampedMessage, from client: RecorderClient) async throws {}
    package func connected(_ client: RecorderClient, count: Int) async {}
    package func left(_ client: RecorderClient, problem: String?, count: Int) async {}
    package func turnedAway(_ address: String, problem: String) async {}
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
