package import Platform
package import SystemPackage

package enum FileCopy {
    package static func copy(_ source: FilePath, to target: FilePath) throws(FileError) {
        let input = try open(source, .readOnly, "open")
        defer { try? input.close() }
        let output = try open(target, .writeOnly, "create")
        do {
            try copy(input, output)
            try output.close()
        } catch {
            try? output.close()
            throw FileError(path: target, operation: "write", errno: error as? Errno ?? .ioError)
        }
    }

    private static func copy(_ input: FileDescriptor, _ output: FileDescriptor) throws {
        let size = Int(try input.seek(offset: 0, from: .end))
        var copied = 0
        var buffer = [UInt8](repeating: 0, count: 1 << 18)
        while copied < size {
            let count = try buffer.withUnsafeMutableBytes {
                try input.read(fromAbsoluteOffset: Int64(copied), into: $0)
            }
            if count == 0 { break }
            try output.writeAll(buffer[..<count])
            copied += count
        }
    }

    private static func open(
        _ path: FilePath,
        _ mode: FileDescriptor.AccessMode,
        _ operation: String
    ) throws(FileError) -> FileDescriptor {
        do {
            return try FileDescriptor.open(
                path,
                mode,
                options: mode == .readOnly ? .closeOnExec : [.create, .truncate, .closeOnExec],
                permissions: [.ownerReadWrite, .groupRead, .otherRead]
            )
        } catch {
            throw FileError(path: path, operation: operation, errno: error as? Errno ?? .ioError)
        }
    }
}
