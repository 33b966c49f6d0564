package import SystemPackage

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
    }

    /// A file that was not opened, as it is no regular one.
    package init(notRegular type: FileType, _ path: FilePath) {
        self.init(path: path, operation: "open \(type.rawValue) as a file", errno: .notSupported)
        notRegular = type
    }

    /// The type of file found in place of a regular file, or the reason for which the system refuses.
    package var found: String { notRegular?.rawValue ?? errno.description }

    package var description: String { "\(path): cannot \(operation): \(errno.description)" }
}
