import Glibc
package import SystemPackage

/// A program of the system, started without a shell: it gets its arguments as they are, and nothing that we have open.
package struct ExternalProgram: Sendable {
    /// The result of a program that ran to its end.
    package struct Outcome: Sendable {
        /// The exit status, or 128 and the number of the signal that ended it, as shells say it.
        package let status: Int32
        private let signal: Int32?
        /// Standard output and standard error together, the first ``ExternalProgram/outputLimit`` bytes of them.
        package let output: String

        /// - Parameter waited: The status that waitpid(2) reports.
        init(waited: Int32, output: String) {
            signal = waited & 0x7F == 0 ? nil : waited & 0x7F
            status = signal.map { 128 + $0 } ?? waited >> 8 & 0xFF
            self.output = output
        }

        /// For an error: the status, and the first line that was written.
        package var description: String {
            let line = output.split(whereSeparator: \.isNewline).first.map { ": \($0.prefix(300))" } ?? ""
            return (signal.map { "signal \($0)" } ?? "status \(status)") + line
        }
    }

    package static let outputLimit = 1 << 16

    package let path: FilePath

    package init(path: FilePath) { self.path = path }

    /// The program that the shell would run; nil where the folders of `PATH` have none of this name.
    package init?(named name: String) {
        guard !name.isEmpty, !name.contains("/"), let folders = getenv("PATH") else { return nil }
        for folder in String(cString: folders).split(separator: ":") where folder.hasPrefix("/") {
            let path = FilePath(String(folder)).appending(name)
            if FileType(of: path) == .regular, access(path.string, X_OK) == 0 {
                self.path = path
                return
            }
        }
        return nil
    }

    /// Runs the program to its end; its standard input is empty.
    ///
    /// - Parameter seconds: After these it is killed.
    /// - Throws: a ``FileError`` where it cannot be started, or had to be killed (`ETIMEDOUT`).
    package func run(_ arguments: [String], seconds: Double) throws(FileError) -> Outcome {
        let ends = try makePipe()
        defer { close(ends[0]) }
        let started = Result { () throws(FileError) in try spawn(arguments, output: ends[1], messages: ends[1]) }
        close(ends[1])
        let child = try started.get()
        var output: [UInt8] = []
        let isDone = Self.read(ends[0], into: &output, seconds)
        if !isDone { kill(-child, SIGKILL) }
        guard let status = Self.wait(child, seconds: isDone ? seconds : 5) else { throw error(ETIMEDOUT) }
        guard isDone else { throw error(ETIMEDOUT) }
        return Outcome(waited: status, output: String(decoding: output, as: UTF8.self))
    }

    /// Starts a program that may outlive this one, with nothing to read or to write.
    ///
    /// - Returns: How it ended, where it did so in this time.
    package func start(_ arguments: [String], watching seconds: Double) throws(FileError) -> Outcome? {
        let child = try spawn(arguments)
        return Self.wait(child, seconds: seconds, kills: false).map { Outcome(waited: $0, output: "") }
    }

    /// The file descriptors that are open in this process; closing one that is no longer open does not fail a start.
    private static var openDescriptors: [Int32] {
        guard let folder = opendir("/proc/self/fd") else { return Array(0..<1024) }
        defer { closedir(folder) }
        var descriptors: [Int32] = []
        while let name = nextName(in: folder) {
            if let descriptor = Int32(name) { descriptors.append(descriptor) }
        }
        return descriptors
    }

    /// The end to read from, and the one to write to; programs started beside this one get neither.
    private func makePipe() throws(FileError) -> [Int32] {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw error(errno) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return ends
    }

    /// Starts a program with a pipe for its input or output, and one for its messages.
    ///
    /// - Parameters:
    ///   - isWriting: True if this program writes into the first pipe, and does not read from it.
    ///   - start: Gets the ends that are the program's.
    /// - Returns: The child, and our ends.
    func startPiped(
        writing isWriting: Bool,
        _ start: (_ end: Int32, _ messages: Int32) throws(FileError) -> pid_t
    ) throws(FileError) -> (child: pid_t, end: Int32, messages: Int32) {
        let data = try makePipe()
        let (ours, others) = isWriting ? (data[1], data[0]) : (data[0], data[1])
        var open = data
        do throws(FileError) {
            let messages = try makePipe()
            open += messages
            // F_SETPIPE_SZ, which Swift does not see: fewer switches between the two programs. It may be refused.
            _ = fcntl(data[1], 1031, 1 << 20)
            let child = try start(others, messages[1])
            close(others)
            close(messages[1])
            return (child, ours, messages[0])
        } catch {
            for end in open { close(end) }
            throw error
        }
    }

    func error(_ code: Int32) -> FileError {
        FileError(path: path, operation: "run", errno: Errno(rawValue: code))
    }

    /// - Parameters:
    ///   - input, output, messages: what become its standard streams; `/dev/null` where nothing is given.
    func spawn(
        _ arguments: [String],
        input: Int32? = nil,
        output: Int32? = nil,
        messages: Int32? = nil
    ) throws(FileError) -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for (stream, given) in [(STDIN_FILENO, input), (STDOUT_FILENO, output), (STDERR_FILENO, messages)] {
            if let given {
                posix_spawn_file_actions_adddup2(&actions, given, stream)
            } else {
                let mode = stream == STDIN_FILENO ? O_RDONLY : O_WRONLY
                posix_spawn_file_actions_addopen(&actions, stream, "/dev/null", mode, 0)
            }
        }
        for descriptor in Self.openDescriptors where descriptor > STDERR_FILENO {
            posix_spawn_file_actions_addclose(&actions, descriptor)
        }
        // What this program does about signals is not the business of another one.
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        var (none, all) = (sigset_t(), sigset_t())
        sigemptyset(&none)
        sigfillset(&all)
        posix_spawnattr_setsigmask(&attributes, &none)
        posix_spawnattr_setsigdefault(&attributes, &all)
        // A group of its own, which ends as a whole where it has to, and not when this program is interrupted.
        let flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP
        posix_spawnattr_setflags(&attributes, Int16(flags))
        // An argument would end at a zero byte.
        guard arguments.allSatisfy({ !$0.utf8.contains(0) }) else { throw error(EINVAL) }
        let texts = ([path.string] + arguments).map { strdup($0) } + [nil]
        defer { for text in texts { free(text) } }
        var child: pid_t = 0
        let code = posix_spawn(&child, path.string, &actions, &attributes, texts, environ)
        guard code == 0 else { throw error(code) }
        return child
    }

    /// Reads to the end, keeps the beginning; false where the time was up before.
    private static func read(_ descriptor: Int32, into output: inout [UInt8], _ seconds: Double) -> Bool {
        let end = ContinuousClock.now + .seconds(seconds)
        var block = [UInt8](repeating: 0, count: 4096)
        while true {
            let left = (end - .now) / .milliseconds(1)
            var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
            let ready = left > 0 ? poll(&entry, 1, Int32(min(left.rounded(.up), 1e9))) : 0
            if ready < 0, errno == EINTR { continue }
            guard ready > 0 else { return false }
            let count = Glibc.read(descriptor, &block, block.count)
            if count < 0, errno == EINTR { continue }
            if count <= 0 { return true }
            output += block.prefix(min(count, outputLimit - output.count))
        }
    }

    /// Returns the status of a child that ends in time, as waitpid(2) reports it.
    ///
    /// A child that does not is killed, if `kills` is set, and waited for.
    static func wait(_ child: pid_t, seconds: Double, kills: Bool = true) -> Int32? {
        let end = ContinuousClock.now + .seconds(seconds)
        var status: Int32 = 0
        while true {
            let found = waitpid(child, &status, WNOHANG)
            if found == child { return status }
            if found < 0, errno != EINTR { return nil }
            guard ContinuousClock.now < end else { break }
            usleep(2000)
        }
        if kills { Self.end(child) }
        return nil
    }

    /// Kills a child with its group, and waits for it.
    static func end(_ child: pid_t) {
        kill(-child, SIGKILL)
        var status: Int32 = 0
        while waitpid(child, &status, 0) < 0, errno == EINTR {}
    }
}
