package import NIOCore

/// How much of the output the socket has taken, and which commands are done with that.
package struct TransportOutput {
    private struct Completion {
        /// The place in the output at which the command ends.
        var position: Int
        var promise: EventLoopPromise<Void>
    }

    private var completions: CircularBuffer<Completion> = []
    /// Bytes ever handed to the channel, and bytes of them that the socket has taken.
    private var writtenBytes = 0
    private var flushedBytes = 0

    package init() {}

    /// Whether the socket has taken all that was handed to the channel.
    package var isFlushed: Bool { flushedBytes == writtenBytes }

    /// Adds a command that is done when what waits now is taken.
    package mutating func add(_ promise: EventLoopPromise<Void>, waitingBytes: Int) {
        completions.append(Completion(position: writtenBytes + waitingBytes, promise: promise))
    }

    package mutating func noteWritten(_ count: Int) { writtenBytes += count }

    package mutating func noteFlushed(_ count: Int) { flushedBytes += count }

    /// The next command that is done.
    package mutating func takeDone() -> EventLoopPromise<Void>? {
        guard let first = completions.first, first.position <= flushedBytes else { return nil }
        return completions.removeFirst().promise
    }

    /// Ends the commands that will never be done.
    package mutating func fail(_ error: any Error) {
        while let completion = completions.popFirst() { completion.promise.fail(error) }
    }
}
