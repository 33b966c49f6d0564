import Glibc
package import SystemPackage

/// Gives files and folders their names, in one step: a reader finds nothing, or the whole.
package enum NewName {
    /// Gives a name that must be free.
    ///
    /// - Throws: a ``FileError``, `fileExists` where something has the name.
    package static func give(_ name: FilePath, to source: FilePath) throws(FileError) {
        // rename(2) replaces a file without a word, link(2) does not.
        if link(source.string, name.string) == 0 {
            unlink(source.string)
            return
        }
        let problem = Errno(rawValue: errno)
        // A folder, and any file of a file system without hard links: a folder that is filled is never replaced.
        guard [.notPermitted, .notSupported, .tooManyLinks, .noFunction].contains(problem) else {
            throw failure(name, problem)
        }
        guard !isThere(name) else { throw failure(name, .fileExists) }
        guard rename(source.string, name.string) == 0 else { throw failure(name, Errno(rawValue: errno)) }
    }

    /// Gives a name that is free, or that something of this type has, which is replaced.
    ///
    /// - Throws: a ``FileError``, `fileExists` where something of another type has the name.
    package static func give(_ name: FilePath, to source: FilePath, replacing type: FileType) throws(FileError) {
        guard let there = FileType(of: name) else { return try give(name, to: source) }
        guard there == type else { throw failure(name, .fileExists) }
        guard rename(source.string, name.string) == 0 else { throw failure(name, Errno(rawValue: errno)) }
    }

    /// A link that leads nowhere is there too.
    private static func isThere(_ path: FilePath) -> Bool {
        var information = stat()
        return lstat(path.string, &information) == 0
    }

    private static func failure(_ name: FilePath, _ problem: Errno) -> FileError {
        FileError(path: name, operation: "give the name", errno: problem)
    }
}
