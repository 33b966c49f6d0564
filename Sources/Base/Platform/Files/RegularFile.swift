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
        let descriptor: FileDescriptor
        do {
            descriptor = try FileDescriptor.open(path, .readOnly, options: [.closeOnExec, .nonBlocking])
        } catch {
            throw FileError(path: path, operation: "open", errno: error as? Errno ?? .ioError)
        }
        var information = stat()
        guard fstat(descriptor.rawValue, &information) == 0, case .file(let byteCount) = FileEntry(information) else {
            try? descriptor.close()
            throw FileError(notRegular: FileType(mode: information.st_mode), path)
        }
        return (descriptor, byteCount)
    }

    /// The first bytes of a regular file: fewer where it is shorter.
    package static func head(of path: FilePath, byteCount: Int) throws(FileError) -> [UInt8] {
        try part(of: path, at: 0, byteCount: byteCount)
    }

    /// Some bytes of a regular file: fewer where it ends.
    package static func part(of path: FilePath, at offset: Int, byteCount: Int) throws(FileError) -> [UInt8] {
        let descriptor = try open(path).descriptor
        defer { try? descriptor.close() }
        var bytes = [UInt8](repeating: 0, count: byteCount)
        do {
            let count = try bytes.withUnsafeMutableBytes {
                try descriptor.read(fromAbsoluteOffset: Int64(offset), into: $0)
            }
            return Array(bytes.prefix(count))
        } catch {
            throw FileError(path: path, operation: "read", errno: error as? Errno ?? .ioError)
        }
    }

    /// Refuses what is there and is no regular file.
    package static func check(_ path: FilePath) throws(FileError) {
        guard let type = FileType(of: path), type != .regular else { return }
        throw FileError(notRegular: type, path)
    }
}
