import Platform

/// Decides whether, when and how to try again after a connection failed or was lost.
package struct ReconnectState: Sendable {
    /// The outcome of a connection.
    package struct Loss: Sendable {
        package var error: RosbridgeError
        /// True if messages were sent over it.
        package var hasSent: Bool
        /// True if it made progress: messages were confirmed, or it lasted for a while and lost none.
        package var wasFruitful: Bool
        /// The largest frame that was sent over it, in bytes.
        package var largestFrame: Int
        /// A description of the message being sent, for errors.
        package var message: String?
        package var nowNanoseconds: Int64

        package init(
            error: RosbridgeError,
            hasSent: Bool = false,
            wasFruitful: Bool = false,
            largestFrame: Int = 0,
            message: String? = nil,
            nowNanoseconds: Int64
        ) {
            self.error = error
            self.hasSent = hasSent
            self.wasFruitful = wasFruitful
            self.largestFrame = largestFrame
            self.message = message
            self.nowNanoseconds = nowNanoseconds
        }
    }

    package enum Decision: Equatable, Sendable {
        case giveUp(RosbridgeError)
        case retry(afterSeconds: Double)
    }

    /// The largest frame to send; it shrinks once the server has refused a frame for its size.
    package private(set) var frameLimit: Int
    /// The number of consecutive connections that were lost before a message was confirmed.
    package private(set) var fruitlessConnections = 0

    private var policy: ReconnectPolicy
    private let mayReconnect: Bool
    private let reconnectTimeout: Duration?
    private let wait: Duration?
    private let mayShrink: Bool
    private let startNanoseconds: Int64
    private var hasBeenReady = false
    private var firstLoss: (error: RosbridgeError, nanoseconds: Int64)?

    /// The lowest frame limit that is tried.
    package static let smallestFrameLimit = 16_000
    /// The number of connections lost over the same message after which the message is taken for the cause.
    private static let suspiciousConnections = 4
    private static let smallestSuspiciousFrame = 64_000

    package init(_ options: PublisherOptions, nowNanoseconds: Int64) {
        frameLimit = max(options.maximumMessageSize, Fragmenter.smallestLimit)
        policy = options.reconnect ?? ReconnectPolicy()
        mayReconnect = options.reconnect != nil
        reconnectTimeout = options.reconnectTimeout
        wait = options.waitForRecorder
        mayShrink = options.allowsFragments
        startNanoseconds = nowNanoseconds
    }

    /// The deadline for attempts; `nil` for none.
    package var deadlineNanoseconds: Int64? {
        if !hasBeenReady { return wait.map { startNanoseconds.saturatingSum($0.nanoseconds) } }
        return firstLoss.flatMap { loss in reconnectTimeout.map { loss.nanoseconds.saturatingSum($0.nanoseconds) } }
    }

    /// Notes that a connection is ready for messages.
    package mutating func noteReady() { hasBeenReady = true }

    package mutating func decide(_ loss: Loss, using generator: inout some RandomNumberGenerator) -> Decision {
        guard hasBeenReady else { return decideAboutStart(loss, using: &generator) }
        guard mayReconnect else { return .giveUp(loss.error) }
        if loss.wasFruitful || firstLoss == nil {
            firstLoss = (loss.error, loss.nowNanoseconds)
            fruitlessConnections = 0
            policy.reset()
        }
        if loss.hasSent, !loss.wasFruitful {
            fruitlessConnections += 1
            policy.limitStep()
        }
        if loss.error.closeCode == CloseCodes.messageTooBig {
            return shrink(below: loss.largestFrame) ? .retry(afterSeconds: 0) : .giveUp(loss.error)
        }
        guard loss.error.isTransient else { return .giveUp(loss.error) }
        let isSuspicious = fruitlessConnections >= ReconnectState.suspiciousConnections
        // Not every server closes with 1009 when a frame is too large.
        if isSuspicious, loss.largestFrame / 2 >= ReconnectState.smallestSuspiciousFrame {
            _ = shrink(below: loss.largestFrame)
        }
        return retry(loss, using: &generator) ?? .giveUp(isSuspicious ? surrender(loss) : neverBack(loss.error))
    }

    private mutating func decideAboutStart(
        _ loss: Loss,
        using generator: inout some RandomNumberGenerator
    ) -> Decision {
        guard let wait, loss.error.isTransient else { return .giveUp(loss.error) }
        if let retry = retry(loss, using: &generator) { return retry }
        var error = loss.error
        error.problem += " (waited \(wait.text) for the server)"
        return .giveUp(error)
    }

    /// Returns another attempt, unless the time for attempts is over.
    private mutating func retry(_ loss: Loss, using generator: inout some RandomNumberGenerator) -> Decision? {
        var delay = policy.nextDelaySeconds(using: &generator)
        if let asked = loss.error.retryAfterSeconds { delay = max(delay, Double(asked)) }
        guard let deadline = deadlineNanoseconds else { return .retry(afterSeconds: delay) }
        let left = Double(deadline - loss.nowNanoseconds) / 1e9
        guard left > 0 else { return nil }
        return .retry(afterSeconds: min(delay, left))
    }

    /// Lowers the frame limit to half of the largest frame sent; returns false if that is below the lowest limit.
    private mutating func shrink(below largestFrame: Int) -> Bool {
        let half = min(frameLimit, largestFrame) / 2
        guard mayShrink, half >= ReconnectState.smallestFrameLimit else { return false }
        frameLimit = half
        return true
    }

    /// The error for a connection that is lost each time the same message is sent.
    private func surrender(_ loss: Loss) -> RosbridgeError {
        RosbridgeError(
            loss.error.server,
            .lost,
            "expected the server to take \(loss.message ?? "what it is sent"), found the connection lost"
                + " \(fruitlessConnections) times (\(loss.error.problem))",
            advice: "is the message too large for the server? lower --max-message-size"
        )
    }

    /// The error for a server that could not be reached again.
    private func neverBack(_ last: RosbridgeError) -> RosbridgeError {
        guard var error = firstLoss?.error else { return last }
        let time = reconnectTimeout.map { " for \($0.text)" } ?? ""
        error.problem += "; tried\(time) to connect again"
        if last != error { error.problem += " (\(last.problem))" }
        return error
    }

    private enum CloseCodes {
        static let messageTooBig: UInt16 = 1009
    }
}

extension Int64 {
    fileprivate func saturatingSum(_ other: Int64) -> Int64 {
        let (sum, overflow) = addingReportingOverflow(other)
        return overflow ? .max : sum
    }
}
