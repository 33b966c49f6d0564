/// The options of a ``RosbridgePublisher``; the command sets ``onFull`` and ``queueBytes`` itself.
package struct PublisherOptions: Sendable {
    package var transport = TransportOptions()
    /// The policy for a full queue.
    package var onFull: OutgoingQueue.FullPolicy = .wait
    /// The capacity of the queue in bytes.
    package var queueBytes = 64 << 20
    /// The age at which a live run (``OutgoingQueue/FullPolicy/drop``) drops a bulk message.
    package var liveWindow = Duration.seconds(2)
    /// The largest frame in bytes; a larger message is sent in fragments.
    package var maximumMessageSize = 1_000_000
    /// True if a message above the limit may be split; otherwise it is an error.
    package var allowsFragments = true
    /// True if barriers are used, for flow control, for confirmation and before closing.
    package var confirm = true
    /// The maximum of bytes between barriers; two barriers may be unanswered.
    package var windowBytes = 4_000_000
    /// True if a cloud above the limit is sent with fewer points instead.
    package var fitsClouds = false
    /// The time limit for the first answer to a barrier; a server that does not answer gets no further barriers.
    package var barrierTimeout = Duration.seconds(5)
    /// The time limit for later answers, after which the server is taken to hang.
    package var confirmTimeout = Duration.seconds(30)
    /// How long the server has to live after a confirmation for it to be certain.
    ///
    /// After a lost connection, messages confirmed within this time before the last sign of life are sent again; zero
    /// sends none.
    package var resend = Duration.seconds(1)
    /// The maximum of confirmed bytes that are kept for that; above it the oldest are dropped and counted.
    package var resendBytes = 32 << 20
    /// How long rosapi is asked, at the start and at the end, which topics the server has accepted; zero for not at
    /// all.
    package var topicCheck = Duration.seconds(2)
    /// The pause between the advertisements and the first message, for DDS discovery.
    package var settle = Duration.milliseconds(500)
    /// The policy for reconnecting; `nil` for never.
    package var reconnect: ReconnectPolicy? = ReconnectPolicy()
    /// How long to try to reconnect; `nil` for ever.
    package var reconnectTimeout: Duration? = .seconds(60)
    /// How long to wait for a server, and for a subscriber of each topic; `nil` for not at all.
    package var waitForRecorder: Duration?
    /// Called at once with warnings that should not wait for the end, such as topics that the server does not accept.
    package var notice: (@Sendable (String) -> Void)?

    /// The defaults, changed by `set`.
    package init(_ set: (inout Self) -> Void = { _ in }) { set(&self) }
}
