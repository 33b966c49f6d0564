import Glibc
import SystemPackage

/// A program of the system that is given its input while it runs, and whose messages are kept.
///
/// It is killed and waited for when the last reference to it goes before it has ended: no child outlives its writer.
package final class FedProgram {
    private let program: ExternalProgram
    private let child: pid_t
    private var input: Int32
    private let messages: Int32
    private var hasMessages = true
    private var isDone = false
    private var output: [UInt8] = []

    /// - Throws: a ``FileError`` where it cannot be started.
    package init(_ program: ExternalProgram, _ arguments: [String]) throws(FileError) {
        self.program = program
        let started = try program.startPiped(writing: true) { (end, messages) throws(FileError) in
            try program.spawn(arguments, input: end, messages: messages)
        }
        (child, input, messages) = started
        _ = fcntl(input, F_SETFL, O_NONBLOCK)
    }

    deinit {
        if input >= 0 { close(input) }
        if !isDone { ExternalProgram.end(child) }
        close(messages)
    }

    /// Writes all of the bytes; waits while the program has not read what came before.
    ///
    /// - Parameter seconds: It is not waited longer than this for room.
    /// - Throws: a ``FileError``: `EPIPE` where the program reads no more, `ETIMEDOUT`.
    package func write(_ bytes: UnsafeRawBufferPointer, seconds: Double) throws(FileError) {
        var done = 0
        while done < bytes.count, let base = bytes.baseAddress {
            let count = Glibc.write(input, base + done, bytes.count - done)
            if count > 0 {
                done += count
            } else if errno == EAGAIN {
                try waitForRoom(seconds)
            } else if errno != EINTR {
                throw program.error(errno)
            }
        }
    }

    /// Ends the input, and waits for the end of the program.
    ///
    /// - Parameter seconds: It is not waited longer than this without a message; then it is killed.
    /// - Returns: how it ended, with its messages.
    /// - Throws: a ``FileError`` with `ETIMEDOUT` where it had to be killed.
    package func finish(seconds: Double) throws(FileError) -> ExternalProgram.Outcome {
        if input >= 0 { close(input) }
        input = -1
        while hasMessages {
            var entry = pollfd(fd: messages, events: Int16(POLLIN), revents: 0)
            let ready = poll(&entry, 1, Int32(min(seconds * 1000, 1e9)))
            if ready < 0, errno == EINTR { continue }
            guard ready > 0 else { break }
            readMessages()
        }
        let text = String(decoding: output, as: UTF8.self)
        guard !hasMessages, let status = ExternalProgram.wait(child, seconds: seconds, kills: false) else {
            throw program.error(ETIMEDOUT)
        }
        isDone = true
        return ExternalProgram.Outcome(waited: status, output: text)
    }

    private func waitForRoom(_ seconds: Double) throws(FileError) {
        while true {
            var entries = [
                pollfd(fd: input, events: Int16(POLLOUT), revents: 0),
                pollfd(fd: hasMessages ? messages : -1, events: Int16(POLLIN), revents: 0),
            ]
            let ready = poll(&entries, 2, Int32(min(seconds * 1000, 1e9)))
            if ready < 0, errno == EINTR { continue }
            guard ready > 0 else { throw program.error(ETIMEDOUT) }
            if entries[1].revents != 0 { readMessages() }
            if entries[0].revents != 0 { return }
        }
    }

    private func readMessages() {
        var block = [UInt8](repeating: 0, count: 4096)
        let count = read(messages, &block, block.count)
        if count < 0, errno == EINTR { return }
        if count <= 0 { hasMessages = false }
        output += block.prefix(max(0, min(count, ExternalProgram.outputLimit - output.count)))
    }
}
