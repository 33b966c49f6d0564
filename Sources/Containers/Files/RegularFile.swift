import Glibc
package import SystemPackage

/// What a path leads to; symbolic links are followed.
package enum FileType: String, Sendable {
    case regular = "a regular file"
    case directory = "a directory"
    case pipe = "a named pipe"
    case socket = "a socket"
    case device = "a device"
    case other = "something else than a file"

    /// Nil where there is nothing.
    package init?(of path: FilePath) {
        var information = stat()
        guard stat(path.string, &information) == 0 else { return nil }
        self.init(mode: information.st_mode)
    }

    fileprivate init(mode: mode_t) {
        switch mode & S_IFMT {
        case S_IFREG: self = .regular
        case S_IFDIR: self = .directory
        case S_IFIFO: self = .pipe
        case S_IFSOCK: self = .socket
        case S_IFCHR, S_IFBLK: self = .device
        default: self = .other
        }
    }
}

/// Opening files that come from anywhere: opening a named pipe waits for its writer, and a device has no end.
package enum RegularFile {
    /// Opens a file for reading; only a regular one is opened.
    ///
    /// - Throws: ``FileError``, whose `notRegular` says what was found in place of a regular file.
    package static func open(_ path: FilePath) throws(FileError) -> FileDescriptor {
        // Opening some devices does something; what comes in between is found below.
        try check(path)
        let descriptor: FileDescriptor
        do {
            descriptor = try FileDescriptor.open(path, .readOnly, options: [.closeOnExec, .nonBlocking])
        } catch {
            throw FileError(path: path, operation: "open", errno: error as? Errno ?? .ioError)
        }
        var information = stat()
        guard fstat(descriptor.rawValue, &information) == 0, FileType(mode: information.st_mode) == .regular else {
            try? descriptor.close()
            throw FileError(notRegular: FileType(mode: information.st_mode), path)
        }
        return descriptor
    }

    /// Refuses what is there and is no regular file.
    package static func check(_ path: FilePath) throws(FileError) {
        guard let type = FileType(of: path), type != .regular else { return }
        throw FileError(notRegular: type, path)
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
