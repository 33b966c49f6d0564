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

    /// - Parameter origins: Pages that may connect besides those of this machine and of the applications on the web.
    package init(_ server: ServerOptions, name: String, sessionID: String, origins: [String] = []) {
        self.server = server
        self.name = name
        self.sessionID = sessionID
        self.server.subprotocols = Self.subprotocols
        // Clouds and images hardly shrink, and the SDK has none either.
        self.server.compression = nil
        self.server.page = LivePage.page
        self.server.admission = { Self.refusal(of: $0, origins: origins) }
    }

    /// Any page that a browser has open could read a server on the same machine: it is asked where it is from.
    static func refusal(of request: ServerHandshake, origins: [String]) -> HandshakeRefusal? {
        let given = request.fields.filter { $0.name.lowercased() == "origin" }.map(\.value)
        let known = ["https://app.foxglove.dev", "https://lichtblick-suite.github.io"] + origins
        for origin in given where !known.contains(origin) && !isOfThisMachine(origin) && !isOfServer(origin, request) {
            return HandshakeRefusal(status: 403, reason: "Forbidden origin")
        }
        guard request.subprotocols.contains(where: subprotocols.contains) else {
            return HandshakeRefusal(status: 400, reason: "Missing expected sec-websocket-protocol header")
        }
        return nil
    }

    private static func isOfThisMachine(_ origin: String) -> Bool {
        guard let host = host(of: origin) else { return false }
        return ["localhost", "127.0.0.1", "[::1]"].contains(host)
    }

    /// Whether it is a page of this very server.
    private static func isOfServer(_ origin: String, _ request: ServerHandshake) -> Bool {
        let hosts = request.fields.filter { $0.name.lowercased() == "host" }.map(\.value)
        return hosts.count == 1 && ["http://\(hosts[0])", "https://\(hosts[0])"].contains(origin)
    }

    private static func host(of origin: String) -> String? {
        guard let start = origin.firstRange(of: "://")?.upperBound else { return nil }
        let place = origin[start...]
        if place.hasPrefix("["), let end = place.firstIndex(of: "]") { return String(place[...end]) }
        return place.split(separator: ":", omittingEmptySubsequences: false).first.map(String.init)
    }
}
