import Messages
import Rosbridge
import WebSocket

/// Keeps what a server was told.
actor RecordingDelegate: RecorderDelegate {
    private(set) var messages: [StampedMessage] = []
    private(set) var refusals: [Refusal] = []
    private(set) var events: [String] = []
    private(set) var problems: [String] = []
    private(set) var refusedConnections: [String] = []
    private let delay: Duration
    private let failure: (any Error)?

    init(delay: Duration = .zero, failure: (any Error)? = nil) {
        self.delay = delay
        self.failure = failure
    }

    var texts: [String] { messages.compactMap { ($0.message as? StringMessage)?.data } }
    var sizes: [Int] { messages.compactMap { ($0.message as? CompressedImage)?.data.count } }

    func received(_ batch: [StampedMessage], from client: RecorderClient) async throws -> [Refusal] {
        for message in batch {
            if let failure { throw failure }
            if delay > .zero { try await Task.sleep(for: delay) }
            messages.append(message)
        }
        return []
    }

    func connected(_ client: RecorderClient, count: Int) async {
        events.append("connected \(client.number), \(count)")
    }

    func left(_ client: RecorderClient, problem: String?, count: Int) async {
        events.append("left \(client.number), \(count)")
        if let problem { problems.append(problem) }
    }

    func turnedAway(_ address: String, problem: String) async {
        refusedConnections.append(problem)
    }

    func refused(_ refusal: Refusal, from client: RecorderClient) async {
        refusals.append(refusal)
    }
}

/// A server on a free port with a delegate that keeps what it is told.
func startServer(
    delegate: RecordingDelegate = RecordingDelegate(),
    maximumMessageSize: Int = 64 << 20,
    isStrict: Bool = false,
    compression: DeflateOptions? = nil
) async throws -> (server: RosbridgeServer, delegate: RecordingDelegate, port: Int) {
    let options = ServerOptions {
        $0.port = 0
        $0.maximumMessageSize = maximumMessageSize
        $0.isStrict = isStrict
        $0.compression = compression
    }
    let server = RosbridgeServer(options, delegate: delegate)
    return (server, delegate, try await server.start())
}

/// The same with any options.
func startServer(
    _ options: ServerOptions,
    delay: Duration = .zero
) async throws -> (server: RosbridgeServer, delegate: RecordingDelegate, port: Int) {
    var options = options
    options.port = 0
    let delegate = RecordingDelegate(delay: delay)
    let server = RosbridgeServer(options, delegate: delegate)
    return (server, delegate, try await server.start())
}

/// Connects and leaves.
func visit(_ port: Int, _ fields: [HTTPField] = [], user: String = "") async throws {
    let url = try RosbridgeURL("ws://\(user)127.0.0.1:\(port)")
    let options = TransportOptions {
        $0.fields = fields
        $0.pingInterval = nil
    }
    await (try WebSocketTransport.connect(to: url, options: options)).close()
}
