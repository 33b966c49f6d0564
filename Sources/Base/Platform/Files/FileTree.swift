import Glibc
package import SystemPackage

extension FileTree {
    /// The bytes of all files below a folder, at most 64 folders deep; links count nothing.
    ///
    /// A file with several names counts once for each, as it does when it is copied.
    package static func byteCount(_ folder: FilePath) -> Int { byteCount(AT_FDCWD, folder.string, depth: 0) }

    private static func byteCount(_ parent: Int32, _ name: String, depth: Int) -> Int {
        let flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC | (depth > 0 ? O_NOFOLLOW : 0)
        let descriptor = openat(parent, name, flags)
        guard descriptor >= 0 else {
            SystemFault.note(FilePath(name), "list", Errno(rawValue: errno))
            return 0
        }
        guard depth < 64, let directory = fdopendir(descriptor) else {
            if depth < 64 { SystemFault.note(FilePath(name), "list", Errno(rawValue: errno)) }
            close(descriptor)
            return 0
        }
        defer { closedir(directory) }
        var count = 0
        while true {
            errno = 0
            guard let entry = readdir(directory) else {
                SystemFault.note(FilePath(name), "list", Errno(rawValue: errno))
                break
            }
            withUnsafePointer(to: &entry.pointee.d_name) { tuple in
                tuple.withMemoryRebound(to: CChar.self, capacity: 256) { name in
                    let isDots = name[0] == 0x2E && (name[1] == 0 || name[1] == 0x2E && name[2] == 0)
                    var information = stat()
                    guard !isDots else { return }
                    guard fstatat(descriptor, name, &information, AT_SYMLINK_NOFOLLOW) == 0 else {
                        SystemFault.note(FilePath(platformString: name), "look at", Errno(rawValue: errno))
                        return
                    }
                    switch information.st_mode & S_IFMT {
                    case S_IFREG: count &+= Int(information.st_size)
                    case S_IFDIR: count &+= byteCount(descriptor, String(cString: name), depth: depth + 1)
                    default: break
                    }
                }
            }
        }
        return count
    }
}

/// The names in a directory without `.` and `..`, sorted by their bytes.
package func directoryEntries(_ path: FilePath) throws(FileError) -> [String] {
    guard let directory = opendir(path.string) else {
        throw FileError(path: path, operation: "list", errno: Errno(rawValue: errno))
    }
    defer { closedir(directory) }
    var names: [String] = []
    while let name = nextName(in: directory) { names.append(name) }
    // Names that were not read would be taken for names that are not there.
    let problem = Errno(rawValue: errno)
    guard problem.rawValue == 0 else { throw FileError(path: path, operation: "list", errno: problem) }
    return names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
}

/// The next name in an open directory other than `.` and `..`; nil after the last one, and where it cannot be read, which errno
/// tells then.
package func nextName(in directory: OpaquePointer) -> String? {
    errno = 0
    while let entry = readdir(directory) {
        let name = withUnsafeBytes(of: &entry.pointee.d_name) {
            String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
        }
        if name != "." && name != ".." { return name }
        errno = 0
    }
    let problem = errno
    if problem != 0 {
        SystemFault.note(FilePath("/proc/self/fd/\(dirfd(directory))"), "list", Errno(rawValue: problem))
        errno = problem
    }
    return nil
}
