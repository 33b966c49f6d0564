import Translation

/// The clock of a device: what Unix time is ahead of it.
package struct ArvosClock: Sendable, Hashable {
    package var offsetNanoseconds: Int64
    /// The first time that it showed.
    package var firstNanoseconds: Int64
    /// True if the device sends Unix time itself.
    package var isUnix: Bool

    /// A clock that is known already, from its beginning.
    init(offsetNanoseconds: Int64) {
        self.offsetNanoseconds = offsetNanoseconds
        (firstNanoseconds, isUnix) = (0, offsetNanoseconds == 0)
    }

    init(first timestamp: Int64, receivedNanoseconds: Int64) {
        isUnix = Self.isUnix(timestamp)
        firstNanoseconds = timestamp
        offsetNanoseconds = isUnix ? 0 : receivedNanoseconds &- timestamp
    }

    /// Times count from the start of a phone or from 1970.
    static func isUnix(_ timestamp: Int64) -> Bool { timestamp >= EpochAnchor.oldestUnixNanoseconds }

    /// How much later than the clock shows something came.
    func lateness(of timestamp: Int64, receivedNanoseconds: Int64) -> Int64 {
        receivedNanoseconds &- (timestamp &+ offsetNanoseconds)
    }
}

/// Notices that the clock of a connection's device stood still, as it does while a phone sleeps.
///
/// Messages that suddenly come seconds late were either held up on their way, or the clock stood still. Those that
/// were held up follow one another faster than they were made, so that their lag falls; so some messages are held
/// until that is known.
struct ArvosSleepWatch {
    /// A sudden lag above this is looked into.
    private static let jump: Int64 = 3_000_000_000
    /// The lag of a stalled connection falls by more than this while messages are held.
    private static let fall: Int64 = 50_000_000
    private static let patience: Int64 = 250_000_000
    private static let heldLimit = 256
    private static let heldByteLimit = 16 << 20

    private var held: [ArvosMessage] = []
    private var heldBytes = 0
    /// The time when a message came minus its own: of the last one that was in time.
    private var usualLag: Int64?
    private var first = (lag: Int64(0), arrival: Int64(0))
    private var leastLag: Int64 = 0

    /// Takes a message; returns those that can be read now, and by how much the clock has to be set forward before.
    ///
    /// - Parameter timestamp: its time, where it has one of a clock that counts from the start.
    mutating func take(_ message: ArvosMessage, _ timestamp: Int64?, now: Int64) -> (shift: Int64, [ArvosMessage]) {
        guard let timestamp else {
            // In their order.
            if held.isEmpty { return (0, [message]) }
            held.append(message)
            return (0, [])
        }
        let lag = now &- timestamp
        let usual = usualLag ?? lag
        if lag &- usual <= Self.jump {
            usualLag = lag
            return (0, released() + [message])
        }
        if held.isEmpty { (first, leastLag) = ((lag, now), lag) }
        held.append(message)
        heldBytes += message.payload.count
        leastLag = min(leastLag, lag)
        let isFull = held.count >= Self.heldLimit || heldBytes > Self.heldByteLimit
        guard isFull || (now &- first.arrival >= Self.patience && !isFalling) else { return (0, []) }
        return decide()
    }

    /// Releases the messages that are still held at the end of a connection.
    mutating func finish() -> (shift: Int64, [ArvosMessage]) { held.isEmpty ? (0, []) : decide() }

    private var isFalling: Bool { first.lag &- leastLag > Self.fall }

    private mutating func decide() -> (shift: Int64, [ArvosMessage]) {
        guard !isFalling, let usual = usualLag else { return (0, released()) }
        usualLag = leastLag
        return (leastLag &- usual, released())
    }

    private mutating func released() -> [ArvosMessage] {
        defer { (held, heldBytes) = ([], 0) }
        return held
    }
}
