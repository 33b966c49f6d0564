import Glibc
package import SystemPackage

/// A new folder that gets its name when everything in it is written: until then it ends in `.partial`.
///
/// The folder that a killed run leaves has the mark of an ``UnfinishedFolder``; the next run replaces it.
package struct OutputFolder: Sendable {
    package static let suffix = ".partial"

    /// Where the folder will be.
    package let path: FilePath
    /// Where it is filled.
    package let staging: FilePath
    private let mark: UnfinishedFolder
    private let replaced: OutputKind?

    /// - Parameter replaced: What may have the name, and is replaced then: a file by ``show(file:)``, a folder by ``show()``.
    /// - Throws: a ``FileError`` where either name exists, or no folder can be made.
    package init(creating path: FilePath, replacing replaced: OutputKind? = nil) throws(FileError) {
        // A slash at the end is no part of the name.
        self.path = FilePath(root: path.root, path.components)
        self.replaced = replaced
        staging = FilePath(self.path.string + Self.suffix)
        let isFree = FileType(of: self.path).map { $0 == replaced?.type } ?? true
        guard isFree else { throw FileError(path: self.path, operation: "create", errno: .fileExists) }
        mark = try UnfinishedFolder(creating: staging)
    }

    /// Makes a folder inside, and those around it.
    package func makeFolder(_ name: String) throws(FileError) {
        var folder = staging
        for component in FilePath(name).components {
            folder.append(component)
            if FileType(of: folder) != .directory { try UnfinishedFolder.make(folder) }
        }
    }

    package func file(_ name: String) -> FilePath { staging.appending(name) }

    /// Writes a whole new file inside.
    package func write(_ text: String, to name: String) throws(FileError) {
        try OutputFile.write(Array(text.utf8), to: file(name))
    }

    /// Gives a file inside another name inside, which must be free.
    package func rename(_ file: FilePath, to name: String) throws(FileError) {
        try NewName.give(self.file(name), to: file)
    }

    /// Gives the folder its name.
    ///
    /// A folder that it replaces is there until then, and stays where it is none of its kind any more.
    package func show() throws {
        try SystemFault.check()
        var old: FilePath?
        if let replaced, FileType(notFollowing: path) == .directory, replaced.isOurs(path) {
            let aside = FilePath("\(path).\(getpid()).replaced")
            try NewName.give(aside, to: path)
            old = aside
        }
        do {
            try NewName.give(path, to: staging)
        } catch {
            if let old { try NewName.give(path, to: old) }
            throw error
        }
        UnfinishedFolder.removeMark(in: path)
        if let old { FileTree.remove(old) }
    }

    /// Gives one file inside the folder's name, and removes the rest.
    ///
    /// A file that it replaces is there until the new one is on the disk.
    package func show(file name: String) throws {
        try SystemFault.check()
        try Flush.file(file(name))
        if replaced != nil {
            try NewName.give(path, to: file(name), replacing: .regular)
        } else {
            try NewName.give(path, to: file(name))
        }
        try Flush.name(of: path)
        discard()
    }

    /// Removes what was begun.
    package func discard() { FileTree.remove(staging) }
}

/// A folder that a run is filling, with a mark in it by which the next run knows what is left after a kill.
package final class UnfinishedFolder: Sendable {
    private static let markName = ".unfinished-mapeverything"

    /// Holds the lock of the mark (flock(2)), which ends with the process.
    private let descriptor: Int32

    /// Makes the folder, in place of one that a run has left that is over.
    ///
    /// - Throws: a ``FileError``: `fileExists` for a folder without a mark, `resourceBusy` for one that a run is filling.
    package init(creating path: FilePath) throws(FileError) {
        try Self.removeLeftover(path)
        try Self.make(path)
        let mark = path.appending(Self.markName)
        let descriptor = open(mark.string, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o644)
        guard descriptor >= 0 else {
            let problem = Errno(rawValue: errno)
            rmdir(path.string)
            throw FileError(path: mark, operation: "create", errno: problem)
        }
        RunLock.take(descriptor)
        self.descriptor = descriptor
    }

    deinit { close(descriptor) }

    private static func removeLeftover(_ path: FilePath) throws(FileError) {
        guard FileType(notFollowing: path) != nil, rmdir(path.string) != 0 else { return }
        let mark = try lockedMark(in: path)
        defer { close(mark) }
        FileTree.remove(path)
    }

    /// True for a folder that a run has left that is over, and for an empty one.
    package static func isLeftover(_ path: FilePath) -> Bool {
        guard FileType(notFollowing: path) == .directory else { return false }
        if (try? directoryEntries(path))?.isEmpty == true { return true }
        guard let mark = try? lockedMark(in: path) else { return false }
        close(mark)
        return true
    }

    /// Takes the lock of the mark that a run has left.
    private static func lockedMark(in path: FilePath) throws(FileError) -> Int32 {
        let isFolder = FileType(notFollowing: path) == .directory
        let mark = isFolder ? open(path.appending(markName).string, O_RDWR | O_CLOEXEC | O_NOFOLLOW) : -1
        guard mark >= 0 else { throw FileError(path: path, operation: "create", errno: .fileExists) }
        guard !RunLock.isHeld(mark) else {
            close(mark)
            throw FileError(path: path, operation: "create", errno: .resourceBusy)
        }
        return mark
    }

    package static func removeMark(in path: FilePath) {
        let mark = path.appending(markName)
        if unlink(mark.string) != 0 { SystemFault.note(mark, "remove", Errno(rawValue: errno)) }
    }

    static func make(_ folder: FilePath) throws(FileError) {
        guard mkdir(folder.string, 0o755) == 0 else {
            throw FileError(path: folder, operation: "create", errno: Errno(rawValue: errno))
        }
    }
}

/// A lock on a file that a run is filling, which ends with the process (flock(2)).
package enum RunLock {
    /// Where a file system has no locks, what is left is replaced all the same.
    package static func take(_ descriptor: Int32) { flock(descriptor, LOCK_EX | LOCK_NB) }

    /// True while another run has the lock.
    package static func isHeld(_ descriptor: Int32) -> Bool {
        while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
            if errno != EINTR { return errno == EWOULDBLOCK }
        }
        return false
    }
}

/// Whole folders.
package enum FileTree {
    /// Removes a file, or a folder with all that is in it, as far as it goes; links are not followed.
    package static func remove(_ path: FilePath) {
        if unlink(path.string) == 0 { return }
        SystemFault.note(path, "remove", Errno(rawValue: errno))
        for name in (try? directoryEntries(path)) ?? [] { remove(path.appending(name)) }
        if rmdir(path.string) != 0 { SystemFault.note(path, "remove", Errno(rawValue: errno)) }
    }
}

/// How much a file system can still take.
package enum FreeSpace {
    /// In bytes; nil where the system does not say.
    package static func bytes(at directory: FilePath) -> Int? {
        var information = statvfs()
        guard statvfs(directory.string, &information) == 0 else { return nil }
        let blocks = UInt64(information.f_bavail)
        let (bytes, overflow) = blocks.multipliedReportingOverflow(by: UInt64(information.f_frsize))
        return overflow ? .max : Int(clamping: bytes)
    }
}
