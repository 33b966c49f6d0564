/// A message of a topic at a time.
package struct StampedMessage: Sendable {
    package var topic: Topic
    /// Nanoseconds since 1970: the header's stamp, and the time under which a bag files the message.
    package var timeNanoseconds: Int64
    package var message: any MessagePayload

    package init(topic: Topic, timeNanoseconds: Int64, message: any MessagePayload) {
        self.topic = topic
        self.timeNanoseconds = timeNanoseconds
        self.message = message
    }
}

/// Where messages go: a bag, a rosbridge server, a counter.
package protocol MessageSink: Sendable {
    /// Called once before the first message, with every topic that may follow.
    func open(_ topics: [Topic]) async throws
    /// Takes one message; suspending is the back-pressure.
    func write(_ message: StampedMessage) async throws
    /// Makes everything written permanent (a bag) or delivered (a connection), and says what became of it.
    func finish() async throws -> SinkReport
    /// What became of the messages so far, also after an error.
    func report() async -> SinkReport
}

/// What a sink did, by topic.
package struct SinkReport: Sendable {
    package struct TopicCount: Sendable, Hashable {
        package var name: String
        package var written: Int
        package var dropped: Int
        /// Messages handed over whose arrival was never confirmed.
        package var unconfirmed: Int
        /// Bytes as encoded for this sink.
        package var bytes: Int

        package init(name: String, written: Int = 0, dropped: Int = 0, unconfirmed: Int = 0, bytes: Int = 0) {
            self.name = name
            self.written = written
            self.dropped = dropped
            self.unconfirmed = unconfirmed
            self.bytes = bytes
        }
    }

    /// Sorted by name.
    package var topics: [TopicCount]
    /// Remarks for the user, such as a barrier that was not answered.
    package var warnings: [String]

    package init(topics: [TopicCount] = [], warnings: [String] = []) {
        self.topics = topics
        self.warnings = warnings
    }
}
