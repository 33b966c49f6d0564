import Messages

/// Keeps what came, and does something at each message.
actor ListSink: MessageSink {
    private(set) var topics: [Topic] = []
    private(set) var messages: [StampedMessage] = []
    private let onMessage: (@Sendable (StampedMessage, Int) async throws -> Void)?

    init(onMessage: (@Sendable (StampedMessage, Int) async throws -> Void)? = nil) { self.onMessage = onMessage }

    /// Texts of std_msgs/String messages, else the topic, in the order in which they came.
    var texts: [String] {
        messages.map { $0.message.compiled(as: StringMessage.self)?.data ?? $0.topic.name }
    }

    func messages(_ topic: String) -> [StampedMessage] { messages.filter { $0.topic.name == topic } }

    /// The child frames of each message of a topic of transforms.
    func children(_ topic: String) -> [[String]] {
        messages(topic).map { message in
            message.message.compiled(as: TFMessage.self)?.transforms.map(\.childFrameID) ?? []
        }
    }

    func open(_ topics: [Topic]) async throws { self.topics = topics }

    func write(_ message: StampedMessage) async throws {
        messages.append(message)
        try await onMessage?(message, messages.count)
    }

    func finish() async throws -> SinkReport { report() }

    func report() -> SinkReport { SinkReport(topics: [.init(name: "all", written: messages.count)]) }
}

extension AnyMessage {
    var cdr: [UInt8] {
        var bytes: [UInt8] = []
        appendCDR(to: &bytes)
        return bytes
    }
}
