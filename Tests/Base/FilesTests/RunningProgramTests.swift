import Glibc
import Platform
import SystemPackage
import Testing

/// Programs whose output is read while they run.
@Suite struct RunningProgramTests {
    private let shell = ExternalProgram(path: "/bin/sh")

    private func read(_ program: RunningProgram, _ count: Int, seconds: Double = 60) throws -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: count)
        let filled = try bytes.withUnsafeMutableBytes { try program.fill($0, seconds: seconds) }
        return Array(bytes[..<filled])
    }

    @Test("output comes in the sizes asked for, complaints by the line")
    func streams() throws {
        let program = try RunningProgram(shell, ["-c", "printf 'abcdefgh'; echo one >&2; echo two >&2; exit 4"])
        #expect(try read(program, 3) == Array("abc".utf8))
        #expect(try read(program, 100) == Array("defgh".utf8))
        #expect(program.finish(seconds: 60)?.status == 4)
        #expect(program.takeLine() == "one" && program.takeLine() == "two" && program.takeLine() == nil)
    }

    @Test("a program that is not read waits, and is gone with its reader")
    func endsWithReader() throws {
        var program: RunningProgram? = try RunningProgram(shell, ["-c", "echo $$ >&2; exec cat /dev/zero"])
        #expect(try read(#require(program), 100_000).count == 100_000)
        let line = try #require(program?.takeLine(seconds: 60))
        let identifier = try #require(pid_t(line))
        #expect(kill(identifier, 0) == 0)
        program = nil
        // Neither running nor waiting to be asked for its status.
        #expect(kill(identifier, 0) == -1 && errno == ESRCH)
    }

    @Test("what gives nothing is killed")
    func hanging() throws {
        let program = try RunningProgram(shell, ["-c", "printf ab; echo $$ >&2; exec sleep 600"])
        let error = #expect(throws: FileError.self) { try read(program, 3, seconds: 0.5) }
        #expect(error?.errno == .timedOut)
        let identifier = try #require(pid_t(program.takeLine() ?? ""))
        #expect(kill(identifier, 0) == -1 && errno == ESRCH)
    }

    @Test("a flood of complaints neither stops the output nor stays in memory")
    func flood() throws {
        let script = "yes complaint | head -n 200000 >&2; head -c 5000000 /dev/zero"
        let program = try RunningProgram(shell, ["-c", script])
        #expect(try read(program, 6_000_000).count == 5_000_000)
        var lines = 0
        while let line = program.takeLine() {
            #expect(line == "complaint")
            lines += 1
        }
        #expect((1...5000).contains(lines))
        #expect(program.finish(seconds: 60)?.status == 0)
    }
}
