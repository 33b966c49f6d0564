package import Rosbridge
import WebSocket

/// How a recording is shown over Foxglove's protocol, and to which clients.
package struct FoxgloveOptions: Sendable {
    /// The names of the protocol: of the SDK, and of the applications before it, with the same messages.
    package static let subprotocols = ["foxglove.sdk.v1", "foxglove.websocket.v1"]

    package var server: ServerOptions
    /// What clients show as the name of the source.
    package var name: String
    /// Tells clients whether they are connected to the same recording again.
    package var sessionID: String
    package var metadata: [String: String] = ["ROS_DISTRO": "jazzy"]
    /// The first and last time in nanoseconds since 1970; `nil` for what is being recorded, where nothing can be steered.
    package var span: ClosedRange<Int64>?
    /// What may wait for one client; beyond it the oldest images and clouds are dropped.
    package var queueMessages = 1024
    package var queueBytes = 64 << 20
    /// Whether nothing is dropped: the player waits for the slowest client.
    package var waits = false
    /// Told the port, once clients can connect.
    package var isListening: @Sendable (_ port: Int) -> Void = { _ in }
    /// Told what a user wants to know while it runs.
    package var notice: @Sendable (String) -> Void = { _ in }

    /// Pages that may connect besides those of this machine and of the applications, such as `https://example.org`.
    package var origins: [String]

    package init(_ server: ServerOptions, name: String, sessionID: String, origins: [String] = []) {
        self.server = server
        self.name = name
        self.sessionID = sessionID
        self.origins = origins
        self.server.subprotocols = Self.subprotocols
        // Clouds and images hardly shrink, and the SDK has none either.
        self.server.compression = nil
        let needsToken = server.token != nil
        self.server.page = { LivePage.page($0, needsToken: needsToken) }
    }

    /// Why a request is refused; `nil` where it is not.
    func refusal(of request: ServerHandshake) -> HandshakeRefusal? {
        if refusedOrigin(of: request) != nil { return HandshakeRefusal(status: 403, reason: "Forbidden origin") }
        guard request.subprotocols.contains(where: Self.subprotocols.contains) else {
            return HandshakeRefusal(status: 400, reason: "Missing expected sec-websocket-protocol header")
        }
        return nil
    }

    /// The page that may not connect: any that a browser has open could read a server on the same machine.
    func refusedOrigin(of request: ServerHandshake) -> String? {
        let hosts = request.fields.filter { $0.name.lowercased() == "host" }.map(\.value)
        return request.fields.filter { $0.name.lowercased() == "origin" }.map(\.value).first { origin in
            !OriginRule.isOfApplication(origin) && !OriginRule.isOfThisMachine(origin) && !origins.contains(origin)
                && !(hosts.count == 1 && OriginRule.isOfServer(origin, host: hosts[0], isSecure: server.tls != nil))
        }
    }
}
