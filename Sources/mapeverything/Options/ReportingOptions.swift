import ArgumentParser
import CMalloc
import Glibc

extension ArgumentVisibility {
    /// That of an option that few need: in `--help-all`, and where completions are made.
    @TaskLocal static var rare = ArgumentVisibility.hidden
}

extension ArgumentHelp {
    /// The help of an option whose value has a name of its own.
    static func value(_ name: String, _ text: String) -> ArgumentHelp { ArgumentHelp(text, valueName: name) }

    /// The help of an option that few need, which `--help-all` shows.
    static func rare(_ text: String, _ name: String? = nil) -> ArgumentHelp {
        ArgumentHelp(text, valueName: name, visibility: .rare)
    }
}

/// The form in which the end of a command is printed.
struct JSONOptions: ParsableArguments {
    @Flag(name: .customLong("json"), help: "Print the report as JSON.") var isGiven = false
}

/// The form in which the end of a command is printed, and the file that it is written to as well.
struct ReportOptions: ParsableArguments {
    @OptionGroup var json: JSONOptions

    @Option(help: .rare("Also write the report to this JSON file.", "file"), completion: .file()) var report: String?
}

/// The same with the status of a run that lost something.
struct ReportingOptions: ParsableArguments {
    @OptionGroup var told: ReportOptions

    @Flag(help: "Exit with status 1 if anything was lost or skipped.") var strict = false
}

/// Replacement of what has the name of the output.
struct ForceOptions: ParsableArguments {
    @Flag(name: .customLong("force"), help: "Replace an output of the same kind. Default: refuse.")
    var isGiven = false
}

/// The number of threads that a command works on.
///
/// The output of a command does not depend on it.
struct WorkerOptions: ParsableArguments {
    @Option(
        name: [.customShort("j", allowingJoined: true), .long],
        help: .rare("Number of worker threads. Default: one for each core, at most 16.", "threads")
    )
    var jobs: Int?

    func count() throws(UsageError) -> Int {
        try UsageError.count("-j", jobs ?? Machine.coreCount, from: 1, to: 256)
    }
}

enum Machine {
    /// Keeps the C library from growing the heap with the length of a session.
    ///
    /// Left alone it raises the size from which a block gets pages of its own whenever such a block is freed; images
    /// and encoded messages then fragment the heap, and a long replay takes twice the memory of a short one.
    static func boundHeap() {
        mallopt(M_MMAP_THRESHOLD, 1 << 20)
        // Giving every freed message back to the system, to be zeroed and mapped anew for the next, takes as long as
        // converting it.
        mallopt(M_TRIM_THRESHOLD, 8 << 20)
        mallopt(M_ARENA_MAX, 4)
    }

    /// The processors that are on, at most sixteen: more workers than that only cost memory.
    static var coreCount: Int { max(1, min(Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))), 16)) }
}

/// Small text files that the user names.
enum TextFile {
    static func read(_ path: String, maximumBytes: Int) -> String? {
        guard let file = fopen(path, "rb") else { return nil }
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var block = [UInt8](repeating: 0, count: 65_536)
        while bytes.count <= maximumBytes {
            let count = fread(&block, 1, block.count, file)
            // A folder opens like a file, and cannot be read.
            guard ferror(file) == 0 else { return nil }
            if count == 0 { break }
            bytes += block[..<count]
        }
        return bytes.count <= maximumBytes ? String(validating: bytes, as: UTF8.self) : nil
    }
}
