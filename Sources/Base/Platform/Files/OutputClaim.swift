import Glibc
package import SystemPackage

/// A path that a command is going to write: the one rule for all of them.
///
/// It is no part of what is read, however both are named. Nothing is there yet; or a thing of the kind, made by us, where that is
/// to be replaced. The command asks before its work begins; what comes to the path meanwhile is found when the thing gets its
/// name (``NewName``).
package struct OutputClaim: Sendable {
    package let path: FilePath
    package let kind: OutputKind
    /// True if one that is there is replaced, where it is proven to be of the kind.
    package let replaces: Bool
    /// The option that names it, for errors; nil for the output of a command.
    private let option: String?

    package init(_ path: String, _ kind: OutputKind, replaces: Bool = false, option: String? = nil) {
        // A slash at the end is no part of the name.
        let path = FilePath(path)
        self.path = FilePath(root: path.root, path.components)
        (self.kind, self.replaces, self.option) = (kind, replaces, option)
    }

    /// Checks all that a command writes, each by itself and beside the others.
    ///
    /// - Parameter inputs: what the command reads.
    package static func check(_ claims: [OutputClaim], outside inputs: [String]) throws(OutputRefusal) {
        for claim in claims { try claim.check(outside: inputs) }
        let places = claims.map { $0.stream == nil ? Place.resolvedNew($0.path) : nil }
        for (index, place) in places.enumerated() where place != nil && places[..<index].contains(place) {
            throw claims[index].refusal("a path for each thing that is written", found: "two for this one")
        }
    }

    /// Refuses a path that must not be written.
    package func check(outside inputs: [String]) throws(OutputRefusal) {
        if kind.takesStreams, stream != nil { return }
        let there = FileType(notFollowing: path)
        let target = there == .link ? FileType(of: path) ?? .link : there
        if let target, target != .link, target != kind.type { throw isNew(found: target.rawValue) }
        for input in inputs where Place(input).holds(path) {
            throw refusal("a path outside of the input", found: "a part of it")
        }
        guard let there else { return try checkNew() }
        if kind.isAddedTo, target == .directory { return }
        guard there != .link else { throw isNew(found: there.rawValue) }
        if there == .directory, inputs.contains(where: { Place($0).isInside(path) }) {
            throw refusal("a path outside of the input", found: "a folder with a part of it")
        }
        guard kind.isOurs(path) else {
            let found = there == .directory ? "another folder" : "another file"
            guard replaces else { throw isNew(found: found) }
            throw refusal("\(kind.name) to replace", found: found)
        }
        guard replaces else { throw OutputRefusal.taken(path, option, mayForce: true) }
        try checkWorkingNames()
    }

    /// The stream that the path leads to, if it does.
    package var stream: OutputStream? { OutputStream(path) }

    private func refusal(_ expected: String, found: String) -> OutputRefusal {
        OutputRefusal(path, option, expected: expected, found: found)
    }

    private func isNew(found: String) -> OutputRefusal { refusal("a path that does not exist yet", found: found) }

    private func checkNew() throws(OutputRefusal) {
        let folder = path.removingLastComponent()
        guard path.lastComponent?.kind == .regular, folder.isEmpty || FileType(of: folder) == .directory else {
            throw OutputRefusal(
                path,
                option,
                expected: "to create it",
                found: Errno.noSuchFileOrDirectory.description,
                advice: "Name a path in a folder that is there, or create that folder first."
            )
        }
        try checkWorkingNames()
    }

    private func checkWorkingNames() throws(OutputRefusal) {
        for working in kind.working {
            let path = FilePath(path.string + working.suffix)
            guard FileType(notFollowing: path) != nil, !working.isLeftover(path) else { continue }
            throw OutputRefusal(
                path,
                option,
                expected: "a free name for what is filled first",
                found: "something that no run has left",
                advice: "Move it away, or name another path."
            )
        }
    }
}

