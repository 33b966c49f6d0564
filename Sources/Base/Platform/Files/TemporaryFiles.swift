import Glibc
package import SystemPackage

/// A temporary file without a name: it is gone with the process, however that ends.
package final class NamelessFile {
    /// Where such files are made if nothing else is said: $TMPDIR, or /tmp.
    package static var directory: FilePath { FilePath(getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp") }

    package let descriptor: FileDescriptor
    private let directory: FilePath
    /// Where the file system can make no file without a name: one that is removed as soon as the file is open elsewhere.
    private var name: FilePath?

    /// - Parameter mode: who may read and write the file, should it be kept.
    package init(in directory: FilePath = NamelessFile.directory, mode: UInt32 = 0o600) throws(FileError) {
        self.directory = directory
        // O_TMPFILE, which is a macro that Swift does not see.
        let flags = O_RDWR | O_CLOEXEC | O_DIRECTORY | 0o20000000
        var handle = open(directory.string, flags, mode)
        if handle < 0 {
            var template = Array(directory.appending("mapeverything-XXXXXX").string.utf8CString)
            handle = mkstemp(&template)
            guard handle >= 0 else {
                throw FileError(path: directory, operation: "create a temporary file in", errno: Errno(rawValue: errno))
            }
            _ = fcntl(handle, F_SETFD, FD_CLOEXEC)
            if mode != 0o600 { fchmod(handle, mode) }
            name = FilePath(platformString: template)
        }
        descriptor = FileDescriptor(rawValue: handle)
    }

    deinit {
        if let name { unlink(name.string) }
        try? descriptor.close()
    }

    /// A path by which this process can open the file again, nameless as it is; SQLite cannot, as it resolves links.
    package var descriptorPath: FilePath { FilePath("/proc/self/fd/\(descriptor.rawValue)") }

    /// Gives the file a name for as long as `body` runs; what is opened by it there stays open.
    package func withName<Result>(_ body: (FilePath) throws -> Result) throws -> Result {
        let path = try name ?? link()
        name = path
        defer {
            unlink(path.string)
            name = nil
        }
        return try body(path)
    }

    /// Gives the file a name for good, in one step: what has the name must be of the type that may be replaced.
    ///
    /// - Throws: a ``FileError``, `fileExists` where something else has the name.
    package func keep(as path: FilePath, replacing type: FileType? = nil) throws(FileError) {
        if name == nil { name = try link() }
        guard let source = name else { return }
        if let type {
            try NewName.give(path, to: source, replacing: type)
        } else {
            try NewName.give(path, to: source)
        }
        name = nil
    }

    /// Asks whether anything can be written in a folder, where another program failed there: a full disk is no fault of its own.
    ///
    /// - Throws: what the system says.
    package static func probe(_ directory: FilePath) throws(FileError) {
        let file = try NamelessFile(in: directory)
        _ = try FileError.attempt(directory, "write in") {
            try file.descriptor.writeAll([UInt8](repeating: 0, count: 1 << 16))
        }
    }

    private func link() throws(FileError) -> FilePath {
        for _ in 0..<100 {
            let candidate = directory.appending("mapeverything-\(getpid())-\(UInt32.random(in: 0 ... .max))")
            if linkat(AT_FDCWD, descriptorPath.string, AT_FDCWD, candidate.string, AT_SYMLINK_FOLLOW) == 0 {
                return candidate
            }
            if errno != EEXIST { break }
        }
        throw FileError(path: directory, operation: "name a temporary file in", errno: Errno(rawValue: errno))
    }
}

/// A folder of the system's for temporary files, which ends with this value.
package final class TemporaryFolder: Sendable {
    package let path: FilePath

    /// - Throws: a ``FileError`` where none can be made.
    package init() throws(FileError) {
        let parent = NamelessFile.directory
        var template = Array(parent.appending("mapeverything-XXXXXX").string.utf8CString)
        guard mkdtemp(&template) != nil else {
            throw FileError(path: parent, operation: "create a folder in", errno: Errno(rawValue: errno))
        }
        path = FilePath(platformString: template)
    }

    deinit { FileTree.remove(path) }
}
