import Glibc

/// Opens files that may be no files: a pipe must not block the program, nor a device be touched.
package enum RegularFile {
    /// What is at a path, links followed.
    package enum Entry: Hashable, Sendable {
        case nothing
        case file(bytes: Int)
        case folder
        /// Something that is never opened, in words.
        case other(String)
    }

    /// Looks without opening anything.
    package static func entry(_ path: String) -> Entry {
        var information = stat()
        guard stat(path, &information) == 0 else { return .nothing }
        return entry(information)
    }

    /// Opens a regular file for reading; its size goes with it.
    ///
    /// Whatever is none is refused before it is opened. Should it become one in between, opening does not wait.
    package static func open(_ path: String) throws(Refusal) -> (descriptor: Int32, bytes: Int) {
        switch entry(path) {
        case .nothing, .file: break
        case .folder: throw Refusal(reason: "a folder")
        case .other(let what): throw Refusal(reason: what)
        }
        let descriptor = Glibc.open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw Refusal(reason: String(cString: strerror(errno))) }
        var information = stat()
        guard fstat(descriptor, &information) == 0, case .file(let bytes) = entry(information) else {
            close(descriptor)
            throw Refusal(reason: "something that is no regular file")
        }
        return (descriptor, bytes)
    }

    /// Why a file was not opened: what was found instead of one.
    package struct Refusal: Error, Hashable, Sendable {
        package var reason: String
    }

    private static func entry(_ information: stat) -> Entry {
        switch information.st_mode & S_IFMT {
        case S_IFREG: .file(bytes: Int(information.st_size))
        case S_IFDIR: .folder
        case S_IFIFO: .other("a named pipe")
        case S_IFSOCK: .other("a socket")
        case S_IFCHR, S_IFBLK: .other("a device")
        default: .other("something that is no regular file")
        }
    }
}
