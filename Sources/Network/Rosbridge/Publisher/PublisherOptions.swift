/// The options of a ``RosbridgePublisher``; the command sets ``onFull`` and ``queueBytes`` itself.
package struct PublisherOptions: Sendable {
    package var transport = TransportOptions()
    package var onFull: OutgoingQueue.FullPolicy = .wait
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
    /// Called when the connection is lost, and when it is there again.
    package var notice: (@Sendable (String) -> Void)?
    /// Called at once with warnings that should not wait for the end, such as topics that the server does not accept.
    package var warning: (@Sendable (String) -> Void)?

    /// The defaults, changed by `set`.
    package init(_ set: (inout Self) -> Void = { _ in }) { set(&self) }
}

/// How long to wait before each attempt to connect again: briefly before the first, since most losses are short,
/// then twice as long each time, within bounds, with jitter.
package struct ReconnectPolicy: Sendable {
    package let initialDelaySeconds: Double
    package let maximumDelaySeconds: Double
    /// The step before the next attempt; `nil` before the first.
    private var stepSeconds: Double?

    package init(initialDelaySeconds: Double = 0.5, maximumDelaySeconds: Double = 30) {
        self.initialDelaySeconds = initialDelaySeconds
        self.maximumDelaySeconds = maximumDelaySeconds
    }

    /// The delay before the next attempt: 50 to 100 % of the current step, so that clients do not reconnect together.
    package mutating func nextDelaySeconds(using generator: inout some RandomNumberGenerator) -> Double {
        guard let step = stepSeconds else {
            stepSeconds = initialDelaySeconds
            return Double.random(in: 0...(initialDelaySeconds / 10), using: &generator)
        }
        stepSeconds = min(step * 2, maximumDelaySeconds)
        return Double.random(in: (step / 2)...step, using: &generator)
    }

    /// Limits the next step to four times the first one: the server is reachable, though connections do not last.
    package mutating func limitStep() {
        stepSeconds = stepSeconds.map { min($0, initialDelaySeconds * 4) }
    }

    /// Starts from the beginning after a connection that worked.
    package mutating func reset() { stepSeconds = nil }
}

/// Counts how often a working connection was lost, and how long nothing could be published because of it.
struct Interruptions: Sendable {
    private(set) var count = 0
    /// The number of interruptions that have ended.
    private(set) var reconnections = 0
    private var endedNanoseconds: Int64 = 0
    private var since: Int64?

    /// Notes a loss; a loss during an interruption is part of it.
    mutating func begin(atNanoseconds time: Int64) {
        guard since == nil else { return }
        count += 1
        since = time
    }

    /// Notes that messages can be sent again; returns how many seconds they could not, if so.
    mutating func end(atNanoseconds time: Int64) -> Double? {
        guard let since else { return nil }
        reconnections += 1
        endedNanoseconds += max(0, time - since)
        self.since = nil
        return Double(max(0, time - since)) / 1e9
    }

    /// The total length, up to now if an interruption goes on.
    func seconds(nowNanoseconds: Int64) -> Double {
        Double(endedNanoseconds + (since.map { max(0, nowNanoseconds - $0) } ?? 0)) / 1e9
    }
}

struct ConnectionState: Sendable {
    /// The time from which messages could be sent; `nil` before.
    var readyNanoseconds: Int64?
    /// The time of the last received frame.
    var lastHeardNanoseconds: Int64 = 0
    /// The tracker's count when the connection began.
    var progressBefore = 0
    var largestFrame = 0
    /// The topic and size of the last message that was sent over it.
    var lastMessage: String?
    /// True if everything written is confirmed, so that a loss of the connection costs nothing.
    var hasDeliveredEverything = false
}
