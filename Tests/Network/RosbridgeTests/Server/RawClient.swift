import NIOPosix
import Rosbridge
import Text
import WebSocket

/// A client that sends what it is told and collects the answers.
struct RawClient: Sendable {
    let transport: WebSocketTransport
    private let replies: Task<[String], any Error>

    init(port: Int, stallTimeout: Duration = .seconds(30)) async throws {
        let options = TransportOptions {
            $0.stallTimeout = stallTimeout
            $0.pingInterval = nil
        }
        let transport = try await WebSocketTransport.connect(
            to: try localURL(port),
            options: options,
            on: MultiThreadedEventLoopGroup.singleton.next()
        )
        self.transport = transport
        replies = Task {
            var texts: [String] = []
            for try await batch in transport.batches {
                texts += batch.map { String(decoding: $0.payload, as: UTF8.self) }
                transport.receiveMore()
                // The answer to the last call.
                if texts.last?.contains(#""id":"end""#) ?? false { break }
            }
            return texts
        }
    }

    func send(_ texts: String...) async throws {
        for text in texts { try await transport.send(.text(text)) }
    }

    /// Waits until everything sent is handled, leaves, and returns the answers, parsed.
    func end() async throws -> [JSONValue] {
        try await send(#"{"op":"call_service","id":"end","service":"/none"}"#)
        let texts = try await replies.value
        await transport.close()
        return try texts.dropLast().map { try JSONValue.parse($0) }
    }

    /// Waits for the other end to close, and returns its error.
    func closure() async throws -> RosbridgeError? {
        do {
            _ = try await replies.value
            return nil
        } catch let error as RosbridgeError {
            return error
        }
    }
}

let advertiseChatter = #"{"op":"advertise","topic":"/chatter","type":"std_msgs/String"}"#
