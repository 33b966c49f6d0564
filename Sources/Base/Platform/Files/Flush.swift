import Glibc
package import SystemPackage

/// Waits until something is on the disk, so that the loss of power cannot take it.
package enum Flush {
    /// The bytes of a file.
    package static func file(_ path: FilePath) throws(FileError) {
        try withDescriptor(path, .readWrite) { Glibc.fdatasync($0.rawValue) }
    }

    /// The names in a folder; of the current one where the path is empty.
    package static func folder(_ path: FilePath) throws(FileError) {
        try withDescriptor(path.isEmpty ? FilePath(".") : path, .readOnly) { descriptor in
            // Some file systems cannot synchronise a directory and return EINVAL; this is no error.
            let result = Glibc.fsync(descriptor.rawValue)
            return result != 0 && Glibc.errno == EINVAL ? 0 : result
        }
    }

    /// The name of a file or folder.
    package static func name(of path: FilePath) throws(FileError) {
        // `..` and the root have no names of their own.
        guard path.lastComponent?.kind == .regular else { return }
        try folder(path.removingLastComponent())
    }

    private static func withDescriptor(
        _ path: FilePath,
        _ mode: FileDescriptor.AccessMode,
        _ body: (FileDescriptor) -> Int32
    ) throws(FileError) {
        try FileError.attempt(path, "flush") {
            let descriptor = try FileDescriptor.open(path, mode, options: .closeOnExec)
            let result = body(descriptor)
            let problem = Errno(rawValue: Glibc.errno)
            try descriptor.close()
            if result != 0 { throw problem }
        }
    }
}
