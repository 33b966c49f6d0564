import NIOCore

/// Tracks how much of the output the socket has accepted, and which commands are complete.
struct TransportOutput {
    /// A command's number, and the output position at which it ends.
    private var completions: CircularBuffer<(number: UInt64, position: Int)> = []
    /// The total bytes handed to the channel, and those of them that the socket has accepted.
    private var writtenBytes = 0
    private var flushedBytes = 0

    /// Whether the socket has accepted everything handed to the channel.
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
