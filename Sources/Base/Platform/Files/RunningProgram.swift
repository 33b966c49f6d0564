import Glibc
package import SystemPackage

/// A program of the system whose output is read while it runs; it waits while its pipe is full.
///
/// It is killed and waited for when the last reference to it goes: no child outlives its reader.
package final class RunningProgram {
    /// The rest of a longer line is dropped.
    package static let lineLimit = 1024
    /// Lines beyond these that were not taken are dropped.
    private static let waitingLines = 4096

    private let program: ExternalProgram
    private let child: pid_t
    private let output: Int32
    private let messages: Int32
    private var hasMessages = true
    private var isDone = false
    private var line: [UInt8] = []
    private var lines: [String] = []
    private var block = [UInt8](repeating: 0, count: 4096)

    /// - Parameter input: The descriptor that the program reads; it reads nothing if this is `nil`.
    /// - Throws: a ``FileError`` where it cannot be started.
    package init(
        _ program: ExternalProgram,
        _ arguments: [String],
        input: FileDescriptor? = nil
    ) throws(FileError) {
        self.program = program
        let started = try program.startPiped(writing: false) { (end, messages) throws(FileError) in
            try program.spawn(arguments, input: input?.rawValue, output: end, messages: messages)
        }
        (child, output, messages) = started
    }

    deinit {
        stop()
        close(output)
        close(messages)
    }

    /// Fills the buffer from standard output; what comes on standard error meanwhile waits for ``takeLine()``.
    ///
    /// - Parameter seconds: After these without a byte it is killed.
    /// - Returns: How many bytes there were: fewer than asked for only at the end.
    /// - Throws: a ``FileError`` with `ETIMEDOUT` where it had to be killed.
    package func fill(_ buffer: UnsafeMutableRawBufferPointer, seconds: Double) throws(FileError) -> Int {
        var done = 0
        while done < buffer.count {
            let ready = try wait(forOutput: true, seconds)
            if ready.messages { readMessages() }
            guard ready.output, let base = buffer.baseAddress else { continue }
            let count = Glibc.read(output, base + done, buffer.count - done)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            done += count
        }
        return done
    }

    /// Passes the lines of standard output, the first ``lineLimit`` bytes of each.
    package func forEachLine(seconds: Double, _ body: (String) -> Void) throws(FileError) {
        var rest: [UInt8] = []
        var block = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let result = block.withUnsafeMutableBytes { bytes in
                Result { () throws(FileError) in try fill(bytes, seconds: seconds) }
            }
            let count = try result.get()
            for byte in block.prefix(count) {
                if byte == 0x0A {
                    body(String(decoding: rest, as: UTF8.self))
                    rest.removeAll(keepingCapacity: true)
                } else if rest.count < Self.lineLimit {
                    rest.append(byte)
                }
            }
            if count < block.count { break }
        }
        if !rest.isEmpty { body(String(decoding: rest, as: UTF8.self)) }
    }

    /// The next line on standard error, without waiting.
    package func takeLine() -> String? { lines.isEmpty ? nil : lines.removeFirst() }

    /// The next line on standard error; `nil` where there is none in this time, or no more.
    package func takeLine(seconds: Double) -> String? {
        while lines.isEmpty, hasMessages {
            guard let ready = try? wait(forOutput: false, seconds, kills: false), ready.messages else { return nil }
            readMessages()
        }
        return takeLine()
    }

    /// Waits for the end of a program whose output was read to its end.
    ///
    /// - Returns: How it ended, with no output; `nil` where it had to be killed.
    package func finish(seconds: Double) -> ExternalProgram.Outcome? {
        guard !isDone else { return nil }
        while hasMessages, (try? wait(forOutput: false, seconds, kills: false))?.messages == true { readMessages() }
        isDone = true
        return ExternalProgram.wait(child, seconds: seconds).map { ExternalProgram.Outcome(waited: $0, output: "") }
    }

    private func stop() {
        guard !isDone else { return }
        isDone = true
        ExternalProgram.end(child)
    }

    private func wait(
        forOutput wantsOutput: Bool,
        _ seconds: Double,
        kills: Bool = true
    ) throws(FileError) -> (output: Bool, messages: Bool) {
        let end = ContinuousClock.now + .seconds(seconds)
        while true {
            // A negative descriptor is passed over.
            var entries = [
                pollfd(fd: wantsOutput ? output : -1, events: Int16(POLLIN), revents: 0),
                pollfd(fd: hasMessages ? messages : -1, events: Int16(POLLIN), revents: 0),
            ]
            let left = max(0, (end - .now) / .milliseconds(1))
            let ready = poll(&entries, 2, Int32(min(left.rounded(.up), 1e9)))
            if ready < 0, errno == EINTR { continue }
            guard ready > 0 else {
                if kills { stop() }
                throw program.error(ETIMEDOUT)
            }
            return (entries[0].revents != 0, entries[1].revents != 0)
        }
    }

    private func readMessages() {
        let count = Glibc.read(messages, &block, block.count)
        if count < 0, errno == EINTR { return }
        guard count > 0 else {
            hasMessages = false
            endLine()
            return
        }
        for byte in block.prefix(count) {
            if byte == 0x0A || byte == 0x0D {
                endLine()
            } else if line.count < Self.lineLimit {
                line.append(byte)
            }
        }
    }

    private func endLine() {
        if !line.isEmpty, lines.count < Self.waitingLines { lines.append(String(decoding: line, as: UTF8.self)) }
        line.removeAll(keepingCapacity: true)
    }
}
