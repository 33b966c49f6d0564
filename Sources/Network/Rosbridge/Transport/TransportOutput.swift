import NIOCore

/// Tracks how much of the output the socket has accepted, and which commands are complete.
struct TransportOutput {
    /// A command's number, and the output position at which it ends.
    private var completions: CircularBuffer<(number: UInt64, position: Int)> = []
    /// The total bytes handed to the channel, and those of them that the socket has accepted.
    private var writtenBytes = 0
    private var flushedBytes = 0

    /// True if the socket has accepted everything handed to the channel.
    var isFlushed: Bool { flushedBytes == writtenBytes }

    /// Adds a command that completes when all currently queued output is accepted.
    mutating func add(_ number: UInt64, waitingBytes: Int) {
        completions.append((number, writtenBytes + waitingBytes))
    }

    mutating func noteWritten(_ count: Int) { writtenBytes += count }

    mutating func noteFlushed(_ count: Int) { flushedBytes += count }

    /// Removes and returns the next complete command.
    mutating func takeDone() -> UInt64? {
        guard let first = completions.first, first.position <= flushedBytes else { return nil }
        return completions.removeFirst().number
    }

    /// Removes and returns all incomplete commands, at the end of the connection.
    mutating func takeAll() -> [UInt64] {
        defer { completions.removeAll() }
        return completions.map(\.number)
    }
}

/// Pings that wait for their pong; the payload is the command's number, which the pong returns (RFC 6455, 5.5.3).
struct OutstandingPings {
    private var numbers: [UInt64] = []
    private var lastNumber: UInt64 = 0

    /// Returns the payload of a ping; `number` must be larger than those before.
    mutating func add(_ number: UInt64) -> [UInt8] {
        lastNumber = number
        numbers.append(number)
        return withUnsafeBytes(of: number.bigEndian) { Array($0) }
    }

    /// Returns the pings that a pong answers; none if it is unsolicited.
    ///
    /// A pong also answers all earlier pings (RFC 6455, 5.5.3).
    mutating func receive(_ payload: [UInt8]) -> [UInt64] {
        guard payload.count == 8 else { return [] }
        let number = payload.reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        guard number <= lastNumber else { return [] }
        defer { numbers.removeAll { $0 <= number } }
        return numbers.filter { $0 <= number }
    }

    /// Removes and returns all waiting pings, at the end of the connection.
    mutating func takeAll() -> [UInt64] {
        defer { numbers = [] }
        return numbers
    }
}
