import Platform
import SystemPackage

/// `-o -`: the one file that a command makes goes to standard output, and what is told to standard error.
///
/// The file is made in the folder for temporary files first: a command that fails writes nothing.
enum StandardOutput {
    /// The commands whose result may be one file.
    private static let commands: Set<String> = ["report", "map", "export"]

    private static let folder: TemporaryFolder? = {
        guard Invocation.current.isProcess else { return nil }
        let arguments = Invocation.current.arguments
        return commands.contains(arguments.first ?? "") && isAsked(arguments) ? try? TemporaryFolder() : nil
    }()

    /// The file that is made in place of `-`; nil where the output is none.
    static let temporary = folder?.path.appending("output.ply").string

    static func isAsked(_ arguments: [String]) -> Bool {
        let options = arguments.prefix { $0 != "--" }
        let hasPair = zip(options, options.dropFirst()).contains { ["-o", "--output"].contains($0) && $1 == "-" }
        return hasPair || options.contains("--output=-")
    }

    /// The arguments with the file in place of `-`.
    ///
    /// - Throws: a ``UsageError`` for a command that makes no such file.
    static func rewritten(_ arguments: [String]) throws(UsageError) -> [String] {
        guard isAsked(arguments) else { return arguments }
        guard let temporary else {
            let expected = "a path (- is standard output for \(commands.sorted().joined(separator: ", ")))"
            throw UsageError("--output", expected: expected, found: "-")
        }
        return arguments.enumerated().map { index, argument in
            if argument == "--output=-" { return "--output=" + temporary }
            let isValue = index > 0 && ["-o", "--output"].contains(arguments[index - 1])
            return argument == "-" && isValue ? temporary : argument
        }
    }

    /// The text with the name that the user gave.
    static func named(_ text: String) -> String {
        temporary.map { text.replacing($0, with: "standard output") } ?? text
    }

    /// Writes the file to standard output, where it was made, and removes it.
    static func flush() throws {
        guard let temporary else { return }
        guard FileType(of: FilePath(temporary)) == .regular else { return remove() }
        let file = try FileDescriptor.open(FilePath(temporary), .readOnly)
        defer { try? file.close() }
        // Nothing stays where a closed pipe ends the process.
        remove()
        var block = [UInt8](repeating: 0, count: 1 << 20)
        while case let count = try block.withUnsafeMutableBytes({ try file.read(into: $0) }), count > 0 {
            Terminal.write(Array(block[..<count]))
        }
    }

    /// Removes the folder now: the process ends without the end of its constants.
    static func remove() {
        if let folder { FileTree.remove(folder.path) }
    }
}
