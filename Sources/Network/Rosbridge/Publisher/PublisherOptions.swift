package import Messages

/// The options of a ``RosbridgePublisher``; the defaults are those of `replay`.
package struct PublisherOptions: Sendable {
    package var transport: TransportOptions
    /// The policy for a full queue.
    package var onFull: OutgoingQueue.FullPolicy
    /// The capacity of the queue in bytes.
    package var queueBytes: Int
    /// The age at which a live run (``OutgoingQueue/FullPolicy/drop``) drops a bulk message.
    package var liveWindow: Duration
    /// The largest frame in bytes; a larger message is sent in fragments.
    package var maximumMessageSize: Int
    /// Whether a message above the limit may be split; otherwise it is an error.
    package var allowsFragments: Bool
    /// Whether barriers are used, for flow control, for confirmation and before closing.
    package var confirm: Bool
    /// The maximum of bytes between barriers; two barriers may be unanswered.
    package var windowBytes: Int
    /// Whether a cloud above the limit is sent with fewer points instead.
    package var fitsClouds: Bool
    /// The time limit for the first answer to a barrier; a server that does not answer gets no further barriers.
    package var barrierTimeout: Duration
    /// The time limit for later answers, after which the server is taken to hang.
    package var confirmTimeout: Duration
    /// How long the server has to live after a confirmation for it to be certain.
    ///
    /// After a lost connection, messages confirmed within this time before the last sign of life are sent again; zero
    /// sends none.
    package var resend: Duration
    /// The maximum of confirmed bytes that are kept for that; above it the oldest are dropped and counted.
    package var resendBytes: Int
    /// How long rosapi is asked, at the start and at the end, which topics the server has accepted; zero for not at
    /// all.
    package var topicCheck: Duration
    /// The pause between the advertisements and the first message, for DDS discovery.
    package var settle: Duration
    /// The policy for reconnecting; `nil` for never.
    package var reconnect: ReconnectPolicy?
    /// How long to try to reconnect; `nil` for ever.
    package var reconnectTimeout: Duration?
    /// How long to wait for a server, and for a subscriber of each topic; `nil` for not at all.
    package var waitForRecorder: Duration?
    /// Called at once with warnings that should not wait for the end, such as topics that the server does not accept.
    package var notice: (@Sendable (String) -> Void)?

    package init(
        transport: TransportOptions = TransportOptions(),
        onFull: OutgoingQueue.FullPolicy = .wait,
        queueBytes: Int = 64 << 20,
        liveWindow: Duration = .seconds(2),
        maximumMessageSize: Int = 1_000_000,
        allowsFragments: Bool = true,
        fitsClouds: Bool = false,
        confirm: Bool = true,
        windowBytes: Int = 4_000_000,
        barrierTimeout: Duration = .seconds(5),
        confirmTimeout: Duration = .seconds(30),
        resend: Duration = .seconds(1),
        resendBytes: Int = 32 << 20,
        topicCheck: Duration = .seconds(2),
        settle: Duration = .milliseconds(500),
        reconnect: ReconnectPolicy? = ReconnectPolicy(),
        reconnectTimeout: Duration? = .seconds(60),
        waitForRecorder: Duration? = nil,
        notice: (@Sendable (String) -> Void)? = nil
    ) {
        self.transport = transport
        self.onFull = onFull
        self.queueBytes = queueBytes
        self.liveWindow = liveWindow
        self.maximumMessageSize = max(maximumMessageSize, Fragmenter.smallestLimit)
        self.allowsFragments = allowsFragments
        self.fitsClouds = fitsClouds
        self.confirm = confirm
        self.windowBytes = windowBytes
        self.barrierTimeout = barrierTimeout
        self.confirmTimeout = confirmTimeout
        self.resend = resend
        self.resendBytes = resendBytes
        self.topicCheck = topicCheck
        self.settle = settle
        self.reconnect = reconnect
        self.reconnectTimeout = reconnectTimeout
        self.waitForRecorder = waitForRecorder
        self.notice = notice
    }
}

/// The state of a publisher, for a progress line.
package struct PublisherProgress: Equatable, Sendable {
    /// Whether messages can be sent now.
    package var isConnected: Bool
    package var sentMessages: Int
    package var sentBytes: Int
    package var confirmedMessages: Int
    package var queuedMessages: Int
    package var queuedBytes: Int
    package var reconnections: Int
    /// How often a working connection was lost.
    package var interruptions: Int
    /// How long nothing could be published because of that.
    package var disconnectedSeconds: Double
    /// Sorted by name.
    package var topics: [SinkReport.TopicCount]

    /// Sorted by name; only topics that lost something.
    package var droppedByTopic: [DroppedCount] {
        topics.filter { $0.dropped > 0 }.map { DroppedCount(topic: $0.name, count: $0.dropped) }
    }

    package struct DroppedCount: Equatable, Sendable {
        package var topic: String
        package var count: Int
    }

    package var droppedMessages: Int { topics.reduce(0) { $0 + $1.dropped } }
}
