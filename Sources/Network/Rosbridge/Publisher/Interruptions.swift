/// How often a connection that had worked was lost, and how long nothing could be published because of it.
struct Interruptions: Sendable {
    private(set) var count = 0
    /// How many of them have ended.
    private(set) var reconnections = 0
    private var endedNanoseconds: Int64 = 0
    private var since: Int64?

    /// Notes a loss; one during an interruption belongs to it.
    mutating func begin(atNanoseconds time: Int64) {
        guard since == nil else { return }
        count += 1
        since = time
    }

    /// Notes that messages can be sent again.
    mutating func end(atNanoseconds time: Int64) {
        guard let since else { return }
        reconnections += 1
        endedNanoseconds += max(0, time - since)
        self.since = nil
    }

    /// The length of all of them, up to now where one goes on.
    func seconds(nowNanoseconds: Int64) -> Double {
        Double(endedNanoseconds + (since.map { max(0, nowNanoseconds - $0) } ?? 0)) / 1e9
    }
}

/// What a publisher knows of one connection.
struct ConnectionState: Sendable {
    /// When messages could be sent over it; `nil` before.
    var readyNanoseconds: Int64?
    /// When it last said anything.
    var lastHeardNanoseconds: Int64 = 0
    /// What the tracker had counted when it began.
    var progressBefore = 0
    var largestFrame = 0
    /// The topic and size of the last message that was sent over it.
    var lastMessage: String?
    /// Whether all that was written is confirmed, so that losing it costs nothing.
    var hasDeliveredEverything = false
}
