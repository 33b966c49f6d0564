/// Counts the unsent pongs of a client, so that a server that pings without reading cannot make them pile up.
///
/// A client keeps reading even with unsent output, because confirmations may arrive; a server stops reading instead. A
/// ping need not be answered while earlier pongs are unsent (RFC 6455, 5.5.3).
struct WaitingPongs: Sendable {
    private static let limit = 256

    private var count = 0
    /// The output position at which the last pong ends.
    private var lastPosition = 0

    mutating func mayAdd(to output: OutputQueue) -> Bool {
        if output.isTaken(upTo: lastPosition) { count = 0 }
        return count < WaitingPongs.limit
    }

    mutating func noteAdded(to output: OutputQueue) {
        count += 1
        lastPosition = output.endPosition
    }
}
