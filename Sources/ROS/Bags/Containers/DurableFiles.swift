import Glibc
package import Platform
package import SystemPackage

/// Replaces files atomically: a reader sees the old content or the new, also after a crash.
package enum DurableFiles {
    /// The suffix of a file that is not in place yet.
    package static let temporarySuffix = ".tmp"

    /// Replaces a file in one step: `stage`, then `show`.
    ///
    /// - Parameter synchronized: True if the change survives a power failure, by fsync of the file and the directory.
    package static func replace(
        _ path: FilePath,
        with bytes: [UInt8],
        synchronized: Bool = true
    ) throws(FileError) {
        try stage(path, with: bytes, synchronized: synchronized)
        try show(path, synchronized: synchronized)
    }

    /// Writes the next content of a file into a temporary file beside it (`.tmp`).
    package static func stage(_ path: FilePath, with bytes: [UInt8], synchronized: Bool) throws(FileError) {
        let temporary = path.appendingSuffix(temporarySuffix)
        do {
            let file = try OutputFile(creating: temporary, replaced: true)
            try file.append(bytes)
            try file.finish(synchronized: synchronized)
        } catch {
            unlink(temporary.string)
            throw error
        }
    }

    /// Renames the file that `stage` wrote to its final name.
    package static func show(_ path: FilePath, synchronized: Bool) throws(FileError) {
        let temporary = path.appendingSuffix(temporarySuffix)
        do {
            try rename(temporary, to: path)
        } catch {
            unlink(temporary.string)
            throw error
        }
        if synchronized { try Flush.folder(path.removingLastComponent()) }
    }

    /// Renames a file, replacing the target.
    package static func rename(_ source: FilePath, to destination: FilePath) throws(FileError) {
        guard Glibc.rename(source.string, destination.string) == 0 else {
            throw FileError(path: destination, operation: "rename to", errno: Errno(rawValue: Glibc.errno))
        }
    }

    /// Gives a file its name, in place of what has it unless it `isNew`.
    package static func show(_ source: FilePath, as name: FilePath, isNew: Bool) throws(FileError) {
        if isNew { try NewName.give(name, to: source) } else { try rename(source, to: name) }
    }

    /// Creates a hard link, replacing the target; returns false if the file system has no hard links.
    package static func link(_ source: FilePath, as name: FilePath) throws(FileError) -> Bool {
        try remove(name)
        if Glibc.link(source.string, name.string) == 0 { return true }
        let problem = Errno(rawValue: Glibc.errno)
        guard [.notPermitted, .notSupported, .tooManyLinks].contains(problem) else {
            throw FileError(path: name, operation: "link", errno: problem)
        }
        return false
    }

    /// Removes a file; a missing file is no error.
    package static func remove(_ path: FilePath) throws(FileError) {
        guard unlink(path.string) == 0 || Glibc.errno == ENOENT else {
            throw FileError(path: path, operation: "remove", errno: Errno(rawValue: Glibc.errno))
        }
    }
}

extension FilePath {
    /// The path with text appended to its last component.
    package func appendingSuffix(_ suffix: String) -> FilePath {
        FilePath(string + suffix)
    }
}
