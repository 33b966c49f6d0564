import Glibc
package import SystemPackage

/// The type of the file that a path leads to; symbolic links are followed.
package enum FileType: String, Sendable {
    case regular = "a regular file"
    case directory = "a folder"
    case pipe = "a named pipe"
    case socket = "a socket"
    case device = "a device"
    case other = "something that is no regular file"

    /// Nil where there is nothing.
    package init?(of path: FilePath) {
        var information = stat()
        guard stat(path.string, &information) == 0 else { return nil }
        self.init(mode: information.st_mode)
    }

    init(mode: mode_t) {
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

/// The entry at a path, with the size of a regular file; symbolic links are followed, and nothing is opened.
package enum FileEntry: Hashable, Sendable {
    case nothing
    case file(byteCount: Int)
    /// A folder, or something that is never opened.
    case other(FileType)

    package init(at path: String) {
        var information = stat()
        self = stat(path, &information) == 0 ? FileEntry(information) : .nothing
    }

    init(_ information: stat) {
        let type = FileType(mode: information.st_mode)
        self = type == .regular ? .file(byteCount: Int(information.st_size)) : .other(type)
    }
}
