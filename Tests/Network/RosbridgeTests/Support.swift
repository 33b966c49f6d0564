import Foundation
import Messages
import Rosbridge
import TestSupport

/// Yields numbers that are the same in every run.
struct SeededRandomness: RandomNumberGenerator, Sendable {
    var state: UInt64

    init(seed: UInt64 = 1) { state = seed &* 0x9E37_79B9_7F4A_7C15 | 1 }

    mutating func next() -> UInt64 {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return state &* 0x2545_F491_4F6C_DD1D
    }
}

extension Topic {
    static let chatter = Topic(name: "/chatter", type: StringMessage.self)
    static let cloud = Topic(name: "/cloud", type: CompressedImage.self, delivery: .latest)
    static let image = Topic(name: "/image", type: CompressedImage.self, delivery: .latest)
    static let fixed = Topic(name: "/fixed", type: StringMessage.self, qos: .latched, delivery: .control)
}

func text(_ text: String, on topic: Topic = .chatter) -> StampedMessage {
    StampedMessage(topic: topic, timeNanoseconds: 0, message: StringMessage(data: text))
}

func bytes(_ count: Int, on topic: Topic = .cloud) -> StampedMessage {
    var message = CompressedImage()
    message.data = [UInt8](repeating: 0x5A, count: count)
    return StampedMessage(topic: topic, timeNanoseconds: 0, message: message)
}

func item(_ message: StampedMessage, bytes: Int = 10, at nanoseconds: Int64 = 0) -> OutgoingQueue.Item {
    OutgoingQueue.Item(message: message, byteCount: bytes, queuedNanoseconds: nanoseconds)
}

extension OutgoingQueue.Item {
    /// The text of a string message, or its topic.
    var label: String { (message.message as? StringMessage)?.data ?? message.topic.name }
}

/// Options for tests on this machine: no pause, short waits, nothing sent again that was confirmed, no questions to
/// rosapi.
func quickOptions() -> PublisherOptions {
    PublisherOptions {
        $0.barrierTimeout = .seconds(20)
        $0.resend = .zero
        $0.topicCheck = .zero
        $0.settle = .zero
        $0.reconnect = ReconnectPolicy(initialDelaySeconds: 0.01, maximumDelaySeconds: 0.05)
    }
}

func localURL(_ port: Int) throws -> RosbridgeURL {
    try RosbridgeURL("ws://127.0.0.1:\(port)")
}

/// Waits until something is so; the test's own time limit ends a wait for ever.
func until(_ condition: () async throws -> Bool) async throws {
    while try await !condition() { try await Task.sleep(for: .milliseconds(10)) }
}
