import NIOCore

/// How much of the output the socket has taken, and which commands are done with that.
struct TransportOutput {
    /// A command's number, and the place in the output at which it ends.
    private var completions: CircularBuffer<(number: UInt64, position: Int)> = []
    /// Bytes ever handed to the channel, and bytes of them that the socket has taken.
    private var writtenBytes = 0
    private var flushedBytes = 0

    /// Whether the socket has taken all that was handed to the channel.
    var isFlushed: Bool { flushedBytes == writtenBytes }

    /// Adds a command that is done when what waits now is taken.
    mutating func add(_ number: UInt64, waitingBytes: Int) {
        completions.append((number, writtenBytes + waitingBytes))
    }

    mutating func noteWritten(_ count: Int) { writtenBytes += count }

    mutating func noteFlushed(_ count: Int) { flushedBytes += count }

    /// The next command that is done.
    mutating func takeDone() -> UInt64? {
        guard let first = completions.first, first.position <= flushedBytes else { return nil }
        return completions.removeFirst().number
    }

    /// The commands that will never be done.
    mutating func takeAll() -> [UInt64] {
        defer { completions.removeAll() }
        return completions.map(\.number)
    }
}
