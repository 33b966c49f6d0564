package import Rosbridge
package import Text
import WebSocket

/// How a recording is shown over Foxglove's protocol, and to which clients.
package struct FoxgloveOptions: Sendable {
    /// The names of the protocol: of the SDK, and of the applications before it, with the same messages.
    package static let subprotocols = ["foxglove.sdk.v1", "foxglove.websocket.v1"]

    package var server: ServerOptions
    /// The name of the source that clients show.
    package var name: String
    /// Tells clients whether they are connected to the same recording again.
    package var sessionID: String
    package var metadata: [String: String] = ["ROS_DISTRO": "jazzy"]
    /// The first and last time in nanoseconds since 1970; `nil` for what is being recorded, where nothing can be steered.
    package var span: ClosedRange<Int64>?
    /// How the recording that is shown stands, for the live page; `nil` for what is played.
    package var recording: (@Sendable () async -> JSONValue)?
    /// Makes the whole of what is played for the live page, once a page asks for it, and shows all there is each time that there is
    /// more; `nil` for what is being recorded.
    package var scene: (@Sendable (_ show: @escaping @Sendable (JSONValue) async -> Void) async throws -> Void)?
    /// The limit on messages that wait for one client; beyond it the oldest images and clouds are dropped.
    package var queueMessages = 1024
    package var queueBytes = 64 << 20
    /// True if nothing is dropped: the player waits for the slowest client.
    package var waits = false
    /// Told the port, once clients can connect.
    package var isListening: @Sendable (_ port: Int) -> Void = { _ in }
    /// Told what a user wants to know while it runs.
    package var notice: @Sendable (String) -> Void = { _ in }

    package init(_ server: ServerOptions, name: String, sessionID: String) {
        self.server = server
        self.name = name
        self.sessionID = sessionID
        self.server.subprotocols = Self.subprotocols
        self.server.admission = { request in
            guard !request.subprotocols.contains(where: Self.subprotocols.contains) else { return nil }
            return HandshakeRefusal(status: 400, reason: "Missing expected sec-websocket-protocol header")
        }
        // Clouds and images hardly shrink, and the SDK has none either.
        self.server.compression = nil
        let needsToken = server.token != nil
        self.server.page = { LivePage.page($0, needsToken: needsToken) }
    }
}
