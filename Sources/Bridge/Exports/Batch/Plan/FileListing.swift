import Glibc
import Messages
import Platform
import SystemPackage

/// The regular files below a folder.
enum FileListing {
    private static let maximumDepth = 16

    /// Passes the name below the folder, with `/`, and the size of each file, in no particular order.
    ///
    /// Links to folders are not followed: they may lead back. Nor is what a pipe or a device has to say listed.
    static func list(_ folder: FilePath, limit: Int, _ body: (String, Int) -> Void) throws(FileError) {
        var left = limit
        try walk(folder, prefix: "", depth: 0, &left, body)
    }

    private static func walk(
        _ folder: FilePath,
        prefix: String,
        depth: Int,
        _ left: inout Int,
        _ body: (String, Int) -> Void
    ) throws(FileError) {
        guard depth < maximumDepth else { return }
        guard let directory = opendir(folder.string) else {
            throw FileError(path: folder, operation: "list", errno: Errno(rawValue: errno))
        }
        defer { closedir(directory) }
        while let name = nextName(in: directory) {
            var information = stat()
            guard fstatat(dirfd(directory), name, &information, AT_SYMLINK_NOFOLLOW) == 0 else {
                // What went away meanwhile is not there; anything else is an error.
                if errno == ENOENT { continue }
                throw FileError(path: folder.appending(name), operation: "look at", errno: Errno(rawValue: errno))
            }
            if information.st_mode & S_IFMT == S_IFDIR {
                try walk(folder.appending(name), prefix: prefix + name + "/", depth: depth + 1, &left, body)
                continue
            }
            if information.st_mode & S_IFMT == S_IFLNK {
                guard fstatat(dirfd(directory), name, &information, 0) == 0 else { continue }
            }
            guard information.st_mode & S_IFMT == S_IFREG else { continue }
            left -= 1
            guard left >= 0 else {
                throw FileError(path: folder, operation: "list so many files of", errno: .outOfRange)
            }
            body(prefix + name, Int(information.st_size))
        }
        // A recording of which some names were not read would be taken for another one.
        if errno != 0 { throw FileError(path: folder, operation: "list", errno: Errno(rawValue: errno)) }
    }
}

/// The SHA-256 of files.
enum FileHash {
    /// Reads a whole file: its digest in hexadecimal digits, and how many lines it has.
    static func read(_ path: FilePath) throws(FileError) -> (digest: String, lines: Int) {
        let descriptor = try RegularFile.open(path).descriptor
        defer { try? descriptor.close() }
        var hash = SHA256()
        var lines = 0
        try FileError.attempt(path, "read") {
            try withUnsafeTemporaryAllocation(byteCount: 1 << 16, alignment: 16) { buffer in
                while case let count = try descriptor.read(into: buffer), count > 0 {
                    let piece = UnsafeRawBufferPointer(rebasing: buffer[..<count])
                    hash.update(piece)
                    lines += piece.count { $0 == 0x0A }
                }
            }
        }
        return (hash.hexadecimalDigest(), lines)
    }
}
