import Messages

/// Keeps every message, in the order in which it came.
actor CollectingSink: MessageSink {
    struct Refusal: Error, Equatable {
        var place: String
    }

    private(set) var topics: [Topic] = []
    private(set) var messages: [StampedMessage] = []
    private(set) var openCount = 0
    private(set) var finishCount = 0
    private let refusesMessage: Int?
    private let onMessage: (@Sendable (Int) -> Void)?

    /// - Parameter refusesMessage: throws at the message of this number, from 0.
    init(refusesMessage: Int? = nil, onMessage: (@Sendable (Int) -> Void)? = nil) {
        self.refusesMessage = refusesMessage
        self.onMessage = onMessage
    }

    func open(_ topics: [Topic]) async throws {
        openCount += 1
        self.topics = topics
    }

    func write(_ message: StampedMessage) async throws {
        onMessage?(messages.count)
        if messages.count == refusesMessage { throw Refusal(place: "write") }
        messages.append(message)
    }

    func finish() async throws -> SinkReport {
        finishCount += 1
        return report()
    }

    func report() -> SinkReport { SinkReport(topics: [.init(name: "all", written: messages.count)]) }
}
