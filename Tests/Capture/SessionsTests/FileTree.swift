import Glibc
import SystemPackage
import TestSupport

/// The files below a folder, by their path in it.
struct FileTree: Equatable {
    private(set) var files: [String: [UInt8]] = [:]

    init(_ root: FilePath) throws {
        try read(root, "")
    }

    private mutating func read(_ folder: FilePath, _ prefix: String) throws {
        for name in try Self.names(in: folder) {
            let path = folder.appending(name)
            if let inside = try? FileTree(path), !inside.files.isEmpty {
                for (file, bytes) in inside.files { files["\(prefix)\(name)/\(file)"] = bytes }
            } else if let bytes = try? Self.bytes(of: path) {
                files[prefix + name] = bytes
            }
        }
    }

    /// Copies a folder of files and folders.
    static func copy(_ source: FilePath, to destination: FilePath) throws {
        guard mkdir(destination.string, 0o700) == 0 else { throw Errno(rawValue: errno) }
        for name in try names(in: source) {
            var information = stat()
            let path = source.appending(name)
            guard stat(path.string, &information) == 0 else { throw Errno(rawValue: errno) }
            if information.st_mode & S_IFMT == S_IFDIR {
                try copy(path, to: destination.appending(name))
            } else {
                try SessionBuilder.write(try bytes(of: path), to: destination.appending(name))
            }
        }
    }

    private static func names(in folder: FilePath) throws -> [String] {
        guard let directory = opendir(folder.string) else { throw Errno(rawValue: errno) }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) {
                String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self)
            }
            if name != "." && name != ".." { names.append(name) }
        }
        return names
    }

    private static func bytes(of path: FilePath) throws -> [UInt8] {
        let file = try FileDescriptor.open(path, .readOnly)
        return try file.closeAfter {
            var bytes: [UInt8] = []
            let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 20, alignment: 16)
            defer { buffer.deallocate() }
            while true {
                let count = try file.read(into: buffer)
                if count == 0 { return bytes }
                bytes.append(contentsOf: buffer[..<count])
            }
        }
    }
}