/// A path that is not written, since it must not be; nothing was done.
package struct OutputRefusal: Error, CustomStringConvertible {
    private let path: FilePath
    private let option: String?
    private let expected: String
    private let found: String
    package let advice: String

    package init(
        _ path: FilePath,
        _ option: String? = nil,
        expected: String,
        found: String,
        advice: String = "Name a path that does not exist yet."
    ) {
        (self.path, self.option, self.expected, self.found, self.advice) = (path, option, expected, found, advice)
    }

    /// The refusal of a name that is taken by a thing of the kind.
    package static func taken(_ path: FilePath, _ option: String? = nil, mayForce: Bool = false) -> OutputRefusal {
        let force = mayForce ? ", or replace what is there with --force" : ""
        let (expected, found) = ("a path that does not exist yet", "one that does")
        let advice = "Name a path that does not exist yet\(force)."
        return OutputRefusal(path, option, expected: expected, found: found, advice: advice)
    }

    /// The refusal without the path.
    package var reason: String { "\(found), where \(expected) is expected" }

    package var description: String {
        (option.map { "\($0): " } ?? "") + "\(path): expected \(expected), found \(found)"
    }
}

/// A stream that is named by a path: one that the process has open, a pipe, or a device.
package enum OutputStream: Sendable {
    case open(FileDescriptor)
    case special(FilePath)

    /// Nil for a path that leads to a file or a folder, or to nothing.
    init?(_ path: FilePath) {
        let names = ["/dev/stdout": 1, "/dev/stderr": 2] as [String: Int32]
        let folder = ["/dev/fd/", "/proc/self/fd/"].first { path.string.hasPrefix($0) }
        if let number = names[path.string] ?? folder.flatMap({ Int32(path.string.dropFirst($0.count)) }) {
            self = .open(FileDescriptor(rawValue: number))
            return
        }
        guard [.pipe, .device, .socket].contains(FileType(of: path)) else { return nil }
        self = .special(path)
    }

    /// Writes behind what is in it.
    package func write(_ bytes: [UInt8]) throws {
        switch self {
        case .open(let descriptor): _ = try descriptor.writeAll(bytes)
        case .special(let path):
            let file = try FileDescriptor.open(path, .writeOnly, options: .closeOnExec)
            try file.closeAfter { _ = try file.writeAll(bytes) }
        }
    }
}

/// A recording, a bag or a file that a command reads.
package struct Place {
    /// Nil for what does not exist.
    package let path: String?

    package init(_ path: String) { self.path = Self.resolved(path) }

    /// True if a path, of something that is there or not, is the input or lies in its folder, however both are named.
    package func holds(_ other: FilePath) -> Bool {
        guard let path else { return false }
        let inside = path.hasSuffix("/") ? path : path + "/"
        let others = [Self.resolved(other.string), Self.resolvedNew(other)].compactMap(\.self)
        if others.contains(where: { $0 == path || $0.hasPrefix(inside) }) { return true }
        // A file may be a part of it by another name.
        var information = stat()
        guard lstat(other.string, &information) == 0, information.st_nlink > 1,
            information.st_mode & S_IFMT == S_IFREG
        else { return false }
        return FileTree.contains(FilePath(path), information)
    }

    /// True if the input lies in a folder, or is it.
    package func isInside(_ folder: FilePath) -> Bool {
        guard let path, let folder = Self.resolved(folder.string) else { return false }
        return path == folder || path.hasPrefix(folder.hasSuffix("/") ? folder : folder + "/")
    }

    /// The path by which something is that is not there yet.
    static func resolvedNew(_ path: FilePath) -> String? {
        guard let name = path.lastComponent, name.kind == .regular else { return resolved(path.string) }
        let folder = path.removingLastComponent()
        return resolved(folder.isEmpty ? "." : folder.string).map { FilePath($0).appending(name).string }
    }

    private static func resolved(_ path: String) -> String? {
        guard let resolved = realpath(path, nil) else { return nil }
        defer { free(resolved) }
        return String(cString: resolved)
    }
}

extension FileTree {
    /// True if a file, or one in a folder, is the very same file as another by whatever name.
    fileprivate static func contains(_ path: FilePath, _ other: stat, depth: Int = 0) -> Bool {
        var information = stat()
        guard depth < 64, lstat(path.string, &information) == 0 else { return false }
        if information.st_ino == other.st_ino, information.st_dev == other.st_dev { return true }
        guard information.st_mode & S_IFMT == S_IFDIR else { return false }
        return ((try? directoryEntries(path)) ?? []).contains { contains(path.appending($0), other, depth: depth + 1) }
    }
}
