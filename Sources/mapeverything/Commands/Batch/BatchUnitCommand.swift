import ArgumentParser
import Batch
import CProcess
import Files
import Glibc
import JSONText
import SystemPackage

/// What `batch run` starts for each unit: tells of the recording, then becomes the command that makes something of it.
struct BatchUnitCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "unit",
        abstract: "What batch run starts for a unit.",
        shouldDisplay: false
    )

    @Option(help: "The process that started this one, with which it ends.")
    var parent: Int32

    @Option(help: "Most bytes of memory.")
    var memory: Int

    @Option(help: "File for what is known of the recording.")
    var facts: String

    @Option(help: "File for a small picture of it, where it has one.")
    var thumbnail: String

    @Argument(parsing: .postTerminator, help: "The recording, and the command.")
    var command: [String]

    func run() throws {
        guard command.count >= 2 else { throw UsageError("--", expected: "a recording and a command", found: "less") }
        // Neither a run that was killed nor one that was killed just now leaves this behind.
        guard end_with_parent() == 0, getppid() == parent else { throw ExitStatus.interrupted }
        // Of data, not of address space: what threads reserve and never touch costs nothing.
        guard memory > 0, limit_data(rlim_t(memory)) == 0 else {
            throw UsageError("--memory", expected: "a number of bytes that the system takes", found: "\(memory)")
        }
        let (known, picture) = try RecordingExtent.gather(command[0])
        try OutputFile.write(Array((known.text(style: .pretty) + "\n").utf8), to: FilePath(facts))
        if let picture { try OutputFile.write(picture, to: FilePath(thumbnail)) }
        let arguments = ["mapeverything"] + command.dropFirst()
        let pointers = arguments.map { strdup($0) } + [nil]
        execv("/proc/self/exe", pointers)
        throw FileError(path: "/proc/self/exe", operation: "run", errno: Errno(rawValue: errno))
    }
}
