/// A message of a topic at a time.
package struct StampedMessage: Sendable {
    package var topic: Topic
    /// Nanoseconds since 1970: the header's stamp, and the time under which a bag files the message.
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
    /// What became of the messages so far, also after an error.
    func report() async -> SinkReport
    /// What the sink is and how it does; `nil` where there is nothing to say.
    func status() async -> SinkStatus?
}

/// What a sink did, by topic.
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
    /// Of a sink that has a connection.
    package var connection: Connection?
    /// Remarks for the user, such as a barrier that was not answered.
    package var warnings: [String]

    package init(topics: [TopicCount] = [], connection: Connection? = nil, warnings: [String] = []) {
        self.topics = topics
        self.connection = connection
        self.warnings = warnings
    }
}

/// What a sink is and how it does while it works, for a status that is published beside the messages.
package enum SinkStatus: Sendable, Hashable {
    /// A bag that is being written; neither its name nor its form, so that the messages in all forms are the same.
    case bag
    case bridge(Bridge)

    /// A connection to a server, and the queue before it.
    package struct Bridge: Sendable, Hashable {
        /// Without user and password.
        package var url: String
        package var isConnected: Bool
        package var interruptions: Int
        package var disconnectedSeconds: Double
        package var sentMessages: Int
        package var sentBytes: Int
        package var confirmedMessages: Int
        package var queuedMessages: Int
        package var queuedBytes: Int
        package var queueLimitBytes: Int
        package var droppedMessages: Int
        /// Sent again over a later connection.
        package var resentMessages: Int
        /// On topics that the server has not taken.
        package var refusedMessages: Int
        /// The last thing that went wrong.
        package var lastWarning: String?

        package init(
            url: String,
            isConnected: Bool,
            interruptions: Int,
            disconnectedSeconds: Double,
            sentMessages: Int,
            sentBytes: Int,
            confirmedMessages: Int,
            queuedMessages: Int,
            queuedBytes: Int,
            queueLimitBytes: Int,
            droppedMessages: Int,
            resentMessages: Int,
            refusedMessages: Int,
            lastWarning: String?
        ) {
            self.url = url
            self.isConnected = isConnected
            self.interruptions = interruptions
            self.disconnectedSeconds = disconnectedSeconds
            self.sentMessages = sentMessages
            self.sentBytes = sentBytes
            self.confirmedMessages = confirmedMessages
            self.queuedMessages = queuedMessages
            self.queuedBytes = queuedBytes
            self.queueLimitBytes = queueLimitBytes
            self.droppedMessages = droppedMessages
            self.resentMessages = resentMessages
            self.refusedMessages = refusedMessages
            self.lastWarning = lastWarning
        }
    }
}

extension MessageSink {
    package func status() async -> SinkStatus? { nil }
    package func seek(to timeNanoseconds: Int64) async {}
    package func hurry() async {}
}

extension Duration {
    /// How long the end of an interrupted run may take for its connections: a user waits two seconds in all.
    package static let hurry = Duration.milliseconds(1500)
}
