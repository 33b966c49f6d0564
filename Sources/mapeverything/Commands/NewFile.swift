import Glibc
import Platform
import SystemPackage

/// A file that a command is to create, whole or not at all.
struct NewFile {
    private let claim: OutputClaim
    var path: String { claim.path.string }

    /// - Throws: an ``OutputRefusal``, or a `FileError`, for a place that must not be written.
    init(_ claim: OutputClaim, inputs: [String]) throws {
        try claim.check(outside: inputs)
        self.claim = claim
    }

    init(_ path: String, _ kind: OutputKind, replaces: Bool, inputs: [String]) throws {
        try self.init(OutputClaim(path, kind, replaces: replaces), inputs: inputs)
    }

    func write(_ bytes: [UInt8]) throws { try write(FileContent(bytes)) }

    func write(_ content: FileContent) throws { try Self.write([(self, content)]) }

    /// Writes files that belong together: none has its name before all are on the disk.
    static func write(_ files: [(file: NewFile, content: FileContent)]) throws {
        try SystemFault.check()
        let written = try files.map { file, content in try file.written(content) }
        for (file, nameless) in zip(files.map(\.file), written) {
            try file.refusing {
                try nameless.keep(as: file.claim.path, replacing: file.claim.replaces ? .regular : nil)
            }
        }
        for (file, _) in files { try file.refusing { try Flush.name(of: file.claim.path) } }
    }

    private func written(_ content: FileContent) throws -> NamelessFile {
        let folder = claim.path.removingLastComponent()
        return try refusing {
            let file = try NamelessFile(in: folder.isEmpty ? "." : folder, mode: 0o644)
            do {
                try content.write { _ = try file.descriptor.writeAll($0) }
                // What it replaces is there until it is on the disk.
                if fsync(file.descriptor.rawValue) != 0 { throw Errno(rawValue: errno) }
            } catch {
                throw FileError(path: claim.path, operation: "write", errno: error as? Errno ?? .ioError)
            }
            return file
        }
    }

    private func refusing<Value>(_ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch let error as FileError {
            let error = FileError(path: claim.path, operation: "write", errno: error.errno)
            throw error.errno == .fileExists ? OutputRefusal.taken(claim.path) : OutputError(error)
        }
    }

    func write(_ text: String) throws { try write(Array(text.utf8)) }

    /// Gives the file its name, and replaces one that has it, when the body has written all of it.
    static func fill<Value>(_ path: FilePath, _ body: (_ temporary: FilePath) throws -> Value) throws -> Value {
        let temporary = FilePath("\(path).\(getpid()).partial")
        guard FileType(notFollowing: temporary) == nil else { throw OutputRefusal.taken(temporary) }
        do {
            let value = try body(temporary)
            try SystemFault.check()
            try Flush.file(temporary)
            try NewName.give(path, to: temporary, replacing: .regular)
            try Flush.name(of: path)
            return value
        } catch {
            unlink(temporary.string)
            throw OutputError.of(error)
        }
    }
}

extension OutputFolder {
    /// A folder that is filled under another name, for an output that must be new.
    static func new(_ path: String, replacing replaced: OutputKind? = nil) throws -> OutputFolder {
        do {
            return try OutputFolder(creating: FilePath(path), replacing: replaced)
        } catch {
            throw OutputError.ofNew(error, path)
        }
    }
}

/// Where a command writes that was not told: into the current folder, named after the input.
enum DefaultOutput {
    /// The path that was given; else that of the input's name with the ending, which is announced.
    static func path(_ given: String?, of input: String, _ ending: String) throws -> String {
        if let given { return given }
        let path = name(of: input) + ending
        try announce(path, of: input)
        return path
    }

    /// Says on standard error where the output will be.
    ///
    /// - Throws: a ``UsageError`` where the current folder is the input, or a part of it.
    static func announce(_ path: String, of input: String) throws {
        guard !Place(input).holds(".") else {
            let expected = "a path outside of the input, as the current folder is a part of it"
            throw UsageError("--output", expected: expected, found: "none")
        }
        if !GivenOptions.isQuiet { Terminal.printError("output: \(path)") }
    }

    /// The last name of the path, without the ending of an archive or of a bag's file.
    static func name(of input: String) -> String {
        var path = FilePath(ForeignPath.told(input))
        if path.lastComponent?.kind != .regular { path = Place(input).path.map { FilePath($0) } ?? path }
        var name = path.lastComponent ?? "recording"
        while let ending = name.extension, FilePath.wholeEndings.contains(ending),
            let stem = FilePath.Component(name.stem)
        {
            name = stem
        }
        return name.string
    }
}
