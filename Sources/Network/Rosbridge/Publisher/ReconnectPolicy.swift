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
    package mutating func reset() {
        stepSeconds = nil
    }
}
