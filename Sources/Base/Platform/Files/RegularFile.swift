import Glibc
package import SystemPackage

/// Opening files that come from anywhere: opening a named pipe waits for its writer, and a device has no end.
package enum RegularFile {
    /// Opens a file for reading, and gives its size with it; only a regular one is opened.
    ///
    /// - Throws: ``FileError``, whose `notRegular` says what was found in place of a regular file.
    package static func open(_ path: FilePath) throws(FileError) -> (descriptor: FileDescriptor, byteCount: Int) {
        // Opening some devices does something; what comes in between is found below.
        try check(path)
        let descriptor = try FileError.attempt(path, "open") {
            try FileDescriptor.open(path, .readOnly, options: [.closeOnExec, .nonBlocking])
        }
        var information = stat()
        guard fstat(descriptor.rawValue, &information) == 0 else {
            let problem = Errno(rawValue: Glibc.errno)
            try? descriptor.close()
            throw FileError(path: path, operation: "open", errno: problem)
        }
        guard case .file(let byteCount) = FileEntry(information) else {
            try? descriptor.close()
            throw FileError(notRegular: FileType(mode: information.st_mode), path)
        }
        return (descriptor, byteCount)
    }

    package static func byteCount(of path: FilePath) throws(FileError) -> Int {
        let (descriptor, byteCount) = try open(path)
        try? descriptor.close()
        return byteCount
    }

    /// The first bytes of a regular file: fewer where it is shorter.
    package static func head(of path: FilePath, byteCount: Int) throws(FileError) -> [UInt8] {
        try part(of: path, at: 0, byteCount: byteCount)
    }

    /// Some bytes of a regular file: fewer where it ends.
    package static func part(of path: FilePath, at offset: Int, byteCount: Int) throws(FileError) -> [UInt8] {
        let descriptor = try open(path).descriptor
        defer { try? descriptor.close() }
        return try FileError.attempt(path, "read") {
            try descriptor.bytes(byteCount, fromAbsoluteOffset: Int64(offset))
        }
    }

    /// Refuses what is there and is no regular file, a link that leads nowhere among it.
    package static func check(_ path: FilePath) throws(FileError) {
        guard case .other(let type) = FileEntry(at: path.string) else { return }
        throw FileError(notRegular: type, path)
    }
}

/// The type of the file that a path leads to; symbolic links are followed.
package enum FileType: String, Sendable {
    case regular = "a regular file"
    case directory = "a folder"
    case pipe = "a named pipe"
    case socket = "a socket"
    case device = "a device"
    /// Only where links are not followed.
    case link = "a link"
    case brokenLink = "a link that leads nowhere"
    case other = "something that is no regular file"

    /// Nil where there is nothing.
    package init?(of path: FilePath) {
        var information = stat()
        guard stat(path.string, &information) == 0 else {
            SystemFault.note(path, "look at", Errno(rawValue: errno))
            return nil
        }
        self.init(mode: information.st_mode)
    }

    /// The type of what has the name itself; nil where there is nothing.
    package init?(notFollowing path: FilePath) {
        var information = stat()
        guard lstat(path.string, &information) == 0 else {
            SystemFault.note(path, "look at", Errno(rawValue: errno))
            return nil
        }
        self.init(mode: information.st_mode)
    }

    init(mode: mode_t) {
        switch mode & S_IFMT {
        case S_IFLNK: self = .link
        case S_IFREG: self = .regular
        case S_IFDIR: self = .directory
        case S_IFIFO: self = .pipe
        case S_IFSOCK: self = .socket
        case S_IFCHR, S_IFBLK: self = .device
        default: self = .other
        }
    }
}

/// The entry at a path, with the size of a regular file; symbolic links are followed, and nothing is opened.
package enum FileEntry: Hashable, Sendable {
    case nothing
    case file(byteCount: Int)
    /// A folder, or something that is never opened.
    case other(FileType)

    /// True if nothing can be opened there: what is named so is missing.
    package var isAbsent: Bool { self == .nothing || self == .other(.brokenLink) }

    package init(at path: String) {
        var information = stat()
        guard stat(path, &information) == 0 else {
            let reason = errno
            SystemFault.note(FilePath(path), "look at", Errno(rawValue: reason))
            let leadsNowhere = [ENOENT, ENOTDIR, ELOOP].contains(reason) && lstat(path, &information) == 0
            self = leadsNowhere ? .other(.brokenLink) : .nothing
            return
        }
        self = FileEntry(information)
    }

    init(_ information: stat) {
        let type = FileType(mode: information.st_mode)
        self = type == .regular ? .file(byteCount: Int(information.st_size)) : .other(type)
    }
}

/// A failed system call on a file.
package struct FileError: Error, Hashable, Sendable, CustomStringConvertible {
    package var path: FilePath
    /// The operation that failed: "create", "write", "rename".
    package var operation: String
    package var errno: Errno
    /// The type of file found where a regular file was expected; nil for other failures.
    package private(set) var notRegular: FileType?

    package init(path: FilePath, operation: String, errno: Errno) {
        self.path = path
        self.operation = operation
        self.errno = errno
        SystemFault.note(path, operation, errno)
    }

    /// A file that was not opened, as it is no regular one.
    package init(notRegular type: FileType, _ path: FilePath) {
        self.init(path: path, operation: "open \(type.rawValue) as a file", errno: .notSupported)
        notRegular = type
    }

    /// Makes what calls of the system on a file throw an error that names the file.
    package static func attempt<Result>(
        _ path: FilePath,
        _ operation: String,
        _ body: () throws -> Result
    ) throws(FileError) -> Result {
        do {
            return try body()
        } catch {
            throw FileError(path: path, operation: operation, errno: error as? Errno ?? .ioError)
        }
    }

    /// The type of file found in place of a regular file, or the reason for which the system refuses.
    package var found: String { notRegular?.rawValue ?? errno.description }

    package var description: String { "\(path): cannot \(operation): \(errno.description)" }
}
