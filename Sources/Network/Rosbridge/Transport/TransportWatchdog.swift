import NIOCore
import Platform

/// Decides when a connection has to be pinged or given up.
struct TransportWatchdog {
    enum Verdict: Equatable {
        case nothing
        case ping
        case fail(RosbridgeError.Stage, String)
    }

    /// How many times the usual timeout a link gets while it still takes data.
    private static let slowLinkFactor = 6
    /// The same for the first word of a client whose place is wanted.
    private static let slowFirstWordFactor = 3

    private let options: TransportOptions
    private let startedAt: NIODeadline
    private var openedAt: NIODeadline?
    /// The time since which output waits and the socket has accepted none.
    private var stalledSince: NIODeadline?
    private var lastFlushAt: NIODeadline
    private var nextPingAt: NIODeadline?
    /// The time of a ping after which nothing has arrived.
    private var unansweredSince: NIODeadline?
    /// True if the peer has said anything since its handshake.
    private var hasSpoken = false
    /// When a peer that has not spoken was asked for a sign of life.
    private var askedAt: NIODeadline?

    init(options: TransportOptions, now: NIODeadline) {
        self.options = options
        startedAt = now
        lastFlushAt = now
    }

    /// The interval at which to call ``check(now:)``.
    var tickInterval: TimeAmount {
        let shortest = min(
            options.handshakeTimeout,
            options.stallTimeout,
            options.pingTimeout,
            options.pingInterval ?? .seconds(1)
        )
        return max(.milliseconds(10), min(.seconds(1), TimeAmount(shortest / 4)))
    }

    mutating func noteOpened(now: NIODeadline) {
        openedAt = now
        nextPingAt = options.pingInterval.map { now + TimeAmount($0) }
    }

    mutating func noteReceived() {
        hasSpoken = openedAt != nil
        (unansweredSince, askedAt) = (nil, nil)
    }

    /// While nothing is read, silence says nothing.
    mutating func noteNotReading() { unansweredSince = nil }

    /// True if the peer has to be pinged, because others wait for its place and it has said nothing yet.
    mutating func asksForSign(now: NIODeadline) -> Bool {
        guard openedAt != nil, !hasSpoken, askedAt == nil else { return false }
        askedAt = now
        return true
    }

    mutating func noteOutput(now: NIODeadline) {
        if stalledSince == nil { stalledSince = now }
    }

    mutating func noteFlushed(isWaiting: Bool, now: NIODeadline) {
        lastFlushAt = now
        stalledSince = isWaiting ? now : nil
    }

    mutating func check(now: NIODeadline) -> Verdict {
        if openedAt == nil, now - startedAt > TimeAmount(options.handshakeTimeout) {
            return .fail(.timeout, "expected the answer to the handshake within \(options.handshakeTimeout.text)")
        }
        if let stalledSince, now - stalledSince > TimeAmount(options.stallTimeout) {
            return .fail(
                .stalled,
                "expected the other end to read, found nothing taken for \(options.stallTimeout.text)"
            )
        }
        if let unansweredSince, stalledSince == nil {
            // A ping waits behind data that the system has accepted and not sent yet. On a slow link moving data shows
            // that the connection is alive, but only for a limited time, as the system's buffers are limited.
            let limit = options.pingTimeout
            let hasStopped = now - max(unansweredSince, lastFlushAt) > TimeAmount(limit)
            if hasStopped || now - unansweredSince > TimeAmount(limit * Self.slowLinkFactor) {
                return .fail(.timeout, "expected an answer to a ping within \(limit.text), found silence")
            }
        }
        if let askedAt {
            // As above; of a peer that does not take what is sent either, nothing is to be read.
            let limit = PlaceWanted.patience
            if now - max(askedAt, lastFlushAt) > limit || now - askedAt > limit * Self.slowFirstWordFactor {
                let text = "\(limit.nanoseconds / 1_000_000_000) s"
                let problem = "expected a sign of life within \(text), as others wait for a place, found silence"
                return .fail(.timeout, problem)
            }
        }
        if let nextPingAt, let interval = options.pingInterval, now >= nextPingAt, unansweredSince == nil {
            self.nextPingAt = now + TimeAmount(interval)
            unansweredSince = now
            return .ping
        }
        return .nothing
    }
}
