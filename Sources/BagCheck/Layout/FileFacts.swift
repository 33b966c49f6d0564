import Glibc
import SystemPackage

/// What the file system says, without reading more than is asked for.
enum FileFacts {
    static func isRegular(_ path: FilePath) -> Bool {
        var information = stat()
        return stat(path.string, &information) == 0 && information.st_mode & S_IFMT == S_IFREG
    }

    /// In bytes; 0 where there is no file.
    static func size(_ path: FilePath) -> Int {
        var information = stat()
        return stat(path.string, &information) == 0 ? Int(information.st_size) : 0
    }

    /// The names in a directory, sorted; nil where it cannot be read.
    static func entries(_ path: FilePath) -> [String]? {
        guard let directory = opendir(path.string) else { return nil }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: Int(NAME_MAX) + 1) { String(cString: $0) }
            }
            if name != "." && name != ".." { names.append(name) }
        }
        return names.sorted()
    }

    /// The whole of a small text file; nil where it cannot be read or is larger than `limit` bytes.
    static func text(_ path: FilePath, limit: Int = 64 << 20) -> String? {
        let size = size(path)
        guard size <= limit, let descriptor = try? FileDescriptor.open(path, .readOnly, options: .closeOnExec) else {
            return nil
        }
        defer { try? descriptor.close() }
        var bytes: [UInt8] = []
        while bytes.count < size {
            let part = try? [UInt8](unsafeUninitializedCapacity: size - bytes.count) { buffer, count in
                count = try descriptor.read(
                    fromAbsoluteOffset: Int64(bytes.count),
                    into: UnsafeMutableRawBufferPointer(buffer)
                )
            }
            guard let part, !part.isEmpty else { break }
            bytes += part
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
