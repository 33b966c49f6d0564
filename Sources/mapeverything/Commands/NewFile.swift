import Glibc
import Platform
import SystemPackage

/// A file that a command is to create, whole or not at all.
///
/// Nothing but a regular file is ever replaced, and that only with `--force`, where it begins as such files do, and where it
/// is no part of what is read.
struct NewFile {
    let path: String
    private let replaces: Bool

    /// - Parameter inputs: what the command reads.
    /// - Throws: an ``OutputError`` for a place that cannot be written.
    init(_ path: String, _ kind: OutputKind, replaces: Bool, inputs: [String]) throws {
        self.path = path
        self.replaces = replaces
        if let type = FileType(of: FilePath(path)) { try Self.refuse(path, type, kind, replaces, inputs) }
        let folder = FilePath(path).removingLastComponent()
        guard folder.isEmpty || FileType(of: folder) == .directory else {
            throw OutputError(FileError(path: FilePath(path), operation: "create", errno: .noSuchFileOrDirectory))
        }
    }

    /// Refuses what is there, unless it may be replaced.
    private static func refuse(
        _ path: String,
        _ type: Platform.FileType,
        _ kind: OutputKind,
        _ replaces: Bool,
        _ inputs: [String]
    ) throws {
        func require(_ fits: Bool, _ expected: String, found: String) throws {
            let advice = "Name a path that does not exist yet."
            if !fits { throw OutputError(path: path, expected: expected, found: found, advice: advice) }
        }
        let new = "a path that does not exist yet"
        try require(type == .regular, new, found: type.rawValue)
        let isInput = inputs.contains { InputPlace($0).holds(path) }
        try require(!isInput, "a path outside of the input", found: "a part of it")
        try require(kind.fits(path), replaces ? "\(kind.name) to replace" : new, found: "another file")
        if !replaces { throw OutputError.taken(path, mayForce: true) }
    }

    func write(_ bytes: [UInt8]) throws {
        try SystemFault.check()
        let folder = FilePath(path).removingLastComponent()
        do {
            let file = try NamelessFile(in: folder.isEmpty ? "." : folder, mode: 0o644)
            do {
                try file.descriptor.writeAll(bytes)
                // What it replaces is there until it is on the disk.
                if fsync(file.descriptor.rawValue) != 0 { throw Errno(rawValue: errno) }
            } catch {
                throw FileError(path: FilePath(path), operation: "write", errno: error as? Errno ?? .ioError)
            }
            try file.keep(as: FilePath(path), replacing: replaces ? .regular : nil)
            try Flush.name(of: FilePath(path))
        } catch let error as FileError {
            let error = FileError(path: FilePath(path), operation: "write", errno: error.errno)
            throw error.errno == .fileExists ? OutputError.taken(path) : OutputError(error)
        }
    }

    func write(_ text: String) throws { try write(Array(text.utf8)) }

    /// Gives the file its name, and replaces one that has it, when the body has written all of it.
    static func fill<Value>(_ path: FilePath, _ body: (_ temporary: FilePath) throws -> Value) throws -> Value {
        let temporary = FilePath("\(path).\(getpid()).partial")
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
    static func new(_ path: String, replacesFile: Bool = false) throws -> OutputFolder {
        do {
            return try OutputFolder(creating: FilePath(path), replacesFile: replacesFile)
        } catch {
            throw OutputError.ofNew(error, path)
        }
    }
}

/// Where a command writes that was not told: into the current folder, named after the input.
enum DefaultOutput {
    private static let endings: Set<String> = ["zip", "tar", "r3d", "db3", "mcap", "zstd"]

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
        guard !InputPlace(input).holds(".") else {
            let expected = "a path outside of the input, as the current folder is a part of it"
            throw UsageError("--output", expected: expected, found: "none")
        }
        if !GivenOptions.isQuiet { Terminal.printError("output: \(path)") }
    }

    /// The last name of the path, without the ending of an archive or of a bag's file.
    static func name(of input: String) -> String {
        var path = FilePath(input)
        if path.lastComponent?.kind != .regular { path = InputPlace(input).path.map { FilePath($0) } ?? path }
        var name = path.lastComponent ?? "recording"
        while let ending = name.extension, endings.contains(ending), let stem = FilePath.Component(name.stem) {
            name = stem
        }
        return name.string
    }
}

/// The first bytes of a kind of file.
struct OutputKind {
    let name: String
    let starts: [String]
    /// The same for a kind whose first bytes are no text.
    var signature: [UInt8] = []

    static let page = OutputKind(name: "an HTML page", starts: ["<!doctype html", "<!DOCTYPE html"])
    static let json = OutputKind(name: "a JSON file", starts: ["{", "["])
    static let geoJSON = OutputKind(name: "a GeoJSON file", starts: ["{\"type\"", "{\n"])
    static let manifest = OutputKind(name: "a manifest", starts: ["{\"mapeverything_batch\""])
    static let picture = OutputKind(name: "an SVG picture", starts: ["<svg", "<?xml"])
    static let graph = OutputKind(name: "a pose graph", starts: ["VERTEX", "#"])
    static let trajectory = OutputKind(name: "a trajectory", starts: ["#", "-"] + (0...9).map { "\($0)" })

    /// True for a file of this kind, and for an empty one.
    func fits(_ path: String) -> Bool {
        guard let head = try? RegularFile.head(of: FilePath(path), byteCount: 64) else { return false }
        if !signature.isEmpty, head.starts(with: signature) { return true }
        return head.isEmpty || starts.contains { head.starts(with: $0.utf8) }
    }
}

/// A recording or a bag that a command reads.
struct InputPlace {
    /// Nil for what does not exist.
    fileprivate let path: String?

    init(_ path: String) { self.path = Self.resolved(path) }

    /// True if an existing path is the input or lies in its folder, however both are named.
    func holds(_ other: String) -> Bool {
        guard let path, let other = Self.resolved(other) else { return false }
        return other == path || other.hasPrefix(path.hasSuffix("/") ? path : path + "/")
    }

    private static func resolved(_ path: String) -> String? {
        guard let resolved = realpath(path, nil) else { return nil }
        defer { free(resolved) }
        return String(cString: resolved)
    }
}
