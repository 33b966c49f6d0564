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

/// The state of one connection of a publisher.
struct ConnectionState: Sendable {
    /// The time from which messages could be sent; `nil` before.
    var readyNanoseconds: Int64?
    /// The time of the last received frame.
    var lastHeardNanoseconds: Int64 = 0
    /// What the tracker had counted when it began.
    var progressBefore = 0
    var largestFrame = 0
    /// The topic and size of the last message that was sent over it.
    var lastMessage: String?
    /// Whether everything written is confirmed, so that a loss of the connection costs nothing.
    var hasDeliveredEverything = false
}
