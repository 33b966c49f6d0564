import Foundation
import Platform
import SystemPackage
import TestSupport
import Testing

/// Programs get their arguments as they are and nothing else, and what goes wrong is said.
@Suite struct ExternalProgramTests {
    private let shell = ExternalProgram(path: "/bin/sh")

    @Test("arguments come as they are: no shell looks at them")
    func arguments() throws {
        let printf = try #require(ExternalProgram(named: "printf"))
        let arguments = ["a b", "", "'", "\"", "$(id)", "`id`", ";ls", "*", "\\n", "\n", "-x", "ü\u{1F600}"]
        let outcome = try printf.run(["%s|"] + arguments, seconds: 60)
        #expect(outcome.status == 0 && outcome.output == arguments.map { $0 + "|" }.joined())
    }

    @Test("what is open here is not open there, and input is empty")
    func descriptors() throws {
        // One without the flag that closes it.
        let descriptor = try FileDescriptor.open("/dev/null", .readOnly)
        defer { try? descriptor.close() }
        let outcome = try shell.run(["-c", "ls /proc/self/fd; cat | wc -c"], seconds: 60)
        // ls itself has its folder open.
        #expect(outcome.output.split(separator: "\n") == ["0", "1", "2", "3", "0"], "\(outcome.output)")
    }

    @Test("how it ended is said: status, signal, first line", arguments: [(0, "0"), (7, "7"), (255, "255")])
    func statuses(status: Int32, text: String) throws {
        let outcome = try shell.run(["-c", "echo first; echo second >&2; exit \(text)"], seconds: 60)
        #expect(outcome.status == status && outcome.output == "first\nsecond\n")
        #expect(outcome.description == "status \(text): first")
    }

    @Test("a signal is told from a status")
    func signals() throws {
        let outcome = try shell.run(["-c", "kill -TERM $$"], seconds: 60)
        #expect(outcome.status == 128 + SIGTERM && outcome.description == "signal \(SIGTERM)")
    }

    @Test("a flood of output is read to its end, and its beginning kept")
    func flood() throws {
        let outcome = try shell.run(["-c", "head -c 3000000 /dev/zero | tr '\\0' x; exit 3"], seconds: 60)
        #expect(outcome.status == 3 && outcome.output.utf8.count == ExternalProgram.outputLimit)
    }

    @Test(
        "what does not end in time is killed",
        arguments: ["sleep 600", "exec sleep 600", "exec >&- 2>&-; sleep 600"]
    )
    func hanging(script: String) throws {
        let error = #expect(throws: FileError.self) { try shell.run(["-c", script], seconds: 0.2) }
        #expect(error?.errno == .timedOut && error?.description.contains("/bin/sh") == true)
    }

    @Test("what cannot be started is an error that says its path")
    func cannotStart() throws {
        #expect(ExternalProgram(named: "no-such-program-here") == nil)
        #expect(ExternalProgram(named: "") == nil && ExternalProgram(named: "../bin/sh") == nil)
        for path: FilePath in ["/none/at/all", "/etc/passwd", "/etc"] {
            let error = #expect(throws: FileError.self) { try ExternalProgram(path: path).run([], seconds: 5) }
            #expect(error?.path == path)
        }
        let error = #expect(throws: FileError.self) { try shell.run(["-c", "a\u{0}b"], seconds: 5) }
        #expect(error?.errno == .invalidArgument)
    }

    @Test("one that is started and left alone says how it ended if it does so soon, and lives on if not")
    func started() async throws {
        #expect(try shell.start(["-c", "exit 3"], watching: 60)?.status == 3)
        let folder = try TemporaryDirectory()
        let (begun, go, done) = (folder.appending("begun"), folder.appending("go"), folder.appending("done"))
        let script = "touch '\(begun)'; while [ ! -e '\(go)' ]; do sleep 0.02; done; touch '\(done)'"
        // In a process of its own: a child that nothing waits for would stay with this one, whose exit tests hang then.
        await #expect(processExitsWith: .success) { [script = script as String] in
            let outcome = try ExternalProgram(path: "/bin/sh").start(["-c", script], watching: 0)
            try #require(outcome == nil)
        }
        try Data().write(to: URL(fileURLWithPath: go.string))
        for _ in 0..<3000 where !FileManager.default.fileExists(atPath: done.string) { usleep(20_000) }
        #expect(
            FileManager.default.fileExists(atPath: begun.string) && FileManager.default.fileExists(atPath: done.string)
        )
    }
}
