import NIOCore

/// Decides, from what it is told and the time, when a connection has to be pinged or given up.
struct TransportWatchdog {
    enum Verdict: Equatable {
        case nothing
        case ping
        case fail(RosbridgeError.Stage, String)
    }

    /// How many times the usual timeout a link gets while it still takes data.
    private static let slowLinkFactor = 6

    private let options: TransportOptions
    private let startedAt: NIODeadline
    private var openedAt: NIODeadline?
    /// Since when output has waited without any of it being taken by the socket.
    private var stalledSince: NIODeadline?
    private var lastFlushAt: NIODeadline
    private var nextPingAt: NIODeadline?
    /// When a ping was sent after which nothing has arrived.
    private var unansweredSince: NIODeadline?

    init(options: TransportOptions, now: NIODeadline) {
        self.options = options
        startedAt = now
        lastFlushAt = now
    }

    /// How often ``check(now:)`` should be called.
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

    mutating func noteReceived(now: NIODeadline) {
        unansweredSince = nil
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
            // A ping waits behind what the system has taken and not sent yet: on a slow link a stream that moves is alive,
            // but not for ever, as there is an end to what the system takes.
            let limit = options.pingTimeout
            let hasStopped = now - max(unansweredSince, lastFlushAt) > TimeAmount(limit)
            if hasStopped || now - unansweredSince > TimeAmount(limit * Self.slowLinkFactor) {
                return .fail(.timeout, "expected an answer to a ping within \(limit.text), found silence")
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
