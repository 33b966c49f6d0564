import Glibc
package import SystemPackage

/// A new folder that gets its name when everything in it is written: until then it ends in `.partial`.
package struct OutputFolder: Sendable {
    package static let suffix = ".partial"

    /// Where the folder will be.
    package let path: FilePath
    /// Where it is filled.
    package let staging: FilePath

    /// - Parameter replacesFile: whether a file of the name may be replaced (``show(file:)``).
    /// - Throws: a ``FileError`` where either name exists, or no folder can be made.
    package init(creating path: FilePath, replacesFile: Bool = false) throws(FileError) {
        // A slash at the end is no part of the name.
        self.path = FilePath(root: path.root, path.components)
        staging = FilePath(self.path.string + Self.suffix)
        let isFree = FileType(of: self.path).map { replacesFile && $0 == .regular } ?? true
        for (name, isFree) in [(self.path, isFree), (staging, FileType(of: staging) == nil)] where !isFree {
            throw FileError(path: name, operation: "create", errno: .fileExists)
        }
        try Self.make(staging)
    }

    /// Makes a folder inside, and those around it.
    package func makeFolder(_ name: String) throws(FileError) {
        var folder = staging
        for component in FilePath(name).components {
            folder.append(component)
            if FileType(of: folder) != .directory { try Self.make(folder) }
        }
    }

    package func file(_ name: String) -> FilePath { staging.appending(name) }

    /// Gives a file inside another name inside.
    package func rename(_ file: FilePath, to name: String) throws(FileError) {
        try Self.rename(file, to: self.file(name))
    }

    /// Gives the folder its name.
    package func show() throws(FileError) {
        guard FileType(of: path) == nil else { throw FileError(path: path, operation: "create", errno: .fileExists) }
        try Self.rename(staging, to: path)
    }

    /// Gives one file inside the folder's name, and removes the rest.
    package func show(file name: String) throws(FileError) {
        try Self.rename(file(name), to: path)
        discard()
    }

    private static func rename(_ source: FilePath, to path: FilePath) throws(FileError) {
        guard Glibc.rename(source.string, path.string) == 0 else {
            throw FileError(path: path, operation: "rename to", errno: Errno(rawValue: errno))
        }
    }

    /// Removes what was begun.
    package func discard() { FileTree.remove(staging) }

    private static func make(_ folder: FilePath) throws(FileError) {
        guard mkdir(folder.string, 0o755) == 0 else {
            throw FileError(path: folder, operation: "create", errno: Errno(rawValue: errno))
        }
    }
}

/// Whole folders.
package enum FileTree {
    /// Removes a file, or a folder with all that is in it, as far as it goes; links are not followed.
    package static func remove(_ path: FilePath) {
        if unlink(path.string) == 0 { return }
        for name in (try? directoryEntries(path)) ?? [] { remove(path.appending(name)) }
        rmdir(path.string)
    }
}
