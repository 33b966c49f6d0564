package import Messages

/// How a ``RosbridgePublisher`` behaves; the defaults are those of `replay`.
package struct PublisherOptions: Sendable {
    package var transport: TransportOptions
    /// What happens when the queue is full.
    package var onFull: OutgoingQueue.FullPolicy
    /// Bytes that the queue holds.
    package var queueBytes: Int
    /// The age at which a live run (``OutgoingQueue/FullPolicy/drop``) gives a message up.
    package var liveWindow: Duration
    /// The largest frame; a larger message goes out in fragments.
    package var maximumMessageSize: Int
    /// Whether a message above the limit may be split; if not, it is an error.
    package var allowsFragments: Bool
    /// Whether barriers are used: to limit what is under way, to know what arrived, and before closing.
    package var confirm: Bool
    /// Bytes after which a barrier is sent; two may be unanswered.
    package var windowBytes: Int
    /// Whether a cloud above the limit is sent with fewer points instead.
    package var fitsClouds: Bool
    /// How long the first answer to a barrier is awaited; a server that does not give it gets no further ones.
    package var barrierTimeout: Duration
    /// How long a later answer is awaited, of a server that has answered before, until it is taken to hang.
    package var confirmTimeout: Duration
    /// How long the server has to be alive after a confirmation: what was confirmed later than this before a connection
    /// was lost is sent again; zero for nothing.
    package var resend: Duration
    /// Bytes of confirmed messages that are kept for that; where they do not suffice, the oldest are given up, and
    /// counted.
    package var resendBytes: Int
    /// How long rosapi is asked at most, at the start and at the end, which topics the server has taken; zero for not
    /// at all.
    package var topicCheck: Duration
    /// The pause between the advertisements and the first message, in which subscribers find each other.
    package var settle: Duration
    /// How a lost connection is made again; `nil` for not at all.
    package var reconnect: ReconnectPolicy?
    /// How long to try to connect again before giving up; `nil` for ever.
    package var reconnectTimeout: Duration?
    /// How long to wait for a server, and for a subscriber of each topic; `nil` for not at all.
    package var waitForRecorder: Duration?
    /// Is told at once what the user should not learn at the end only, such as topics that the server does not take.
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

/// What a publisher has done so far, for a line of progress.
package struct PublisherProgress: Equatable, Sendable {
    /// Whether messages can be sent now.
    package var isConnected: Bool
    package var sentMessages: Int
    package var sentBytes: Int
    package var confirmedMessages: Int
    package var queuedMessages: Int
    package var queuedBytes: Int
    package var reconnections: Int
    /// How often a connection that had worked was lost.
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
