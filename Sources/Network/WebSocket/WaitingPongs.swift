/// How many pongs of a client wait to be sent: a server that pings and does not read gets no more of them.
///
/// A client reads on whatever waits, because confirmations may come; a server can leave a client unread instead.
/// Not every ping has to be answered while earlier answers are still to be sent (RFC 6455, 5.5.3).
struct WaitingPongs: Sendable {
    private static let limit = 256

    private var count = 0
    /// Where in the output the last one ends.
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
