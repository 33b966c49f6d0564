/// A message of a topic at a time.
package struct StampedMessage: Sendable {
    package var topic: Topic
    /// The bag timestamp (`log_time` of MCAP), in nanoseconds since 1970.
    ///
    /// In messages of a session it equals `header.stamp`, except in a bag that mirrors a `replay` after a backward seek.
    package var timeNanoseconds: Int64
    package var message: any AnyMessage

    package init(topic: Topic, timeNanoseconds: Int64, message: any AnyMessage) {
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
    /// Told that what follows is of another place in the recording.
    func seek(to timeNanoseconds: Int64) async
    /// Makes everything written permanent (a bag) or delivered (a connection), and says what became of it.
    func finish() async throws -> SinkReport
    /// Told that the user wants an end: a connection gives up what is not sent within ``Duration/hurry``.
    func hurry() async
    /// Told before ``finish()`` that an error ended what was written: what can be made again must not look finished.
    func giveUp() async
    /// The report so far, also after an error.
    func report() async -> SinkReport
    /// The kind and the condition of the sink; `nil` where there is nothing to say.
    func status() async -> SinkStatus?
}

package struct SinkReport: Sendable {
    package struct TopicCount: Sendable, Hashable {
        package var name: String
        /// Messages handed over, each counted once, however often it was sent.
        package var written: Int
        /// Messages that were given up before they were handed over.
        package var dropped: Int
        /// Messages handed over whose arrival was never confirmed, or not for certain: a connection that is lost soon
        /// after a confirmation takes it back until the message is sent again.
        package var unconfirmed: Int
        /// Messages handed over on a topic that the server has not taken, as it says itself: it throws them away.
        package var refused: Int
        /// Messages that were still waiting to be handed over at the end.
        package var unsent: Int
        /// Clouds handed over with fewer points than they had, so that they fit into a frame.
        package var thinned: Int
        /// Points of the thinned clouds that were handed over, and that they had before.
        package var keptPoints: Int
        package var offeredPoints: Int
        /// Bytes as encoded for this sink.
        package var bytes: Int

        package var confirmed: Int { written - unconfirmed - refused }

        package init(name: String, written: Int = 0, dropped: Int = 0, unconfirmed: Int = 0, bytes: Int = 0) {
            self.name = name
            self.written = written
            self.dropped = dropped
            self.unconfirmed = unconfirmed
            self.bytes = bytes
            (refused, unsent, thinned, keptPoints, offeredPoints) = (0, 0, 0, 0, 0)
        }
    }

    /// How well a connection held.
    package struct Connection: Sendable, Hashable {
        /// True if the other side confirms what it has handled; what is written may otherwise never have arrived.
        package var isConfirming: Bool
        /// How often the connection was lost after it had been ready.
        package var interruptions: Int
        /// How long nothing could be published because of that.
        package var disconnectedSeconds: Double
        /// Messages that were sent again over a later connection, each counted as often as it was.
        package var resent: Int
        /// Those of them that had been confirmed before.
        package var resentAfterConfirmation: Int
        /// How many receivers there were in all, where each has what it asks for; `nil` where there is one.
        package var receivers: Int?
        /// How long the producer waited for room, as the queue was full of what must not be dropped.
        package var waitedSeconds: Double

        package init(
            isConfirming: Bool = true,
            interruptions: Int = 0,
            disconnectedSeconds: Double = 0,
            resent: Int = 0,
            resentAfterConfirmation: Int = 0,
            waitedSeconds: Double = 0
        ) {
            self.isConfirming = isConfirming
            self.interruptions = interruptions
            self.disconnectedSeconds = disconnectedSeconds
            self.resent = resent
            self.resentAfterConfirmation = resentAfterConfirmation
            self.waitedSeconds = waitedSeconds
        }
    }

    /// Sorted by name.
    package var topics: [TopicCount]
    package var connection: Connection?
    /// Remarks for the user, such as a barrier that was not answered.
    package var warnings: [String]

    package init(topics: [TopicCount] = [], connection: Connection? = nil, warnings: [String] = []) {
        self.topics = topics
        self.connection = connection
        self.warnings = warnings
    }
}

/// The kind and the condition of a sink while it works, for a status that is published beside the messages.
package enum SinkStatus: Sendable, Hashable {
    /// A bag that is being written; neither its name nor its form, so that the messages in all forms are the same.
    case bag
    case bridge(Bridge)

    /// A connection to a server, and the queue before it.
    package struct Bridge: Sendable, Hashable {
        /// Without user and password.
        package var url: String
        package var isConnected = false
        /// How often a working connection was lost, and how often it came back.
        package var interruptions = 0
        package var reconnections = 0
        package var disconnectedSeconds = 0.0
        package var sentMessages = 0
        package var sentBytes = 0
        package var confirmedMessages = 0
        package var queuedMessages = 0
        package var queuedBytes = 0
        package var queueLimitBytes = 0
        package var droppedMessages = 0
        /// Sent again over a later connection.
        package var resentMessages = 0
        /// On topics that the server has not taken.
        package var refusedMessages = 0
        /// Sorted by name.
        package var topics: [SinkReport.TopicCount] = []
        /// The last thing that went wrong.
        package var lastWarning: String?

        package init(url: String, _ set: (inout Self) -> Void = { _ in }) {
            self.url = url
            set(&self)
        }
    }
}

extension MessageSink {
    package func status() async -> SinkStatus? { nil }
    package func seek(to timeNanoseconds: Int64) async {}
    package func hurry() async {}
    package func giveUp() async {}
}

extension Duration {
    /// How long the end of an interrupted run may take for its connections: a user waits two seconds in all.
    package static let hurry = Duration.milliseconds(1500)
}
